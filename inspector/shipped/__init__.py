"""Reads what ships in `resources`: vocabularies, model facts, themes, icons, words and layouts.

Every file is checked against a shape when it is read; an error names the file and the place in it. Results are
immutable and cached. This package knows no database, no network and no screen, builds no tokenizer, and never
writes a file.
"""
