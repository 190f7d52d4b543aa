"""Reads what the forms of recorded requests share: parts, results, system texts, tools and parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from inspector.domain.actor import IdGenerator
from inspector.domain.agents import Tool
from inspector.domain.codec import kind_of
from inspector.domain.errors import MalformedError
from inspector.domain.exchange import ImportPlan
from inspector.domain.messages import (
    ImagePart,
    Part,
    ProviderPart,
    Role,
    TextPart,
    ToolResultPart,
)
from inspector.domain.wire.objects import AS_TEXT
from inspector.domain.wire.parameters import AS_RECORDED, EXTRA_BODY, is_parameter
from inspector.exchange.field_reader import FieldReader, ImportLog
from inspector.exchange.image_size import image_part
from inspector.exchange.json_guard import Json
from inspector.exchange.planning import json_text
from inspector.exchange.recorded.envelope import RecordedBody
from inspector.exchange.recorded.plans import RecordedMessage, RecordedRequest, form_of, plan_of

_CONTENTS = frozenset({"messages", "input", "contents"})
"""Fields of a body whose contents become rows of their own."""


def malformed(where: str, why: str) -> MalformedError:
    """The refusal of a request that cannot be read."""
    return MalformedError("import.malformed", where=where, why=why)


Fill = Callable[[FieldReader, RecordedRequest], None]
"""Reads a body into what is made of it."""
Reader = Callable[[RecordedBody, IdGenerator, ImportLog, str], ImportPlan]
"""Takes a recorded request, and the name of the file that it is from."""


def read_request(form: str, provider: str, fill: Fill, spellings: Mapping[str, str] | None = None) -> Reader:
    """The reader of a form; it stores nothing.

    What it returns raises MalformedError, with the path of what cannot be read. `spellings` are other names that
    the form's fields come under.
    """

    def read(found: RecordedBody, ids: IdGenerator, notes: ImportLog, origin: str) -> ImportPlan:
        record = FieldReader(found.body, found.where, notes).spelled(spellings or {})
        recorded = RecordedRequest(form, provider, record.text("model") or found.model, name=found.name)
        fill(record, recorded)
        _keep_rest(record, recorded)
        recorded.kept |= found.usage
        if found.around:
            recorded.kept |= FieldReader(found.around, found.place, notes).rest()
        return plan_of(recorded, ids, notes, origin)

    return read


def _keep_rest(record: FieldReader, recorded: RecordedRequest) -> None:
    """Keep what no reader took: fields are sent again as they came, what is left of contents is metadata."""
    rest = record.untaken(with_empty=True)
    body = {key: value for key, value in rest.items() if key not in _CONTENTS}
    recorded.parameters[EXTRA_BODY] = {form_of(recorded.form): body}
    if recorded.layout:
        recorded.parameters[AS_RECORDED] = {form_of(recorded.form): recorded.layout}
    for key in (key for key in _CONTENTS & rest.keys() if rest[key]):
        recorded.kept[key] = rest[key]
        record.notes.keep(record.path(key))


def provider_part(block: FieldReader, source_format: str, kind: str) -> ProviderPart:
    """A part that has no neutral form, to be sent again as it came."""
    block.notes.info("import.provider_part", block.where, kind=kind[:60])
    return ProviderPart(form_of(source_format), kind[:60], json_text(block.as_it_came()))


def provider_tool(tool: FieldReader) -> dict[str, Json]:
    """A tool that the provider runs itself, to be sent again as it came."""
    tool.notes.info("import.provider_tool", tool.where, kind=str(tool.peek("type"))[:60])
    return tool.as_it_came()


def read_role(message: FieldReader, roles: Mapping[str, Role]) -> Role:
    """The role of a message, by the form's own names.

    Raises:
        MalformedError: there is none, or none of these.
    """
    said = needed_text(message, "role")
    if said not in roles:
        raise malformed(message.path("role"), f"unknown role {said[:40]!r}")
    return roles[said]


def read_parts(message: FieldReader, key: str, read_part: Callable[[FieldReader], Part]) -> list[Part]:
    """What stands under a key, a text or a list of blocks.

    Raises:
        MalformedError: it is neither.
    """
    content = message.peek(key)
    if isinstance(content, str):
        message.drop(key)
        message.leave(AS_TEXT, key if content else "")
        return [TextPart(content)] if content else []
    if not isinstance(content, list):
        raise malformed(message.path(key), f"a text or a list is needed, not {kind_of(content)}")
    return [with_extra(read_part(block), block) for block in message.records(key)]


def with_extra(part: Part, block: FieldReader) -> Part:
    """The part with what no reader took of its block, to be sent again as it came."""
    if isinstance(part, ProviderPart):
        return part
    extra = block.untaken(with_empty=True)
    return replace(part, extra_body=json_text(extra)) if extra else part


def result_of(call_id: str, parts: Iterable[Part], *, is_error: bool = False) -> list[Part]:
    """The result of a call and behind it the parts within it: its own text is the first, if that is a plain one."""
    within = list(parts)
    text = ""
    if within and isinstance(within[0], TextPart) and not within[0].extra_body:
        text = within[0].text
        del within[0]
    return [ToolResultPart(call_id, text, is_error), *within]


def rows_of(message: FieldReader, role: Role, blocks: Iterable[Sequence[Part]]) -> list[RecordedMessage]:
    """The rows of one message, by its blocks: results, with the parts within each, are a tool's, the rest its own."""
    rows: list[RecordedMessage] = []
    for parts in blocks:
        speaker = Role.TOOL if isinstance(parts[0], ToolResultPart) else role
        if not rows or rows[-1].role is not speaker:
            rows.append(RecordedMessage(message.where, speaker, ()))
        rows[-1].parts += tuple(parts)
    rows = rows or [RecordedMessage(message.where, role, ())]
    rows[0].extra = message.untaken(with_empty=True)
    return rows


def system_texts(content: FieldReader, key: str) -> tuple[list[str], list[Json] | None] | None:
    """The texts under a key, with the further fields of each if they are blocks; None if not all are texts."""
    if isinstance(content.peek(key), str):
        return [content.text(key)], None
    value = content.peek(key)
    blocks = value if isinstance(value, list) else [None]
    if any(not isinstance(block, dict) or not isinstance(block.get("text"), str) for block in blocks):
        return None
    records = content.records(key)
    return [block.text("text") for block in records], [block.untaken(with_empty=True) for block in records]


def image_at(url: str) -> ImagePart:
    """An image by its address, which may hold its data."""
    head = url[5:].partition(",")[0] if url.startswith("data:") else ""
    return image_part(head.partition(";")[0], url)


def needed_text(record: FieldReader, key: str) -> str:
    """A text that must be there.

    Raises:
        MalformedError: it is not.
    """
    found = record.take(key)
    if not isinstance(found, str) or not found:
        raise malformed(record.path(key), "a text is needed")
    return found


def read_parameters(record: FieldReader, names: Mapping[str, str]) -> dict[str, Json]:
    """The parameters that there is a neutral name for; `names` gives it by the form's own.

    A value that such a parameter cannot have stays with the form's own fields.
    """
    found: dict[str, Json] = {}
    for own, neutral in names.items():
        value = record.peek(own)
        if neutral == "stop" and isinstance(value, str) and value:
            record.leave(AS_TEXT, own)
            value = [value]
        if neutral not in found and is_parameter(neutral, value):
            record.drop(own)
            found[neutral] = value
    return found


def read_tool(
    record: FieldReader, schema_key: str, source_format: str, around: FieldReader | None = None
) -> Tool:
    """Read the definition of one tool; what has no place of its own is sent again as it came.

    `around` is the object that the definition stands in, if it stands in one.

    Raises:
        MalformedError: it has no name.
    """
    name = needed_text(record, "name")
    description = record.text("description")
    schema = record.record(schema_key)
    parameters: Json = {} if schema is None else schema.whole()
    extra = record.untaken(with_empty=True)
    if around is not None:
        extra = {**around.untaken(with_empty=True), **({"function": extra} if extra else {})}
    metadata = json_text({EXTRA_BODY: {form_of(source_format): extra}})
    return Tool(name, description, json_text(parameters), metadata=metadata)
