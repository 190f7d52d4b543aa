"""Short names for pieces of a Request: messages and events by their first words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from inspector.domain.activity import EventKind
from inspector.domain.agents import Agent
from inspector.domain.requests import Piece, Source, SourceKind
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr

_LENGTH = 90
_LARGEST_PACKED = 100_000
"""Characters of an object that is looked into."""
_OWN_KINDS = frozenset(EventKind)
_CALL = "=== call "
"""How the text form begins what a message calls."""


def name_of(piece: Piece) -> str:
    """A piece by what is in it, where its source's label tells one from another no better than its kind does."""
    source = piece.source
    if source.kind is SourceKind.EVENT:
        return _first_words(piece) or name_of_source(source)
    if source.kind is SourceKind.MESSAGE and not source.batch:
        words = " ".join(each for each in (_called(piece), _first_words(piece)) if each)
        label = source.label or tr("message")
        return tr("{role}: {words}", role=label, words=words) if words else label
    return source.label or source.id or piece.id


def name_of_layout(layout: str, agents: Sequence[Agent]) -> str:
    """A layout's name; one that was imported for an agent carries the agent's id, and shows its name."""
    return layout_name(layout, {each.id: each.name for each in agents})


def layout_name(layout: str, names: Mapping[str, str]) -> str:
    """The same, with the agents' names by id."""
    first, _, id_ = layout.rpartition(" ")
    name = names.get(id_, "") if first else ""
    return f"{first} {name}" if name else layout


def name_of_source(source: Source) -> str:
    """A source of which no text is at hand."""
    if source.kind is SourceKind.EVENT and source.label:
        return source.label.replace("_", " ")
    return source.label or source.id or tr(source.kind.value)


def said_in(text: str) -> str:
    """What somebody said: of a message that another program packed into an object with its time, the message."""
    if text.startswith("{") and len(text) <= _LARGEST_PACKED:
        try:
            packed = json.loads(text)
        except ValueError:
            return text
        said = packed.get("message") if isinstance(packed, dict) else None
        return said if isinstance(said, str) and said.strip() else text
    return text


def kind_name(kind: str) -> str:
    """A stored kind of event as words, those of this program's own kinds in the user's language."""
    words = " ".join(kind.replace("_", " ").split()).capitalize() or tr("no kind")
    return tr(words) if kind in _OWN_KINDS else words


def _first_words(piece: Piece) -> str:
    is_message = piece.source.kind is SourceKind.MESSAGE
    texts = (said_in(run.text) if is_message else run.text for run in piece.runs if run.sent)
    return next((words for text in texts if (words := one_line(text, _LENGTH))), "")


def _called(piece: Piece) -> str:
    """The tool that a message calls first, where it says nothing before."""
    for run in piece.runs:
        if run.sent:
            return ""
        if run.text.startswith(_CALL):
            return one_line(run.text.removeprefix(_CALL).partition(" ")[0], _LENGTH)
    return ""
