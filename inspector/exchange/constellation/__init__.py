"""A whole constellation in files of its own format: one JSON file, or a folder that can be compared line by line.

Both hold the same; what is exported and imported again is the same constellation.
"""
