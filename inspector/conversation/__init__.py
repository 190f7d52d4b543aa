"""Stores messages in batches, summaries and activity events.

Owns how they are stored, changed and read. Knows nothing of blocks or of how a Request is built.
"""
