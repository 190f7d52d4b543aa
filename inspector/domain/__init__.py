"""The values and pure rules that all other packages share: agents, blocks, messages, Requests.

Owns every value that crosses a layer: references, blocks, edits, messages, the Request and its account.
Imports only the standard library's pure parts and must never know of files, clocks, coroutines,
Loro, SQLite or a screen.
"""
