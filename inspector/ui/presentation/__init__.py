"""Rows, cards and fixes that panels show, as values made from the state of the file."""
