"""Import and export formats: foreign files become plans of edits, and our values become foreign files.

Owns the door for foreign JSON, the table of formats, one package or module per format, and the reader of the
sample constellation. Pure: it reads the file it is given and never knows a store, a database or a screen.
"""
