"""The command line: runs the engine without a window and prints tables or JSON.

Owns how arguments are read and how results are printed. Sees only `runtime` and `domain`; never imports Qt.
"""
