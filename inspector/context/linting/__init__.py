"""Lints an agent's context: pure functions from a snapshot and its Request to findings.

Each rule costs time in proportion to the texts. None of them changes anything, and none asks a model.
"""
