"""The settings of the program: what each is called, and the window's dialog for them."""
