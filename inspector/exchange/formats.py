"""The formats that can be imported and exported, as tables. A new format is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportPlan
from inspector.domain.moments import IdGenerator
from inspector.exchange.constellation import header
from inspector.exchange.constellation.folder_reading import read_folder
from inspector.exchange.guard import DEFAULT_LIMITS, Json, Parsed, parse_json, read_bytes
from inspector.exchange.letta import reader as letta
from inspector.exchange.letta import sheets
from inspector.exchange.recorded import anthropic, envelope, openai_chat, openai_responses
from inspector.exchange.source import Notes, kind_of
from inspector.exchange.weighing import Limits

_MOST_WRAPPINGS = 3


@dataclass(frozen=True, slots=True)
class Format:
    """One format: its id, the name that people read, how it is told, and its reader."""

    id: str
    title: str
    matches: Callable[[Json], bool]
    read: Callable[[Json, IdGenerator, Notes, str], ImportPlan]


FORMATS: tuple[Format, ...] = (
    Format(header.FORMAT, "a constellation as JSON", header.is_constellation, header.read),
    Format(sheets.V2, "Letta Agent File, version 2", sheets.is_v2, letta.read),
    Format(sheets.V1, "Letta Agent File, version 1", sheets.is_v1, letta.read),
    Format(envelope.ANTHROPIC, "a recorded Anthropic request", envelope.is_anthropic, anthropic.read),
    Format(envelope.CHAT, "a recorded OpenAI chat request", envelope.is_chat, openai_chat.read),
    Format(
        envelope.RESPONSES, "a recorded OpenAI response request", envelope.is_responses, openai_responses.read
    ),
)


def detect(value: Json) -> Format:
    """The format of decoded JSON.

    Raises:
        MalformedError: none fits; ``understood`` names those that would.
    """
    for each in FORMATS:
        if each.matches(value):
            return each
    understood = tuple(each.title for each in FORMATS)
    raise MalformedError(
        "import.unknown_format",
        where="1:1",
        why=f"{kind_of(value)} of no format that is understood",
        understood=understood,
    )


def plan_import(path: Path, ids: IdGenerator, limits: Limits = DEFAULT_LIMITS) -> ImportPlan:
    """What importing a file, or a folder that was exported, would do. Reads that and nothing else.

    Raises:
        NotFoundError: no such file.
        MalformedError: it cannot be read, with ``where`` and ``why``.
        InputError: the system refuses to read it.
    """
    if path.is_dir():
        return read_folder(path, Notes(), limits)
    return plan_import_of(read_bytes(path, limits), ids, origin=path.name, limits=limits)


def plan_import_of(
    data: bytes, ids: IdGenerator, origin: str = "", limits: Limits = DEFAULT_LIMITS
) -> ImportPlan:
    """As `plan_import`, for bytes that are at hand."""
    notes = Notes()
    parsed = _unwrapped(parse_json(data, limits), notes, limits)
    # The bytes of a large file and what is made of them need not be there together.
    del data
    for where in parsed.duplicate_keys:
        notes.warn("import.duplicate_key", where)
    chosen = detect(parsed.value)
    return chosen.read(parsed.value, ids, notes, origin)


def _unwrapped(parsed: Parsed, notes: Notes, limits: Limits) -> Parsed:
    """The document itself where a file holds it as a JSON text, which may be one again."""
    for _ in range(_MOST_WRAPPINGS):
        if not isinstance(parsed.value, str):
            break
        notes.info("import.encoded_twice", "1:1")
        parsed = parse_json(parsed.value.encode(), limits)
    return parsed
