"""A constellation in files of its own format: one JSON file or a folder.

Both hold the same; what is exported and imported again is the same constellation.
"""
