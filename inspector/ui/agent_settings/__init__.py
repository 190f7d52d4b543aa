"""The settings of an agent as a form: its fields, its session of unsaved work, and its widgets."""
