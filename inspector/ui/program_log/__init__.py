"""The window's own log: what was logged since the start, and the dialog that lists it."""
