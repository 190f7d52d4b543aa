"""The table of import and export formats. A new format is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inspector.domain.actor import IdGenerator
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportPlan
from inspector.exchange.constellation import json_file
from inspector.exchange.constellation.folder_reading import read_folder
from inspector.exchange.field_reader import ImportLog, kind_of
from inspector.exchange.json_guard import DEFAULT_LIMITS, Json, ParsedJson, parse_json, read_bytes
from inspector.exchange.json_limits import JsonLimits
from inspector.exchange.letta import file_versions
from inspector.exchange.letta import reader as letta
from inspector.exchange.recorded import anthropic, envelope, gemini, openai_chat, openai_responses

_MOST_WRAPPINGS = 3


@dataclass(frozen=True, slots=True)
class ExchangeFormat:
    """One format: its id, the name that people read, how it is told, and its reader."""

    id: str
    title: str
    matches: Callable[[Json], bool]
    read: Callable[[Json, IdGenerator, ImportLog, str], ImportPlan]


FORMATS: tuple[ExchangeFormat, ...] = (
    ExchangeFormat(
        json_file.FORMAT, "constellation export (JSON)", json_file.is_constellation, json_file.read
    ),
    ExchangeFormat(file_versions.V2, "Letta Agent File (version 2)", file_versions.is_v2, letta.read),
    ExchangeFormat(file_versions.V1, "Letta Agent File (version 1)", file_versions.is_v1, letta.read),
    ExchangeFormat(envelope.ANTHROPIC, "recorded Anthropic request", envelope.is_anthropic, anthropic.read),
    ExchangeFormat(envelope.OLLAMA, "recorded Ollama request", envelope.is_ollama, openai_chat.read_ollama),
    ExchangeFormat(envelope.CHAT, "recorded OpenAI chat request", envelope.is_chat, openai_chat.read),
    ExchangeFormat(
        envelope.RESPONSES, "recorded OpenAI Responses request", envelope.is_responses, openai_responses.read
    ),
    ExchangeFormat(envelope.GEMINI, "recorded Gemini request", envelope.is_gemini, gemini.read),
)


def detect(value: Json) -> ExchangeFormat:
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


def plan_import(path: Path, ids: IdGenerator, limits: JsonLimits = DEFAULT_LIMITS) -> ImportPlan:
    """What importing a file, or a folder that was exported, would do. Reads that and nothing else.

    Raises:
        NotFoundError: no such file.
        MalformedError: it cannot be read, with ``where`` and ``why``.
        InputError: the system refuses to read it.
    """
    if path.is_dir():
        return read_folder(path, ImportLog(), limits)
    return plan_import_of(read_bytes(path, limits), ids, origin=path.name, limits=limits)


def plan_import_of(
    data: bytes, ids: IdGenerator, origin: str = "", limits: JsonLimits = DEFAULT_LIMITS
) -> ImportPlan:
    """As `plan_import`, for bytes that are at hand."""
    notes = ImportLog()
    parsed = _unwrapped(parse_json(data, limits), notes, limits)
    # The bytes of a large file and what is made of them need not be there together.
    del data
    for where in parsed.duplicate_keys:
        notes.warn("import.duplicate_key", where)
    value = parsed.value
    if not any(each.matches(value) for each in FORMATS):
        value = envelope.with_body(value, limits, parsed.spent)
    return detect(value).read(value, ids, notes, origin)


def _unwrapped(parsed: ParsedJson, notes: ImportLog, limits: JsonLimits) -> ParsedJson:
    """The document itself where a file holds it as a JSON text, which may be one again."""
    for _ in range(_MOST_WRAPPINGS):
        if not isinstance(parsed.value, str):
            break
        notes.info("import.encoded_twice", "1:1")
        parsed = parse_json(parsed.value.encode(), limits)
    return parsed
