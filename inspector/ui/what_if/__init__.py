"""The what-if of the window: its bar over the Request, its limits, and another text for a piece."""
