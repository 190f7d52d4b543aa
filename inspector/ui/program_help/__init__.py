"""Help in the window: the page by sections, the sheet of shortcuts, the tour of the panels."""
