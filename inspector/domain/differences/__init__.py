"""Compares two contents of a block and computes what an undo of a change leaves.

Texts are compared by code points and lines; items, entries, nodes and fields by their ids and names. Must never
know of documents, versions or who wrote what.
"""
