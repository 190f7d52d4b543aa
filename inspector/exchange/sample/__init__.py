"""The sample constellation, read from `resources` as an import plan in the order of time.

The source counts its times from the moment of creation, so the newest event is always fresh.
"""
