"""Scores the importance of a message from its text and role, without asking a model."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inspector.domain.messages import Message, Role, TextPart, ToolCallPart, ToolResultPart

ROLE_SCORES = {Role.USER: 2.0, Role.SYSTEM: 1.5, Role.ASSISTANT: 1.0, Role.TOOL: 0.5}
"""A person's words weigh most: all else can be worked out from them."""
FIRST_SCORE = 2.0
"""The conversation's first batch says what it is about."""
QUESTION_SCORE = 0.75
KEYWORD_SCORE = 0.5
KEYWORDS_COUNTED = 3
CALL_SCORE = 0.5
CALLS_COUNTED = 2
LENGTH_SCORE = 0.25
LENGTH_STEPS = (80, 320, 1280)
"""Characters: from each of these lengths on a message says a little more."""

_QUESTION = re.compile("[?\uff1f\u061f\u037e](?=\\s|$|[\"')\\]])")
_KEYWORDS = re.compile(
    r"\b(?:important|remember|always|never|must|decid\w*|agreed?|deadline|because|error|fail\w*|fixed"
    r"|prefer\w*|promis\w*|name is|todo|plan)\b",
    re.IGNORECASE,
)
_MOST_READ = 20_000
"""Characters of a message that are searched for keywords."""


def message_score(message: Message) -> float:
    """The score of one message: role, length, question, keywords, tool calls."""
    texts = [_text(part) for part in message.content]
    length = sum(map(len, texts))
    score = ROLE_SCORES[message.role] + LENGTH_SCORE * sum(length >= step for step in LENGTH_STEPS)
    calls = sum(isinstance(part, ToolCallPart) for part in message.content)
    score += CALL_SCORE * min(calls, CALLS_COUNTED)
    if message.role in (Role.USER, Role.SYSTEM, Role.ASSISTANT):
        said = "\n".join(texts)[:_MOST_READ]
        score += QUESTION_SCORE if _QUESTION.search(said) else 0.0
        found = {match.group().lower() for match in _KEYWORDS.finditer(said)}
        score += KEYWORD_SCORE * min(len(found), KEYWORDS_COUNTED)
    return score


def importance(messages: Iterable[Message]) -> float:
    """The score of a batch: its most important message's. A mean would speak against long batches."""
    return max(map(message_score, messages), default=0.0)


def _text(part: object) -> str:
    if isinstance(part, TextPart):
        return part.text
    return part.content if isinstance(part, ToolResultPart) else ""
