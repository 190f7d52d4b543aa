"""A constellation as rows: the neutral shape that formats of ours write and read.

Owns the JSON form of every row, what is checked when such rows come from outside, how they fit into a
constellation that has rows already, and how they are taken out of a file and put into one.
"""
