"""The tables of what can be imported. A new format is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePath

from inspector.domain.actor import IdGenerator
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Intent
from inspector.domain.edits.rows import PutTool
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.exchange import ImportPlan, ImportSource
from inspector.exchange.constellation import json_file
from inspector.exchange.constellation.folder_reading import read_folder
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.foreign_text import appearance_of, parse_foreign
from inspector.exchange.json_guard import DEFAULT_LIMITS, Json, ParsedJson, parse_json, read_bytes
from inspector.exchange.json_limits import JsonLimits
from inspector.exchange.letta import file_versions
from inspector.exchange.letta import reader as letta
from inspector.exchange.recorded import anthropic, bedrock, envelope, gemini, openai_chat, openai_responses
from inspector.exchange.recorded.body_text import BodyTexts
from inspector.exchange.recorded.exchanges import WRAPPINGS, Exchange, exchanges_in, is_recording, named
from inspector.exchange.recorded.plans import check_count
from inspector.exchange.recorded.rows import Reader

SEVERAL = "recorded-requests"
_MOST_WRAPPINGS = 3


@dataclass(frozen=True, slots=True)
class AgentFormat:
    """One format of files with agents: its id, the name that people read, how it is told, and its reader."""

    id: str
    title: str
    matches: Callable[[Json], bool]
    read: Callable[[Json, IdGenerator, ImportLog, str], ImportPlan]


@dataclass(frozen=True, slots=True)
class RequestForm:
    """One form of recorded requests: its id, the name that people read, and its reader."""

    id: str
    title: str
    read: Reader


AGENT_FORMATS: tuple[AgentFormat, ...] = (
    AgentFormat(json_file.FORMAT, "constellation export (JSON)", json_file.is_constellation, json_file.read),
    AgentFormat(file_versions.V2, "Letta Agent File (version 2)", file_versions.is_v2, letta.read),
    AgentFormat(file_versions.V1, "Letta Agent File (version 1)", file_versions.is_v1, letta.read),
)
REQUEST_FORMS: tuple[RequestForm, ...] = (
    RequestForm(envelope.ANTHROPIC, "Anthropic", anthropic.read),
    RequestForm(envelope.OLLAMA, "Ollama", openai_chat.read_ollama),
    RequestForm(envelope.CHAT, "OpenAI chat", openai_chat.read),
    RequestForm(envelope.RESPONSES, "OpenAI Responses", openai_responses.read),
    RequestForm(envelope.GEMINI, "Gemini", gemini.read),
    RequestForm(envelope.CONVERSE, "Bedrock Converse", bedrock.read),
)
UNDERSTOOD = (
    *(each.title for each in AGENT_FORMATS),
    f"requests to {' / '.join(each.title for each in REQUEST_FORMS)}, alone or in {' / '.join(WRAPPINGS)}",
)
_READERS = {each.id: each.read for each in REQUEST_FORMS}


def read_source(path: Path, limits: JsonLimits = DEFAULT_LIMITS) -> ImportSource:
    """What a file, or a folder that was exported, holds to import. Reads that and nothing else.

    Raises:
        NotFoundError: no such file.
        MalformedError: it cannot be read, with ``where`` and ``why``.
        InputError: the system refuses to read it.
    """
    if path.is_dir():
        plan = read_folder(path, ImportLog(), limits)
        return ImportSource((), lambda _ids, numbers: _whole(plan, numbers))
    return source_of(read_bytes(path, limits), origin=path.name, limits=limits)


def source_of(data: bytes, origin: str = "", limits: JsonLimits = DEFAULT_LIMITS) -> ImportSource:
    """As `read_source`, for bytes that are at hand."""
    parsed, twice = _unwrapped(parse_foreign(data, limits), limits)
    # The bytes of a large file and what is made of them need not be there together.
    del data

    def notes() -> ImportLog:
        made = ImportLog()
        if twice:
            made.info("import.encoded_twice", "1:1")
        for where in parsed.duplicate_keys:
            made.warn("import.duplicate_key", where)
        return made

    for each in AGENT_FORMATS:
        if each.matches(parsed.value):
            return ImportSource((), partial(_agents, each, parsed.value, notes, origin))
    exchanges, others = exchanges_in(parsed.value, BodyTexts(limits, parsed.spent))
    if not exchanges and is_recording(parsed.value):
        why = "no request to a model"
        raise MalformedError("import.no_requests", where="1:1", why=why, count=others, understood=UNDERSTOOD)
    if not exchanges:
        found = appearance_of(parsed)
        raise MalformedError("import.unknown_format", where="1:1", why=found, understood=UNDERSTOOD)
    rows = tuple(each.row(number) for number, each in enumerate(exchanges, start=1))

    def plan(ids: IdGenerator, numbers: Sequence[int]) -> ImportPlan:
        noted = notes()
        if others:
            noted.info("import.other_entries", "", count=others)
        return _picked(exchanges, numbers, ids, noted, origin)

    return ImportSource(rows, plan, others)


def _unwrapped(parsed: ParsedJson, limits: JsonLimits) -> tuple[ParsedJson, bool]:
    """The document itself where a file holds it as a JSON text, which may be one again; and whether it does."""
    twice = False
    for _ in range(_MOST_WRAPPINGS):
        if not isinstance(parsed.value, str) or parsed.written != "JSON":
            break
        twice = True
        parsed = parse_json(parsed.value.encode(), limits)
    return parsed, twice


def _agents(
    form: AgentFormat,
    value: Json,
    notes: Callable[[], ImportLog],
    origin: str,
    ids: IdGenerator,
    numbers: Sequence[int],
) -> ImportPlan:
    return _whole(form.read(value, ids, notes(), origin), numbers)


def _whole(plan: ImportPlan, numbers: Sequence[int]) -> ImportPlan:
    if numbers:
        raise InputError("import.nothing_to_pick")
    return plan


def _picked(
    exchanges: Sequence[Exchange], numbers: Sequence[int], ids: IdGenerator, notes: ImportLog, origin: str
) -> ImportPlan:
    """The plan of the rows with these numbers, all without any."""
    for number in numbers:
        if not 1 <= number <= len(exchanges):
            raise InputError("import.no_such_row", number=number, count=len(exchanges))
    wanted = sorted({*numbers}) or range(1, len(exchanges) + 1)
    if len(exchanges) == 1:
        return _read(exchanges[0].body, ids, notes, origin)
    stem = PurePath(origin).stem
    plans = [_read(named(exchanges[number - 1], number, stem), ids, notes, origin) for number in wanted]
    check_count(sum(agent.messages for plan in plans for agent in plan.agents))
    intents = _with_each_tool_once([intent for plan in plans for intent in plan.intents], notes)
    agents = tuple(agent for plan in plans for agent in plan.agents)
    form = plans[0].source_format if len(plans) == 1 else SEVERAL
    return ImportPlan(form, intents, agents, notes.problems, notes.kept, stem)


def _read(body: envelope.RecordedBody, ids: IdGenerator, notes: ImportLog, origin: str) -> ImportPlan:
    return _READERS[body.form](body, ids, notes, origin)


def _with_each_tool_once(intents: Sequence[Intent], notes: ImportLog) -> tuple[Intent, ...]:
    """A tool's name stands for one tool in the whole file: of several the first stays."""
    tools: dict[str, PutTool] = {}
    left = []
    for intent in intents:
        operation = intent.edit.operation
        if isinstance(operation, PutTool):
            first = tools.setdefault(operation.tool.name, operation)
            if first is not operation:
                if first != operation:
                    notes.warn("import.tool_differs", f"tool:{operation.tool.name}", name=operation.tool.name)
                continue
        left.append(intent)
    return tuple(left)
