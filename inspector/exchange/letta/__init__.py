"""Imports and exports Letta Agent Files, versions 1 and 2.

Reads decoded JSON and gives a plan; never executes or fetches anything that a file names. The two versions
differ in where things stand (`sheets`), not in what they mean. Writes version 2 (`writer`), with what the format has no
place for `held` in metadata.
"""
