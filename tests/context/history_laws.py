"""What holds for every history that is sent, checked apart from the code under test."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

from inspector.context.builder import ContextBuilder
from inspector.context.plan import active_batch
from inspector.domain.codec import to_plain
from inspector.domain.counts import Method
from inspector.domain.errors import BudgetError
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    LimitOverrides,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import (
    Batch,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.requests import LeftOut, Request, sent_content
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import a_turn, new_builder, sent_batches
from tests.context.random_cases import a_batch
from tests.context.tiktoken_counts import recount

FOLDING = (Hysteresis, RecursiveSummarization)
_PARTLY = {OutRule.HISTORY_ELIDED, OutRule.HISTORY_SHORTENED}


def built(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec) -> Request | None:
    """The Request; None where what must be sent does not fit, which the error must then prove."""
    try:
        return builder.build(snapshot, spec)
    except BudgetError as error:
        needed, available = error.parameters["needed"], error.parameters["available"]
        assert isinstance(needed, int)
        assert isinstance(available, int)
        assert needed > available
        return None


def all_messages(snapshot: Snapshot) -> dict[str, Message]:
    return {message.id: message for batch in snapshot.history for message in batch.messages}


def sendable(batch: Batch) -> list[Message]:
    """Those of its messages that may be sent at all."""
    return [
        each
        for each in batch.messages
        if not (each.is_archived or each.is_deleted or each.compiled or each.problem)
    ]


def is_whole(batch: Batch) -> bool:
    """Whether a batch is a complete cycle of what may be sent of it."""
    messages = sendable(batch)
    if not messages or messages[-1].role not in (Role.ASSISTANT, Role.TOOL):
        return False
    open_calls: set[str] = set()
    for message in messages:
        for part in message.content:
            if isinstance(part, ToolCallPart):
                open_calls.add(part.id)
            elif isinstance(part, ToolResultPart):
                if part.call_id not in open_calls:
                    return False
                open_calls.remove(part.call_id)
    return not open_calls


def strategy_of(snapshot: Snapshot, spec: RequestSpec) -> Strategy:
    return spec.strategy or snapshot.agent.config.strategy


def history_tokens(request: Request) -> int:
    return sum(section.tokens for section in request.sections if section.name == "messages")


def active_tokens(request: Request) -> int:
    return sum(
        piece.tokens
        for section in request.sections
        if section.name == "messages"
        for piece in section.pieces
        if piece.rule == "history_active_batch"
    )


def with_active(snapshot: Snapshot, spec: RequestSpec) -> RequestSpec:
    """The same spec with the batch in progress named, which is the newest one where it waits for a reply."""
    active = active_batch(snapshot, spec)
    return spec if active is None else replace(spec, active_batch=active.id)


def check_budget(snapshot: Snapshot, spec: RequestSpec, request: Request) -> None:
    """Never over a limit, by the tokenizer itself where there is one."""
    for run in request.runs():
        if run.sent and run.method is Method.EXACT:
            assert recount(request.tokenizer.name, run.text) == run.tokens
    assert request.tokens == sum(run.tokens for run in request.runs())
    assert request.tokens <= request.limits.usable
    own = history_tokens(request) - active_tokens(request)
    if request.limits.history_tokens is not None and own:
        assert history_tokens(request) <= request.limits.history_tokens
    cap = snapshot.agent.config.max_messages_cap if spec.max_messages_cap is None else spec.max_messages_cap
    active = next((each for each in snapshot.history if each.id == spec.active_batch), None)
    if own:
        assert len(request.messages) <= cap
    else:
        assert len(request.messages) <= len(sendable(active)) if active else not request.messages
    strategy = strategy_of(snapshot, spec)
    if isinstance(strategy, Truncate | WindowStrategy):
        wanted = strategy.keep_recent if isinstance(strategy, Truncate) else strategy.verbatim_count
        in_progress = len(sendable(active)) if active else 0
        others = set(sent_batches(request, snapshot.history)) - {spec.active_batch}
        assert len(request.messages) <= max(wanted, in_progress) or (
            len(others) == 1 and wanted > in_progress
        )


def check_units(snapshot: Snapshot, spec: RequestSpec, request: Request) -> None:
    """Whole batches in order; each result with its call; nothing changed but strings that say so."""
    stored = all_messages(snapshot)
    ids = [each.id for each in request.messages]
    assert len(ids) == len(set(ids))
    assert [stored[each].position for each in ids] == sorted(stored[each].position for each in ids)
    for batch in snapshot.history:
        may = [message.id for message in sendable(batch)]
        assert [each for each in may if each in ids] in ([], may)
        if may and may[0] in ids and batch.id != spec.active_batch:
            assert is_whole(batch)
    for sent in request.messages:
        _check_content(stored[sent.id], sent_content(sent, stored[sent.id]))


def _check_content(message: Message, content: tuple[Part, ...]) -> None:
    if len(content) == len(message.content) + 1:
        gap, *rest = content
        assert message.role is Role.USER
        assert isinstance(gap, TextPart)
        assert gap.text.startswith("[")
        assert gap.text.endswith(" left out here]")
        content = tuple(rest)
    assert len(content) == len(message.content)
    for stored, sent in zip(message.content, content, strict=True):
        if stored == sent:
            continue
        assert type(stored) is type(sent)
        if isinstance(stored, ToolResultPart) and isinstance(sent, ToolResultPart):
            assert (sent.call_id, sent.is_error) == (stored.call_id, stored.is_error)
            assert " elided: " in sent.content or " characters left out …]" in sent.content
        else:
            assert isinstance(sent, TextPart)
            assert " characters left out …]" in sent.text


def check_first(snapshot: Snapshot, spec: RequestSpec, request: Request) -> None:
    """Trimming never makes anything but a user's message the first, here and behind every gap."""
    stored = all_messages(snapshot)
    in_order = sent_batches(request, snapshot.history)
    whole = [batch for batch in snapshot.history if is_whole(batch) and batch.id != spec.active_batch]
    own = [batch for batch in whole if batch.id in in_order]
    if own and own[0] is not whole[0]:
        assert sendable(own[0])[0].role is Role.USER
    strategy = strategy_of(snapshot, spec)
    places = [whole.index(batch) for batch in own]
    gaps = [at for one, at in pairwise(places) if at != one + 1]
    if not isinstance(strategy, ImportanceBased | TimeDecay):
        assert not gaps
    marked = [
        whole.index(batch)
        for batch in own
        if (sent := next(each for each in request.messages if each.id == sendable(batch)[0].id)).content
        and len(sent_content(sent, stored[sent.id])) > len(stored[sent.id].content)
    ]
    assert marked == gaps


def check_ledger(snapshot: Snapshot, spec: RequestSpec, request: Request) -> None:
    """Every batch that could have been sent is in, or told of once; what is shortened is told of too."""
    inside = set(sent_batches(request, snapshot.history))
    told = Counter(row.source.id for row in request.left_out if row.source.batch)
    for batch in snapshot.history:
        if is_whole(batch) and batch.id != spec.active_batch:
            assert told[batch.id] == (0 if batch.id in inside else 1), batch.id
    partly = {row.source.id for row in request.left_out if row.rule in _PARTLY}
    stored = all_messages(snapshot)
    gap = {
        each.id
        for each in request.messages
        if each.content is not None and len(each.content) > len(stored[each.id].content)
    }
    assert {each.id for each in request.messages if each.content is not None} - gap == partly


def check_again(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, request: Request) -> None:
    """Done again, it changes nothing: with the state that it proposed, and on what it left."""
    proposed = replace(snapshot, history_state=request.history_state)
    again = builder.build(proposed, spec)
    assert again.messages == request.messages
    assert again.history_state == request.history_state
    if snapshot.summaries:
        # Without what is left out other summaries go in, which take other room.
        return
    inside = set(sent_batches(request, snapshot.history)) | {spec.active_batch}
    left = tuple(batch for batch in snapshot.history if batch.id in inside)
    trimmed = builder.build(replace(proposed, history=left), spec)
    assert [each.id for each in trimmed.messages] == [each.id for each in request.messages]


def check_monotone(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, rng: Random) -> None:
    """A larger budget keeps no fewer batches: those before and more, or where gaps may be, better ones."""
    bare = replace(snapshot, summaries=())
    limits = spec.limits or LimitOverrides()
    given = limits.history_tokens if limits.history_tokens is not None else rng.randrange(4000)
    found: list[list[str]] = []
    for tokens in (given, given + rng.choice((1, 7, 60, 900))):
        request = built(builder, bare, replace(spec, limits=replace(limits, history_tokens=tokens)))
        if request is None:
            return
        found.append(sent_batches(request, snapshot.history))
    less, more = found
    if set(less) <= set(more):
        return
    assert isinstance(strategy_of(snapshot, spec), ImportanceBased | TimeDecay)
    # Where what is best is taken first, something better is in that was not: the newest, then the most important.
    assert set(more) - set(less)


def check_append(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, rng: Random) -> None:
    """A batch more that fits leaves the Request before it a strict prefix of the history."""
    bare, spec = replace(snapshot, summaries=()), replace(spec, active_batch=None)
    if active_batch(bare, spec) is not None:
        return
    before = built(builder, bare, spec)
    if before is None:
        return
    batch = a_batch(rng, 60, odd=False, largest=10) if rng.random() < 0.5 else a_turn(60, "hello")
    added = replace(bare, history=(*bare.history, batch), history_state=before.history_state)
    after = built(builder, added, spec)
    if after is None or not _still_fits(before, batch, after, strategy_of(snapshot, spec), snapshot, spec):
        return
    pieces = [piece for section in before.sections if section.name == "messages" for piece in section.pieces]
    behind = [piece for section in after.sections if section.name == "messages" for piece in section.pieces]
    assert behind[: len(pieces)] == pieces
    assert len(behind) == len(pieces) + len(batch.messages)


def _still_fits(
    before: Request,
    batch: Batch,
    after: Request,
    strategy: Strategy,
    snapshot: Snapshot,
    spec: RequestSpec,
) -> bool:
    """Whether the history and the batch more are within all bounds, high marks included."""
    if any(row.rule in _PARTLY - {OutRule.HISTORY_ELIDED} for row in before.left_out):
        return False
    if batch.id not in sent_batches(after, (batch,)):
        return False
    whole = [each.id for each in snapshot.history if is_whole(each)]
    inside = sent_batches(before, snapshot.history)
    if inside and inside[-1] != whole[-1]:
        # What is kept would stand behind a gap now, whose mark needs room of its own.
        return False
    added = sum(
        piece.tokens
        for section in after.sections
        if section.name == "messages"
        for piece in section.pieces
        if piece.parameters["batch"] == batch.id
    )
    others = sum(section.tokens for section in after.sections if section.name != "messages")
    room = after.limits.usable - after.margin_tokens - others
    if after.limits.history_tokens is not None:
        room = min(room, after.limits.history_tokens)
    share = strategy.high if isinstance(strategy, Hysteresis) else 1.0
    if history_tokens(before) + added > int(room * share):
        return False
    cap = snapshot.agent.config.max_messages_cap if spec.max_messages_cap is None else spec.max_messages_cap
    most = {Truncate: "keep_recent", WindowStrategy: "verbatim_count", ImportanceBased: "keep_recent"}
    count = min(cap, getattr(strategy, most.get(type(strategy), ""), cap))
    if isinstance(strategy, TimeDecay):
        # Messages in the floor leave it by one that is more.
        count = min(count, strategy.min_keep_recent)
    return len(before.messages) + len(batch.messages) <= count


def check_grown(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, rng: Random) -> None:
    """A history that has grown, or was changed in its middle, gives what one gives that is read anew."""
    history, spec = snapshot.history, replace(spec, active_batch=None)
    state = snapshot.history_state
    for until in sorted({rng.randint(0, len(history)), rng.randint(0, len(history)), len(history)}):
        grown = replace(snapshot, history=history[:until], history_state=state)
        request = built(builder, grown, spec)
        state = state if request is None else request.history_state
    assert request == built(new_builder(), grown, spec)
    if history:
        at = rng.randrange(len(history))
        other = (a_turn(at + 1, "changed"),) if rng.random() < 0.5 else ()
        changed = replace(grown, history=(*history[:at], *other, *history[at + 1 :]))
        assert built(builder, changed, spec) == built(new_builder(), changed, spec)


SMALL = 0.05
"""Of the budget: where no unit is larger, it must be well used."""


def utilisation(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec) -> float | None:
    """How much of its budget a history takes; None with less to send, bounded by a count, or of large units."""
    strategy, limits = strategy_of(snapshot, spec), spec.limits
    cap = snapshot.agent.config.max_messages_cap if spec.max_messages_cap is None else spec.max_messages_cap
    counts = (cap, getattr(strategy, "keep_recent", cap), getattr(strategy, "verbatim_count", cap))
    active = active_batch(snapshot, spec)
    if limits is None or not limits.history_tokens or active or snapshot.summaries:
        return None
    count = sum(len(sendable(batch)) for batch in snapshot.history)
    if count < 1 / SMALL or min(counts) < count:
        return None
    everything = replace(limits, max_tokens=10**7, history_tokens=10**7)
    whole = built(builder, snapshot, replace(spec, limits=everything, strategy=Truncate(10**9)))
    request = built(builder, snapshot, spec)
    if whole is None or request is None:
        return None
    room = request.limits.usable - request.margin_tokens - request.tokens + history_tokens(request)
    budget = min(limits.history_tokens, room)
    if history_tokens(whole) < budget or max(_units(snapshot, whole)) > budget * SMALL:
        return None
    return history_tokens(request) / budget


def _units(snapshot: Snapshot, request: Request) -> list[int]:
    """The tokens of what nothing splits: a message, or one of calls with all their results."""
    found = [0]
    stored = all_messages(snapshot)
    for section in request.sections:
        for piece in section.pieces if section.name == "messages" else ():
            message = stored[str(piece.source.id)]
            if any(isinstance(part, ToolResultPart) for part in message.content):
                found[-1] += piece.tokens
            else:
                found.append(piece.tokens)
    return found


def check_case(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, seed: int) -> Request | None:
    """All of it for one case; the Request, None where none is possible."""
    rng = Random(seed + 1)
    spec = with_active(snapshot, spec)
    request = built(builder, snapshot, spec)
    if request is not None:
        check_budget(snapshot, spec, request)
        check_units(snapshot, spec, request)
        check_first(snapshot, spec, request)
        check_ledger(snapshot, spec, request)
        check_again(builder, snapshot, spec, request)
    check_monotone(builder, snapshot, spec, rng)
    check_append(builder, snapshot, spec, rng)
    check_grown(builder, snapshot, spec, rng)
    return request


def digest(request: Request | None) -> str:
    """A Request as a short text, the same in every process."""
    told = "" if request is None else repr((request.text, request.messages, request.history_state))
    rows = () if request is None else tuple(map(_row, request.left_out))
    return hashlib.sha256(repr((told, rows)).encode()).hexdigest()[:16]


def _row(row: LeftOut) -> object:
    return (row.source.id, row.rule, row.tokens, to_plain(row.fix) if row.fix else None)
