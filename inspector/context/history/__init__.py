"""Chooses the messages of a Request and reports those that were left out.

One module per strategy; each chooses an unbroken run of whole batches within a budget, and no strategy knows
another. None splits a batch, none makes anything but a user's message the first by trimming.
"""
