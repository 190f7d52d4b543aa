"""The tools that an agent can call: those of its memory, and what a program registers.

A tool gets the call's arguments and a `ToolUse`, and gives the text that the model reads. What it changes goes through
the same door as every edit, as the agent. It knows nothing of turns, providers or screens.
"""
