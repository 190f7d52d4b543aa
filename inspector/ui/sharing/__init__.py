"""Sharing in the window: who sees a block, the matrix of blocks and agents, and what an edit changes for each."""
