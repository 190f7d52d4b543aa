"""The engine without a screen: commands, tables, JSON, exit codes.

Owns how arguments are read and how results are printed. Sees only `runtime` and `domain`; never imports Qt.
"""
