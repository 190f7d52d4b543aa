"""The rows and sentences of consent requests and of what was allowed for good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime

from inspector.domain.consent import ConsentGrant, ConsentRequest, ConsentState
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.access import innermost
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import ago, moment, number, tr, tr_code, tr_count

WAITING, ANSWERED, STANDING, ALL = "waiting", "answered", "standing", "all"
"""What can be listed: requests by their state, or the approvals that stand."""
_FIRST_WORDS = 400
_TONES = {ConsentState.PENDING: "warning", ConsentState.GRANTED: "ok"}


@dataclass(frozen=True)
class ApprovalList:
    """What was read: requests by id with their state as of then, grants by id, and names of agents and blocks."""

    requests: Mapping[str, ConsentRequest] = field(default_factory=dict)
    grants: Mapping[str, ConsentGrant] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    unreadable: int = 0

    def agent(self, agent_id: str) -> str:
        return one_line(self.agents.get(agent_id, agent_id))

    def label(self, block_id: str) -> str:
        return one_line(self.labels.get(block_id, block_id))

    def of_turn(self, request: ConsentRequest) -> tuple[ConsentRequest, ...]:
        """The requests that wait with one, in the order in which they were asked: of its turn, or itself alone."""
        if request.batch_id is None:
            return (request,)
        return tuple(
            each
            for each in reversed(tuple(self.requests.values()))
            if each.batch_id == request.batch_id
            and each.agent_id == request.agent_id
            and each.state is ConsentState.PENDING
        )


def listed_keys(listed: ApprovalList, state: str, agent_id: str, now: datetime) -> list[str]:
    """The ids of what a state lists of an agent (nothing: of all); what holds comes before what is over."""
    if state == STANDING:
        keys = [id_ for id_, each in listed.grants.items() if agent_id in ("", each.agent_id)]
        return sorted(keys, key=lambda id_: not listed.grants[id_].holds_at(now))
    return [
        id_
        for id_, each in listed.requests.items()
        if agent_id in ("", each.agent_id)
        and state in (ALL, WAITING if each.state is ConsentState.PENDING else ANSWERED)
    ]


def empty_texts(state: str, *, is_read: bool) -> tuple[str, str]:
    """What an empty list says: what belongs there, and how it comes there."""
    if not is_read:
        return tr("Reading approvals …"), ""
    if state == STANDING:
        return (
            tr("No standing approvals"),
            tr("Approvals that last longer than one call are listed here. You can revoke them."),
        )
    if state == WAITING:
        return (
            tr("Nothing waits for you"),
            tr("When an agent wants to edit a block that a person approves, its request appears here."),
        )
    return tr("No requests"), tr("Requests that were answered are listed here.")


def fits(row: RecordRow, words: Sequence[str]) -> bool:
    """Whether a row has all of these words, which are in small letters."""
    text = one_line(f"{row.lead} {row.text} {row.note}").casefold()
    return all(each in text for each in words)


def state_text(request: ConsentRequest) -> str:
    """How a request stands, in a word or two."""
    if request.state is ConsentState.GRANTED:
        return tr("allowed with edits") if request.is_edited else tr("allowed")
    if request.state is ConsentState.DENIED:
        return tr("answered") if request.words else tr("ignored")
    return tr("timed out") if request.state is ConsentState.TIMED_OUT else tr("pending")


def wish_text(request: ConsentRequest, listed: ApprovalList) -> str:
    """What an agent wants: the kind of edit and the block."""
    verb = tr_code(f"operation.{innermost(request.edit.operation).op}")
    return tr("{verb}: {label}", verb=verb, label=listed.label(request.edit.target.id))


def request_row(request: ConsentRequest, listed: ApprovalList, now: datetime) -> RecordRow:
    """The line of a request."""
    state, agent = state_text(request), listed.agent(request.agent_id)
    wish, reason = wish_text(request, listed), one_line(request.reason[:_FIRST_WORDS])
    text = f"{wish} – {reason}" if reason else wish
    age = ago(request.created_at, now)
    return RecordRow(
        text,
        agent,
        state,
        time=age_text(request.created_at, now),
        note_tone=_TONES.get(request.state, "muted"),
        tone="info",
        quiet=request.state is not ConsentState.PENDING,
        tip="\n".join(each for each in (wish, reason, moment(request.created_at, now)) if each),
        spoken=", ".join((agent, text, state, age)),
    )


def age_text(at: datetime, now: datetime) -> str:
    """How long ago something was, as short as a column of times has room for."""
    seconds = max(0, int((now - at).total_seconds()))
    if seconds < 3_600:
        return tr("{count} min", count=number(seconds // 60))
    if seconds < 86_400:
        return tr("{count} h", count=number(seconds // 3_600))
    return tr("{count} d", count=number(seconds // 86_400))


def grant_row(grant: ConsentGrant, listed: ApprovalList, now: datetime) -> RecordRow:
    """The line of what was allowed for edits to come."""
    agent = listed.agent(grant.agent_id)
    text, state = grant_text(grant, listed), grant_state(grant, now)
    is_over = not grant.holds_at(now)
    return RecordRow(
        text,
        agent,
        state,
        time=age_text(grant.granted_at, now),
        note_tone="muted" if is_over else "warning",
        tone="info",
        quiet=is_over,
        tip=text,
        spoken=", ".join((agent, text, state)),
    )


def grant_text(grant: ConsentGrant, listed: ApprovalList) -> str:
    """What an agent may write without asking."""
    if grant.block_id is None:
        return tr("May write every block that it sees without asking")
    return tr("May write {label} without asking", label=listed.label(grant.block_id))


def grant_state(grant: ConsentGrant, now: datetime) -> str:
    """Whether and how long what was allowed holds."""
    if grant.revoked_at is not None:
        return tr("revoked")
    if not grant.holds_at(now):
        return tr("over")
    if grant.uses is not None:
        return tr_count("{count} use left", "{count} uses left", grant.uses)
    if grant.expires_at is not None:
        return tr("until {when}", when=moment(grant.expires_at, now))
    return tr("until you revoke it")


def facts_text(request: ConsentRequest, now: datetime) -> str:
    """What is to be known of a request besides the difference: reason, tool call, end, answer."""
    lines = [tr("Reason: {reason}", reason=request.reason) if request.reason else tr("It gave no reason.")]
    if request.tool_call_id is not None:
        lines.append(tr("Tool call {id}", id=one_line(request.tool_call_id)))
    if request.state is ConsentState.PENDING and request.expires_at is not None:
        lines.append(tr("Waits until {when}", when=moment(request.expires_at, now)))
    if request.answered_at is not None:
        by = request.answerer.name if request.answerer is not None else request.answered_by or ""
        when = moment(request.answered_at, now)
        said = tr("{state} by {name}, {when}", state=state_text(request), name=one_line(by), when=when)
        lines.append(said)
    if request.words:
        lines.append(tr("Answer: {words}", words=request.words))
    return "\n".join(lines)
