"""The sample constellation, read from its source in `resources` as a plan of edits in the order of time.

The source counts its times from the moment of creation, so the newest event is always fresh.
"""
