"""The constellation's file: tables, connections, checks at opening, and queries.

The only importer of SQLite. Takes and gives values of the domain; must never know of documents, permissions
or what an edit means.
"""
