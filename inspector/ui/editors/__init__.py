"""Editors of block contents, so far of text. They return operations and know no engine."""
