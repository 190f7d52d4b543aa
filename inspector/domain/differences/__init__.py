"""What differs between two contents, and what a content is once a change is taken back: pure functions.

Texts are compared by code points and lines; items, entries, nodes and fields by their ids and names. Must never
know of documents, versions or who wrote what.
"""
