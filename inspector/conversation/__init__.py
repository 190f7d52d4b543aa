"""Messages in batches, summaries, activity: what was said and what happened.

Owns how they are stored, changed and read. Knows nothing of blocks or of how a Request is built.
"""
