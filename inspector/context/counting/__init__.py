"""Counts tokens: exactly where the model's vocabulary is shipped, else by a labelled estimate.

Owns the tokenizers (the only importer of tiktoken), the chunk cache that makes an edit cost its own chunk,
and the costs of frames, tools and images. It never opens a connection and knows no Request.
"""
