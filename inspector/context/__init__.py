"""Builds the Request of an agent and its account from a snapshot.

Owns the choice of what goes in, the budget, layouts, framing and counting. Everything here is synchronous and
pure but for caches and the reading of shipped vocabularies: same inputs, same Request. It must never know of
the database, documents, an event loop or a screen.
"""
