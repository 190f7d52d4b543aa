"""One Request written for people and other programs: Markdown, a table, a command that sends it, a report to pass on.

Everything in a Request is untrusted here: no text of it becomes markup, a formula or a word of a command. Nothing is
sent, and no key is ever known here.
"""
