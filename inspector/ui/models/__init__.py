"""Generic item models: columns are data, rows have keys, updates touch only what differs.

Also the pure values that the views show and the functions that make them from the engine's. Knows no engine and
no widget.
"""
