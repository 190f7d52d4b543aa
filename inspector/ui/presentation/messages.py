"""The lines of the message list, and the parts of a message as pages to read and edit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime

from inspector.domain.counts import Count, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ArchiveMessage, EditMessage
from inspector.domain.messages import (
    Batch,
    ImagePart,
    Message,
    Part,
    ProviderPart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
    call_names,
)
from inspector.domain.requests import Request, SourceKind
from inspector.domain.turns import was_stopped
from inspector.ui.editors.page_part import PagePart
from inspector.ui.presentation.names import said_in
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import counted, local_time, moment, number, tokens, tr, tr_count

_FIRST_WORDS = 400
"""Characters of a part that its line is made of."""
_ROLES: dict[Role, tuple[Callable[[], str], str]] = {
    Role.SYSTEM: (lambda: tr("system"), "muted"),
    Role.USER: (lambda: tr("user"), "info"),
    Role.ASSISTANT: (lambda: tr("assistant"), "ok"),
    Role.TOOL: (lambda: tr("result"), "text"),
}


def role_name(role: Role) -> str:
    """Who speaks, in the word that lists of messages use."""
    return _ROLES[role][0]()


@dataclass(frozen=True)
class SentFigures:
    """The tokens of the messages that a Request holds, by id, and those that it holds in another form."""

    counts: Mapping[str, Count] = field(default_factory=dict)
    shortened: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def of(cls, request: Request | None) -> SentFigures:
        """The figures of a Request; none where none can be built."""
        if request is None:
            return cls()
        counts = {
            piece.source.id: Count(piece.tokens, piece.method)
            for section in request.sections
            for piece in section.pieces
            if piece.source.kind is SourceKind.MESSAGE and piece.source.id and not piece.source.batch
        }
        return cls(counts, frozenset(sent.id for sent in request.messages if sent.content is not None))


@dataclass(frozen=True)
class BatchLines:
    """A batch that was read, with the tokens of each of its messages as they stand."""

    batch: Batch
    counts: Mapping[str, Count]

    def message_at(self, position: int) -> Message | None:
        return next((each for each in self.batch.messages if each.position == position), None)

    def heading(self, sent: SentFigures, now: datetime) -> RecordRow:
        """The line above its messages."""
        live = [message for message in self.batch.messages if not message.is_deleted]
        shown = live or list(self.batch.messages)
        count = _sum([_count(message, self.counts, sent) for message in live])
        parts = (
            moment(shown[0].created_at, now),
            tr(shown[0].batch_type.value.replace("_", " ")),
            tr_count("{count} message", "{count} messages", len(shown)),
            tokens(count) if count is not None else "",
        )
        text = tr("Turn · {facts}", facts=" · ".join(part for part in parts if part))
        note = _broken(self.batch)
        spoken = ", ".join(part for part in (text, note) if part)
        return RecordRow(text, note=note, note_tone="warning", heading=True, spoken=spoken)

    def row(self, message: Message, sent: SentFigures, now: datetime, *, unsaved: bool = False) -> RecordRow:
        """The line of one message; `unsaved`, whether an edit of it isn't saved."""
        lead, tone = _ROLES[message.role]
        names = call_names(self.batch.messages)
        words = _words(message.content, names)
        note, note_tone = (tr("unsaved edit"), "warning") if unsaved else _state(message, sent)
        count = _count(message, self.counts, sent)
        row = RecordRow(
            words or message.problem or tr("(empty)"),
            lead(),
            note,
            "" if count is None else counted(count),
            f"{local_time(message.created_at):%H:%M}",
            "error" if message.problem or _failed(message) else tone,
            note_tone,
            depth=1 if message.role is Role.TOOL else 0,
            inside=message.id in sent.counts,
            quiet=message.id not in sent.counts,
            tip=f"{moment(message.created_at, now)}\n{one_line(words, 600)}",
        )
        said = (row.lead, row.text, row.note, "" if count is None else tokens(count), row.time)
        place = tr("in the Request") if row.inside else tr("not in the Request")
        return replace(row, spoken=", ".join(part for part in (*said, place) if part))

    def pages(self, message: Message) -> tuple[PagePart, ...]:
        """All parts of a message, then what belongs to its calls and results in other messages."""
        names = call_names(self.batch.messages)
        own = tuple(_page(part, names) for part in message.content)
        if not own:
            own = (PagePart(tr("Text"), message.problem or "", tr("this message has no parts")),)
        return (*own, *self._partners(message, names))

    def texts(self, message: Message, parts: Sequence[Part]) -> tuple[str, ...]:
        """The texts of a message's pages with other parts in it."""
        return tuple(page.text for page in self.pages(replace(message, content=tuple(parts))))

    def _partners(self, message: Message, names: Mapping[str, str]) -> tuple[PagePart, ...]:
        calls = {part.id for part in message.content if isinstance(part, ToolCallPart)}
        results = {part.call_id for part in message.content if isinstance(part, ToolResultPart)}
        elsewhere = tr("this is another message")
        return tuple(
            replace(_page(part, names), why_not=elsewhere)
            for other in self.batch.messages
            if other.id != message.id
            for part in other.content
            if (isinstance(part, ToolResultPart) and part.call_id in calls)
            or (isinstance(part, ToolCallPart) and part.id in results)
        )


def edited(message: Message, parts: Sequence[Part]) -> tuple[Part, ...]:
    """What is saved of drafted parts: a text part that was emptied is gone."""
    return tuple(part for part in parts if part != TextPart("") or part in message.content)


def refused_texts(message: Message, parts: Sequence[Part]) -> str:
    """Why a message can't be saved with these parts, nothing when it can."""
    if not parts:
        return tr("The message would be empty. Archive or delete it instead.")
    before = {part.id: part.arguments for part in message.content if isinstance(part, ToolCallPart)}
    for part in parts:
        if not isinstance(part, ToolCallPart) or part.arguments == before.get(part.id):
            continue
        try:
            is_object = isinstance(json.loads(part.arguments), dict)
        except json.JSONDecodeError as error:
            place = tr("line {line}, column {column}", line=number(error.lineno), column=number(error.colno))
            return tr("The arguments of {tool} aren't JSON: look at {place}.", tool=part.name, place=place)
        except (ValueError, RecursionError):
            return tr("The arguments of {tool} can't be read.", tool=part.name)
        if not is_object:
            return tr("The arguments of {tool} aren't a JSON object.", tool=part.name)
    return ""


def part_text(part: Part) -> str:
    """The text of a part as it is read and edited."""
    return _page(part, {}).text


def part_title(part: Part) -> str:
    """What a part is called, by its kind and its tool."""
    return _page(part, {}).title


def with_text(part: Part, text: str) -> Part:
    """The part with another text; as it is where it has none to edit."""
    match part:
        case TextPart() | ThinkingPart():
            return replace(part, text=text)
        case ToolCallPart():
            return replace(part, arguments=text)
        case ToolResultPart():
            return replace(part, content=text)
        case _:
            return part


def _page(part: Part, names: Mapping[str, str]) -> PagePart:
    match part:
        case TextPart():
            return PagePart(tr("Text"), part.text)
        case ThinkingPart():
            why = tr("the provider signed this thinking") if part.signature else ""
            return PagePart(tr("Thinking"), part.text, why)
        case ToolCallPart():
            return PagePart(tr("Call {tool}", tool=part.name), part.arguments)
        case ToolResultPart():
            title = tr("Result of {tool}", tool=names.get(part.call_id, part.call_id))
            return PagePart(tr("{title} (failed)", title=title) if part.is_error else title, part.content)
        case ImagePart():
            return PagePart(tr("Image"), _image_text(part), tr("an image has no text"))
        case RedactedThinkingPart():
            return PagePart(tr("Redacted thinking"), part.data, tr("only the provider can read this"))
        case ProviderPart():
            return PagePart(part.kind, part.data, tr("only one provider knows this part"))


def _image_text(part: ImagePart) -> str:
    size = tr("{width} × {height} pixels", width=part.width, height=part.height) if part.width else ""
    data = tr_count("{count} character of data", "{count} characters of data", len(part.data))
    return "\n".join(each for each in (part.media_type, size, data) if each)


def _words(parts: Sequence[Part], names: Mapping[str, str]) -> str:
    return " ".join(words for part in parts if (words := _part_words(part, names)))


def _part_words(part: Part, names: Mapping[str, str]) -> str:
    match part:
        case TextPart():
            return said_in(part.text)[:_FIRST_WORDS].strip()
        case ThinkingPart():
            return tr("[thinking] {text}", text=part.text[:_FIRST_WORDS].strip())
        case ToolCallPart():
            return tr("{tool} {arguments}", tool=part.name, arguments=part.arguments[:_FIRST_WORDS])
        case ToolResultPart():
            name = names.get(part.call_id, part.call_id)
            return tr("{tool}: {text}", tool=name, text=said_in(part.content)[:_FIRST_WORDS].strip())
        case ImagePart():
            return tr("[image]")
        case RedactedThinkingPart():
            return tr("[redacted thinking]")
        case ProviderPart():
            return tr("[{kind}]", kind=part.kind)


def _state(message: Message, sent: SentFigures) -> tuple[str, str]:
    """How a message stands, in a word or two, and its tone."""
    if message.problem:
        return tr("unreadable"), "error"
    if message.is_deleted:
        return tr("deleted"), "muted"
    if message.compiled:
        return tr("compiled prompt, never sent"), "muted"
    if message.is_archived:
        return tr("archived"), "muted"
    if message.id in sent.shortened:
        return tr("sent shortened"), "warning"
    if _failed(message):
        return tr("failed"), "error"
    return (tr("stopped here"), "warning") if was_stopped(message.metadata) else ("", "muted")


def _failed(message: Message) -> bool:
    return any(isinstance(part, ToolResultPart) and part.is_error for part in message.content)


def _broken(batch: Batch) -> str:
    if batch.is_paired:
        return ""
    return tr("a tool call without its result, or the reverse")


def _count(message: Message, counts: Mapping[str, Count], sent: SentFigures) -> Count | None:
    return sent.counts.get(message.id) or counts.get(message.id)


def _sum(counts: Sequence[Count | None]) -> Count | None:
    present = [each for each in counts if each is not None]
    if not present:
        return None
    return Count(sum(each.tokens for each in present), joint_method(each.method for each in present))


def unsaved_parts(message: Message, texts: Sequence[str]) -> tuple[Part, ...]:
    """The parts of a message with other texts, as many as it has."""
    return tuple(with_text(part, text) for part, text in zip(message.content, texts, strict=False))


def repair_text(edits: Sequence[Edit]) -> str:
    """What a repair does, as the name of its button."""
    archived = sum(edit.operation == ArchiveMessage() for edit in edits)
    shortened = sum(isinstance(edit.operation, EditMessage) for edit in edits)
    restored = len({each.target for each in edits}) - shortened - archived
    numbers = (
        (("restore {count} message", "restore {count} messages"), restored),
        (("shorten {count} message", "shorten {count} messages"), shortened),
        (("archive {count} message", "archive {count} messages"), archived),
    )
    done = ", ".join(tr_count(*forms, count) for forms, count in numbers if count)
    return tr("Repair turn: {done}", done=done) if done else tr("Repair turn")
