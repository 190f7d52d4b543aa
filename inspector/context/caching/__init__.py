"""Works out what a provider's prompt cache makes of a Request.

Nothing is asked of a provider. Of one whose rules are not known nothing is claimed.
"""
