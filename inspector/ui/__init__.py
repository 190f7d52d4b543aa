"""The window: Qt over the engine's values.

Owns everything that is drawn, every shortcut and the loop that both Qt and the coroutines run on. Sees only
`inspector.runtime` (the engine as one object) and `inspector.domain` (values). Must never know of a document, a
database or the network, and never holds a state that a record depends on.
"""
