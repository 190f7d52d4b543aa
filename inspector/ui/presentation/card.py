"""The detail card of a piece or block: its source, its reason and its tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from inspector.domain.actor import ActorKind
from inspector.domain.blocks import (
    Block,
    CompositeSchema,
    ListSchema,
    LogSchema,
    MapSchema,
    Permission,
    Schema,
    TextSchema,
    TreeSchema,
    UnreadableSchema,
)
from inspector.domain.counts import Count, Method
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import TOOL_RULES, LeftOut, Piece, Request, Section, SourceKind
from inspector.domain.rules import PARTLY_IN
from inspector.domain.snapshot import BlockState, LastWrite, SharedBlock
from inspector.ui.presentation.calls import dollars
from inspector.ui.presentation.card_values import Card, CardFacts, CardRow, StoredMessage
from inspector.ui.presentation.messages import role_name
from inspector.ui.presentation.names import layout_name, name_of, name_of_source
from inspector.ui.presentation.what_if import strategy_name
from inspector.ui.safe_text import one_line
from inspector.ui.wording import counted, moment, number, share, signed, tr, tr_code, tr_count

_METHODS = {
    Method.EXACT: lambda: tr("exact"),
    Method.RECONSTRUCTED: lambda: tr("reconstructed tokenizer"),
    Method.PROVIDER: lambda: tr("counted by the provider"),
    Method.REPORTED: lambda: tr("reported by the provider"),
    Method.ESTIMATE: lambda: tr("estimate"),
}
_SOURCES = {
    SourceKind.BLOCK: lambda: tr("block"),
    SourceKind.SUMMARY: lambda: tr("summary"),
    SourceKind.MESSAGE: lambda: tr("message"),
    SourceKind.EVENT: lambda: tr("event"),
    SourceKind.TOOL: lambda: tr("tool"),
    SourceKind.ARCHIVAL: lambda: tr("archival entry"),
    SourceKind.LITERAL: lambda: tr("instructions and layout text"),
}
_SCHEMAS: dict[type, str] = {
    TextSchema: "text",
    MapSchema: "map",
    ListSchema: "list",
    LogSchema: "log",
    TreeSchema: "tree",
    CompositeSchema: "composite",
    UnreadableSchema: "unreadable schema",
}


WHAT_IF_ACTIONS = ("what_if.leave_out", "what_if.put_in", "what_if.edit")
"""What can be tried with a piece."""
_LEVELS = {
    Permission.READ_ONLY: lambda: tr("read-only"),
    Permission.PARTNER: lambda: tr("partner approves edits"),
    Permission.HUMAN: lambda: tr("a person approves edits"),
    Permission.APPEND: lambda: tr("append only"),
    Permission.READ_WRITE: lambda: tr("read and write"),
    Permission.ADMIN: lambda: tr("read, write and delete"),
}


_KINDS: Mapping[RefKind, Callable[[], str]] = {
    RefKind.ARCHIVAL: lambda: tr("Archival entry"),
    RefKind.BATCH: lambda: tr("Turn"),
    RefKind.CONSENT: lambda: tr("Request for approval"),
    RefKind.EVENT: lambda: tr("Event"),
    RefKind.GRANT: lambda: tr("Standing approval"),
    RefKind.MESSAGE: lambda: tr("Message"),
    RefKind.QUEUE: lambda: tr("Queued message"),
    RefKind.SUMMARY: lambda: tr("Summary"),
    RefKind.WAKEUP: lambda: tr("Wakeup"),
}
"""What has no name of its own, only an id that the program gave it."""
_SUMMARY_LENGTH = 160
_GIVEN_ID = re.compile(r"[a-z]{2,6}_[0-9a-z]{16,}$")


def card_for(ref: Ref | None, facts: CardFacts) -> Card | None:
    """The card of a selection; None when nothing is selected."""
    if ref is None:
        return None
    if ref.kind is RefKind.SECTION:
        return _section_card(ref, facts)
    if ref.kind is RefKind.AGENT:
        return _agent_card(ref, facts)
    if ref.kind is RefKind.LAYOUT:
        is_used = facts.request is not None and facts.request.layout == ref.id
        used = tr("in this Request") if is_used else tr("not in this Request")
        name = layout_name(ref.id, facts.names)
        return Card(tr("Layout {name}", name=name), "", (CardRow(tr("Used"), used),))
    if ref.kind is RefKind.RUN:
        return Card(tr("Sent Request"), "", (CardRow(tr("Run"), ref.id),))
    pieces = pieces_of(ref, facts.request)
    out = reason_out(ref, facts)
    state = facts.blocks.get(ref.id) if ref.kind is RefKind.BLOCK else None
    rows = [*_reasons(ref, pieces, out, facts)]
    if state is not None:
        rows += _block_rows(state, facts)
    elif pieces:
        rows.append(CardRow(tr("Source"), _source_text(pieces[0], facts)))
    stored = _stored(ref, facts)
    if stored is not None and stored.summary is not None and not pieces:
        rows.append(CardRow(tr("Summary of it"), one_line(stored.summary.content, _SUMMARY_LENGTH)))
    rows += _cost_rows(ref, pieces, out, facts)
    title = _title(ref, pieces, out, state)
    return Card(title, _note(ref, state, facts), tuple(rows), (*_actions(ref, state), *_tried(state, pieces)))


def pieces_of(ref: Ref, request: Request | None) -> tuple[Piece, ...]:
    """The pieces of a Request that come from a thing."""
    return tuple(_each_piece_of(ref, request))


def has_pieces(ref: Ref, request: Request | None) -> bool:
    """Whether any piece of a Request comes from a thing; the first one found is enough."""
    return next(_each_piece_of(ref, request), None) is not None


def _each_piece_of(ref: Ref, request: Request | None) -> Iterator[Piece]:
    sections = () if request is None else request.sections
    if ref.kind in (RefKind.LITERAL, RefKind.TOOL_RULE):
        ids = (ref.id, f"literal:{ref.id}") if ref.kind is RefKind.LITERAL else (f"{TOOL_RULES}:{ref.id}",)
        return (piece for section in sections for piece in section.pieces if piece.id in ids)
    return (
        piece
        for section in sections
        for piece in section.pieces
        if piece.source.id == ref.id and piece.source.is_of(ref)
    )


def left_out_of(ref: Ref, request: Request | None) -> LeftOut | None:
    """The candidate of that thing that did not go in, if there is one."""
    if request is None:
        return None
    # The bare comparison of ids first: thousands are left out of a long history, and each key press asks.
    found = (
        each
        for each in request.left_out
        if each.source.id == ref.id and ref.whole in (each.ref, each.source.ref)
    )
    return next(found, None)


def reason_out(ref: Ref, facts: CardFacts) -> LeftOut | None:
    """The candidate of that thing that did not go in; of a message in a turn that is left out, its turn."""
    found, stored = left_out_of(ref, facts.request), _stored(ref, facts)
    if found is None and stored is not None and not has_pieces(ref, facts.request):
        return left_out_of(Ref(RefKind.BATCH, stored.message.batch_id), facts.request)
    return found


def _stored(ref: Ref, facts: CardFacts) -> StoredMessage | None:
    stored = facts.message if ref.kind is RefKind.MESSAGE else None
    return stored if stored is not None and stored.message.id == ref.id else None


def last_written(written: LastWrite | None, revision: int, now: datetime) -> str:
    """Who wrote last, when, by what, and the how-manieth version it made."""
    if written is None:
        return tr("not since it was created")
    who = written.actor.name
    if written.actor.kind in (ActorKind.HUMAN, ActorKind.PARTNER):
        who = tr("{name} ({kind})", name=who, kind=written.actor.kind.value)
    parts = [f"{who}, {moment(written.at, now)}"]
    if written.tool_call_id:
        parts.append(tr("tool call {id}", id=written.tool_call_id))
    if written.reason:
        parts.append(tr("“{reason}”", reason=written.reason))
    return f"{', '.join(parts)} · {tr('version {count}', count=number(revision))}"


def schema_name(schema: Schema | UnreadableSchema) -> str:
    """A schema's kind in words."""
    return tr(_SCHEMAS[type(schema)])


def kind_of(block: Block, shared: SharedBlock | None) -> tuple[str, ...]:
    """Of what kind a block is for the agent that is shown: who shares it, its type, its schema, its level."""
    level = shared.level if shared else block.permission
    # A log of the log type is one word.
    words = tuple(dict.fromkeys((block.block_type.value, schema_name(block.schema), level_name(level))))
    return (tr("shared by {owner}", owner=shared.owner_name), *words) if shared else words


def level_name(level: Permission) -> str:
    """What an agent may do with a block, in words."""
    return _LEVELS[level]()


def _title(ref: Ref, pieces: tuple[Piece, ...], out: LeftOut | None, state: BlockState | None) -> str:
    if state is not None:
        return state.block.label
    if pieces and (pieces[0].source.label or pieces[0].source.id):
        return name_of(pieces[0])
    # A message in a turn that is left out hasn't its turn's name.
    is_own = out is not None and out.source.batch == (ref.kind is RefKind.BATCH)
    if out is not None and is_own and (out.source.label or out.source.id):
        return name_of_source(out.source)
    if ref.kind in _KINDS:
        return _KINDS[ref.kind]()
    return tr("{kind} {id}", kind=ref.kind.value.replace("_", " "), id=ref.id)


def _note(ref: Ref, state: BlockState | None, facts: CardFacts) -> str:
    words = () if state is None else kind_of(state.block, facts.shared.get(ref.id))
    stored = _stored(ref, facts)
    if stored is not None:
        message = stored.message
        words = (role_name(message.role), moment(message.created_at, facts.now))
    # The id that an item was given says nothing to a person.
    is_named = ref.part is not None and _GIVEN_ID.match(ref.part) is None
    return " · ".join((*words, tr("part {part}", part=ref.part)) if is_named else words)


def _reasons(ref: Ref, pieces: tuple[Piece, ...], out: LeftOut | None, facts: CardFacts) -> list[CardRow]:
    rows = []
    if pieces:
        rows.append(CardRow(tr("Why it's in"), tr_code(f"rule.{pieces[0].rule}", pieces[0].parameters)))
        out = out if out is not None and out.rule in PARTLY_IN else None
    if out is None:
        # A turn that is in stands there as its messages.
        is_told = pieces or facts.request is None or ref.kind is RefKind.BATCH
        return rows if is_told else _not_a_candidate(ref, facts)
    title = tr("Why only a part") if pieces else tr("Why it's out")
    rows.append(CardRow(title, tr_code(f"left_out.{out.rule}", out.parameters), "warning"))
    if out.fix is not None:
        rows.append(CardRow(tr("To include it"), tr_code(f"fix.{out.fix.action}", out.fix.parameters)))
    return rows


def _not_a_candidate(ref: Ref, facts: CardFacts) -> list[CardRow]:
    """Why something isn't in that building the Request never came to."""
    why, fix = "", ""
    stored = _stored(ref, facts)
    if ref.kind is RefKind.ARCHIVAL:
        why = tr("Archival entries are never sent as they are: the agent finds them by search.")
        fix = tr("Write what matters into a block.")
    elif stored is not None and stored.message.is_deleted:
        why, fix = tr("Deleted."), tr("Restore it.")
    elif stored is not None and stored.message.is_archived:
        why, fix = tr("Archived: kept in the file, not sent."), tr("Restore it from the archive.")
    elif stored is not None:
        why, fix = tr("Further back than the history reaches."), tr("Raise the history's limits.")
    if not why:
        return [CardRow(tr("In the Request"), tr("no"), "muted")]
    return [CardRow(tr("Why it's out"), why, "warning"), CardRow(tr("To include it"), fix)]


def _block_rows(state: BlockState, facts: CardFacts) -> list[CardRow]:
    rows = []
    if state.problem is not None:
        rows.append(CardRow(tr("Problem"), tr_code(state.problem.code, state.problem.parameters), "error"))
    rows.append(CardRow(tr("Last written"), last_written(state.written, state.revision, facts.now)))
    if state.draft:
        rows.append(CardRow(tr("Your draft"), _draft_text(state.block, facts), "warning"))
    characters = facts.characters.get(state.block.id)
    if characters is not None:
        rows.append(_characters_row(state.block, characters))
    return rows


def _draft_text(block: Block, facts: CardFacts) -> str:
    piece_id = f"block:{block.id}"
    now = sum(piece.tokens for piece in pieces_of(Ref(RefKind.BLOCK, block.id), facts.request))
    before = facts.saved_tokens.get(piece_id)
    if before is None or facts.request is None:
        return tr("unsaved")
    difference = signed(now - before)
    return (
        tr_count(
            "unsaved, {difference} token",
            "unsaved, {difference} tokens",
            abs(now - before),
            difference=difference,
        )
        if difference
        else tr("unsaved, same size")
    )


def _characters_row(block: Block, characters: int) -> CardRow:
    if not block.char_limit:
        return CardRow(tr("Characters"), tr("{count}, no limit", count=number(characters)))
    text = tr("{count} of {limit}", count=number(characters), limit=number(block.char_limit))
    over = characters > block.char_limit
    near = characters >= 0.8 * block.char_limit
    return CardRow(tr("Characters"), text, "error" if over else "warning" if near else "text")


def _cost_rows(ref: Ref, pieces: tuple[Piece, ...], out: LeftOut | None, facts: CardFacts) -> list[CardRow]:
    request = facts.request
    if request is None:
        return []
    if pieces:
        worst = max((piece.method for piece in pieces), key=list(Method).index)
        text = tr(
            "{tokens} · {method} ({tokenizer}) · {share} of the context window ({window})",
            tokens=_by_section(pieces, request),
            method=_METHODS[worst](),
            tokenizer=request.tokenizer.name,
            share=share(sum(piece.tokens for piece in pieces), request.limits.max_tokens),
            window=number(request.limits.max_tokens),
        )
        tokens = sum(piece.tokens for piece in pieces)
        return [CardRow(tr("Tokens"), _with_price(text, Count(tokens, worst), facts))]
    if out is not None:
        text = tr("{tokens} · {method}", tokens=number(out.tokens), method=_METHODS[out.method]())
        return [
            CardRow(
                tr("Its turn needs")
                if out.source.batch and ref.kind is RefKind.MESSAGE
                else tr("Would need"),
                text,
            )
        ]
    return []


def _with_price(text: str, count: Count, facts: CardFacts) -> str:
    """With what a thing adds to the bill. One call is so little that nobody could compare it: of a thousand."""
    if facts.input_price is None:
        return text
    mark = "" if count.method is Method.EXACT else "~"
    cost = dollars(1_000 * count.tokens * facts.input_price)
    return tr("{text} · {cost} for 1,000 calls without a cache", text=text, cost=f"{mark}{cost}")


def _by_section(pieces: tuple[Piece, ...], request: Request) -> str:
    """The tokens of a thing's pieces; where they stand in several sections, those of each and of all."""
    found: dict[str, int] = {}
    for piece in pieces:
        found[piece.section] = found.get(piece.section, 0) + piece.tokens
    total = number(sum(found.values()))
    if len(found) == 1:
        return total
    titles = {each.name: each.title or each.name for each in request.sections}
    parts = (
        tr("{tokens} in {section}", tokens=number(tokens), section=titles[name])
        for name, tokens in found.items()
    )
    return tr("{parts} ({total} together)", parts=", ".join(parts), total=total)


def _source_text(piece: Piece, facts: CardFacts) -> str:
    text = _SOURCES[piece.source.kind]()
    owner = facts.names.get(piece.source.owner or "")
    if piece.source.id and piece.source.kind is not SourceKind.LITERAL:
        text = tr("{kind} {id}", kind=text, id=piece.source.id)
    return tr("{told} of {owner}", told=text, owner=owner) if owner else text


def _section_card(ref: Ref, facts: CardFacts) -> Card | None:
    section = _section_of(ref, facts.request)
    if section is None:
        return _list_card(ref.part) if ref.part else Card(ref.id)
    window = facts.request.limits.max_tokens if facts.request else 0
    text = tr(
        "{tokens} · {method} · {share} of the context window ({window})",
        tokens=number(section.tokens),
        method=_METHODS[section.method](),
        share=share(section.tokens, window),
        window=number(window),
    )
    rows = (
        CardRow(tr("Contains"), tr_count("{count} piece", "{count} pieces", len(section.pieces))),
        CardRow(tr("Tokens"), _with_price(text, Count(section.tokens, section.method), facts)),
        CardRow(tr("Characters"), number(section.length)),
    )
    return Card(section.title or section.name, tr("section"), rows)


def _list_card(part: str) -> Card:
    """One of the navigator's lists, which a panel shows."""
    return Card(tr(part.replace("_", " ").capitalize()))


def _section_of(ref: Ref, request: Request | None) -> Section | None:
    if request is None or ref.part is not None:
        return None
    return next((each for each in request.sections if each.name == ref.id), None)


def _agent_card(ref: Ref, facts: CardFacts) -> Card:
    request = facts.request
    rows = []
    if request is not None and request.agent_id == ref.id:
        rows = [
            CardRow(tr("Model"), request.model or tr("none set")),
            CardRow(tr("Layout"), layout_name(request.layout, facts.names)),
            CardRow(tr("Strategy"), strategy_name(request.strategy)),
            CardRow(
                tr("Tokens"),
                tr(
                    "{tokens} of {usable}",
                    tokens=counted(Count(request.tokens, request.method)),
                    usable=number(request.limits.usable),
                ),
            ),
        ]
    return Card(facts.names.get(ref.id, ref.id), tr("agent"), tuple(rows), ("agent.show", "agent.settings"))


def _actions(ref: Ref, state: BlockState | None) -> tuple[str, ...]:
    if state is None:
        return ("selection.open", "selection.copy_text")
    if not state.block.is_active:
        return ("block.restore",)
    pin = "block.unpin" if state.block.pinned else "block.pin"
    return ("selection.open", pin, "selection.copy_text")


def _tried(state: BlockState | None, pieces: tuple[Piece, ...]) -> tuple[str, ...]:
    """What can be tried with a thing: without it or with another text where it is in the Request, else with it."""
    if pieces:
        return ("what_if.leave_out", "what_if.edit")
    return ("what_if.put_in",) if state is None or state.block.is_active else ()
