"""Makes a summary with a model and checks what comes back.

A model's reply is text of others: it is read as sections where it has them, and as plain text otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC
from typing import Protocol

from inspector.domain.errors import InputError
from inspector.domain.losses import losses_of
from inspector.domain.rendering.summary import summary_text
from inspector.domain.summaries import SummaryDetails
from inspector.domain.summarising import (
    FoldOptions,
    Losses,
    Proposal,
    SummaryDraft,
    SummarySource,
    message_text,
    summary_source_text,
    with_facts,
)

Count = Callable[[str], int]
"""Counts the tokens of a text."""

NOT_SMALLER = "summary.not_smaller"


class Summariser(Protocol):
    """Makes a summary of a source. It stores nothing and may fail with any error of ours."""

    @property
    def name(self) -> str:
        """What it is called where a summary says who made it."""
        ...

    async def summarise(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        """A summary of `most_tokens` at most, as far as it can."""
        ...


class TextModel(Protocol):
    """A model that answers a text with a text."""

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: str, most_tokens: int) -> str: ...


class ModelSummariser:
    """Has a model make the summary.

    Args:
        model: The model.
        prompt: What it is told before the source. ``{tokens}`` in it is the most that it may take.
    """

    def __init__(self, model: TextModel, prompt: str) -> None:
        self._model = model
        self._prompt = prompt

    @property
    def name(self) -> str:
        return self._model.name

    async def summarise(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        reply = await self._model.complete(self.prompt(source, most_tokens), most_tokens)
        return read_draft(reply)

    def prompt(self, source: SummarySource, most_tokens: int) -> str:
        """All that the model is told.

        Every message is one line of JSON: nothing that stands in it can look like an instruction's end.
        """
        lines = [self._prompt.replace("{tokens}", str(most_tokens))]
        if source.previous is not None:
            lines.append(_row("previous_summary", summary_source_text(source.previous)))
        if source.query:
            lines.append(_row("question", source.query))
        lines.extend(_row(each.role.value, message_text(each)) for each in source.messages)
        lines.extend(_row("summary", summary_source_text(each)) for each in source.children)
        return "\n".join(lines)


def read_draft(reply: str) -> SummaryDraft:
    """A reply as a draft: the text up to the first section, then the sections that a summary has."""
    content: list[str] = []
    found: dict[str, list[str]] = {name: [] for name in _SECTIONS.values()}
    current: list[str] | None = None
    for line in reply.strip().splitlines():
        name, rest = _heading(line)
        if name is not None:
            current = found[name]
            line = rest
            if name == "topics":
                current.extend(item.strip() for item in rest.split(",") if item.strip())
                continue
        if current is None:
            content.append(line)
        elif line.strip():
            current.append(line.strip().lstrip("-*• ").strip())
    details = SummaryDetails(
        tuple(filter(None, found["decisions"])),
        tuple(filter(None, found["facts"])),
        tuple(filter(None, found["tasks"])),
        tuple(filter(None, found["entities"])),
    )
    return SummaryDraft("\n".join(content).strip(), tuple(found["topics"]), details)


def checked(
    source: SummarySource, draft: SummaryDraft, options: FoldOptions, count: Count, made_by: str
) -> Proposal:
    """A draft that may be stored: it says something and is smaller than what it stands for.

    What was pinned and lost is put back word for word, and counts.

    Raises:
        InputError: ``summary.empty``, ``summary.not_smaller`` with both numbers.
    """
    if draft.is_empty:
        raise InputError("summary.empty", summariser=made_by)
    text = source.text
    reported = _rendered(source, draft)
    put_back = tuple(each for each in options.pinned if each in text and each not in reported)
    if put_back:
        draft = with_facts(draft, put_back)
        reported = _rendered(source, draft)
    before, after = count(as_read(source)), count(reported)
    if after >= before:
        raise InputError(NOT_SMALLER, summariser=made_by, tokens=after, source=before)
    return Proposal(source, draft, losses_of(source, reported), before, after, made_by, put_back)


def most_tokens(source: SummarySource, options: FoldOptions, count: Count) -> int:
    """What a summary of a source should take at most."""
    return max(1, int(count(as_read(source)) * options.share))


def as_read(source: SummarySource) -> str:
    """A source as a model reads it where it is not summarised: what a summary has to be smaller than."""
    return "\n\n".join(
        (*map(message_text, source.messages), *(summary_text(each, UTC) for each in source.children))
    )


def _rendered(source: SummarySource, draft: SummaryDraft) -> str:
    proposal = Proposal(source, draft, Losses(), source_tokens=0, tokens=0, made_by="")
    return summary_text(proposal.as_summary("", source.end), UTC)


def _row(kind: str, text: str) -> str:
    return json.dumps({"from": kind, "text": text}, ensure_ascii=False)


def _heading(line: str) -> tuple[str | None, str]:
    """The section that a line begins, and what else stands on it."""
    head, colon, rest = line.strip().lstrip("#* ").partition(":")
    name = _SECTIONS.get(head.strip("* ").casefold())
    if name is None or not (colon or line.lstrip().startswith("#")):
        return None, line
    return name, rest.strip("* ")


_SECTIONS = {
    "topics": "topics",
    "key decisions": "decisions",
    "decisions": "decisions",
    "facts learned": "facts",
    "facts": "facts",
    "open tasks": "tasks",
    "tasks": "tasks",
    "entities": "entities",
}
