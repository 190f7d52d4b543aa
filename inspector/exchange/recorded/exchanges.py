"""Finds the requests to models that a file of recorded exchanges holds: cassettes, HAR, batches, lists of messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inspector.domain.dataclass import dataclass
from inspector.domain.exchange import ImportRow
from inspector.exchange.json_guard import Json
from inspector.exchange.recorded.body_text import BodyTexts
from inspector.exchange.recorded.envelope import RecordedBody, find_body, objects
from inspector.exchange.recorded.usage import Usage, input_usage, usage_of, usages_in

WRAPPINGS = ("VCR cassettes", "HAR files", "batch files", "lists of messages")
"""What may stand around recorded requests, for people."""

_LISTS = (("interactions",), ("http_interactions",), ("log", "entries"), ("requests",))
"""Where the entries stand: in cassettes of Python and Go, of Ruby, in HAR files, in Anthropic's batches."""
_CONTENTS = ("messages", "contents", "input")
_TEXTS = ("content", "parts", "text")
_INSTRUCTING = ("system", "developer")
_MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded request and what its reply was billed. `title` is the name that the file gives it."""

    body: RecordedBody
    title: str
    usage: Usage

    def row(self, number: int) -> ImportRow:
        """What people choose it by."""
        body = self.body.body
        contents = next((body[key] for key in _CONTENTS if key in body), None)
        model = next((found for key in ("model", "modelId") if isinstance(found := body.get(key), str)), "")
        return ImportRow(
            number,
            self.title,
            self.body.form,
            model or self.body.model,
            _words_of_user(contents)[:_MOST_WORDS],
            1 if isinstance(contents, str) else sum(not _instructs(each) for each in objects(contents)),
            *self.usage,
        )


def exchanges_in(value: Json, texts: BodyTexts) -> tuple[tuple[Exchange, ...], int]:
    """Every recorded request to a model in a decoded file, in its order, and how many other entries there are.

    Raises:
        MalformedError: a body written as a text passes a limit of the guard.
    """
    found, others = [], 0
    for where, entry in _entries(value):
        body = find_body(entry, where, texts)
        if body is None:
            others += 1
        else:
            title = entry.get("custom_id")
            title = title.strip() if isinstance(title, str) else ""
            usages = usages_in(entry, where, texts)
            body = replace(body, usage=input_usage(usages))
            found.append(Exchange(body, title, usage_of(usages)))
    return tuple(found), others


def is_recording(value: Json) -> bool:
    """Whether a decoded file is laid out as one of recorded exchanges, whatever they are."""
    return isinstance(value, dict) and _listed(value) is not None


def named(exchange: Exchange, number: int, stem: str) -> RecordedBody:
    """Its body, named so that it can be told from the others of its file."""
    return replace(exchange.body, name=exchange.title or f"{stem} {number}".strip())


def _entries(value: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """The objects that may each be an exchange, with their paths."""
    if isinstance(value, list):
        if contents := _bare_contents(value):
            yield "", {contents: value}
        else:
            yield from _members("", value)
    elif isinstance(value, dict):
        listed = _listed(value)
        if listed is None:
            yield "", value
        else:
            yield from _members(*listed)


def _listed(value: dict[str, Json]) -> tuple[str, list[Json]] | None:
    """The list that a recorder's file has its entries in, with its path."""
    for path in _LISTS:
        inner: Json = value
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, list):
            return ".".join(path), inner
    return None


def _members(path: str, entries: list[Json]) -> Iterator[tuple[str, dict[str, Json]]]:
    for index, entry in enumerate(entries):
        if isinstance(entry, dict):
            yield f"{path}[{index}]", entry


def _bare_contents(value: list[Json]) -> str:
    """The field of a body that a bare list would be; empty if it is none."""
    first = value[0] if value and isinstance(value[0], dict) else {}
    if "role" not in first:
        return ""
    return "contents" if "parts" in first else "messages" if "content" in first else ""


def _words_of_user(contents: Json) -> str:
    """The beginning of what a user said first, in one line."""
    if isinstance(contents, str):
        return _line(contents)
    spoken = [each for each in objects(contents) if not _instructs(each)]
    said = next((line for each in spoken if each.get("role") == "user" and (line := _words(each))), "")
    return said or next((line for each in spoken if (line := _words(each))), "")


def _words(message: dict[str, Json]) -> str:
    for key in _TEXTS:
        content = message.get(key)
        if isinstance(content, str) and content.strip():
            return _line(content)
        for block in objects(content):
            text = block.get("text")
            if isinstance(text, str) and text.strip():
                return _line(text)
    return ""


def _line(text: str) -> str:
    return " ".join(text[: 4 * _MOST_WORDS].split())


def _instructs(message: dict[str, Json]) -> bool:
    return message.get("role") in _INSTRUCTING
