"""Keeps block contents as Loro documents. No other package imports that library.

Owns one `Document` per block: applying operations, merging updates, versions and their contents. Speaks
in domain values and bytes, raises only errors of ours, and must never know of files, rows, coroutines,
permissions or length limits.
"""
