"""The engine as one object: opens a file, wires the packages below, and is all that a screen or a command sees.

Owns the doors (memory, conversation, context, drafts, exchange, files, settings, jobs), the order in which things
open and close, and the wording of codes. Must never know of Qt or of how a command line looks.
"""
