"""The window's notices about the open file and about one block."""
