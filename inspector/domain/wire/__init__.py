"""What goes out to a provider: values, and the rules that adapters share.

A Request as neutral values, what an adapter makes of it, which calls and results belong together, what a name may
hold, what an image is. Nothing here knows a provider's wire form, and nothing sends.
"""
