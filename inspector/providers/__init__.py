"""Provider adapters, one per module: from a Request as neutral values to the provider's JSON.

Adapters are pure: they read no file and open no connection. None knows another; what they share are the rules of
`domain.wire`. Each lists what it had to change, so that nobody takes the neutral Request for what is sent.
"""
