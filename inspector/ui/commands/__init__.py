"""The window's actions by subject, with the menus and the palette that offer them."""
