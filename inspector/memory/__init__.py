"""Stores agents, blocks, attachments and archival entries. Every change is an operation in a transaction.

Owns who may write what, the order of a write's checks, the documents in memory, and when they are folded.
Must never know how a Request is built, what a message is, or that a screen exists.
"""
