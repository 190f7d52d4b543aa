"""Import and export formats: foreign files become plans of operations, and back.

Owns the door for foreign JSON, the tables of formats, one package for each format (Agent Files, a constellation's own
file and folder, the sample), and `rows`, the neutral shape of a whole constellation that they share. Readers are pure:
they read the file they are given and never know a store. Only `rows` takes rows out of an open file and puts them into
one, inside a read or write of the caller's. Nothing here knows a screen.
"""
