"""Renders block contents as the model reads them, one pure function per schema.

Owns the rendered text and the spans of its parts. Knows nothing of tags, headings, tokens or where the text goes.
"""
