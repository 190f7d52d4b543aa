"""The engine as one object: all that the window and the command line use.

Owns the doors (memory, conversation, context, drafts, exchange, files, settings, jobs), the order in which things
open and close, and the wording of codes. Must never know of Qt or of how a command line looks.
"""
