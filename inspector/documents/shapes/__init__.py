"""How the content of each schema lies in a Loro document, one module per schema.

Owns the containers' names and every operation's effect on them. A shape checks an operation completely
before it touches a container, so that a refused one leaves the document as it was.
"""
