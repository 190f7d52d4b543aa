"""The provider's prompt cache, worked out here: its rules, where a Request is marked, what is read and written.

Nothing is asked of a provider. Of one whose rules are not known nothing is claimed.
"""
