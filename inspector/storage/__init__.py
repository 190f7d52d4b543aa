"""The constellation file: its tables, connections, checks at the door, and the queries of each table family.

The only importer of SQLite. Takes and gives values of the domain; must never know of documents, permissions
or what an edit means.
"""
