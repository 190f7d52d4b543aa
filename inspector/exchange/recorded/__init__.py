"""Imports requests recorded on their way to a provider.

One agent comes of one request: its system text as instructions, its tools, its conversation. What has no place of
its own is kept as metadata. A request that cannot be read is refused with its place; nothing of it is taken.
"""
