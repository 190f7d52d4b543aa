"""A constellation as rows: the form that this program's own export formats read and write.

Owns the JSON form of every row, what is checked when such rows come from outside, how they are taken out of a file
and put into a new one, and what of them comes as ordinary edits into one that has contents already.
"""
