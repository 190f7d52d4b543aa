"""Requests that were recorded on their way to Anthropic's Messages, OpenAI's Chat Completions or Responses API.

One agent comes of one request: its system text as instructions, its tools, its conversation. What has no place of
its own is kept as metadata. A request that cannot be read is refused with its place; nothing of it is taken.
"""
