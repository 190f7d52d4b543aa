"""Exports one Request for people and other programs.

Everything in a Request is untrusted here: no text of it becomes markup, a formula or a word of a command. Nothing is
sent, and no key is ever known here.
"""
