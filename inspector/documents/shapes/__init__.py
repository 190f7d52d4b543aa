"""How each schema's content lies in a Loro document: one file per schema, none of which knows another.

Owns the containers' names and every operation's effect on them. A shape checks an operation completely
before it touches a container, so that a refused one leaves the document as it was.
"""
