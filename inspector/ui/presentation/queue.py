"""The rows and sentences of queued messages and wakeups of agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from inspector.domain.dataclass import dataclass
from inspector.domain.records import QueuedMessage, QueueState, Wakeup
from inspector.runtime.session import FileSession
from inspector.ui.presentation.approvals import age_text
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.record_rows import RecordRow
from inspector.ui.wording import ago, moment, number, tr, tr_count

WAKEUP = "wakeup"
_FIRST_WORDS = 400
ORDER = (
    QueueState.FAILED,
    QueueState.DEAD,
    QueueState.RUNNING,
    QueueState.PENDING,
    QueueState.PROCESSED,
)
"""What needs a person comes first."""
_TONES = {QueueState.FAILED: "warning", QueueState.DEAD: "error", QueueState.RUNNING: "ok"}
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True)
class QueueList:
    """What was read: messages and wakeups by id, and the names of agents."""

    messages: Mapping[str, QueuedMessage] = field(default_factory=dict)
    wakeups: Mapping[str, Wakeup] = field(default_factory=dict)
    agents: Mapping[str, str] = field(default_factory=dict)
    unreadable: int = 0

    def agent(self, agent_id: str | None) -> str:
        return one_line(self.agents.get(agent_id, agent_id)) if agent_id else ""


async def read_queue(session: FileSession) -> QueueList:
    """Read the queues and wakeups of all agents."""
    store = session.engine.agents
    messages, unreadable = await store.queue()
    wakeups, unreadable_wakeups = await store.wakeups()
    agents, _ = await store.list()
    return QueueList(
        {each.id: each for each in messages},
        {each.id: each for each in wakeups},
        {each.id: each.name for each in agents},
        len(unreadable) + len(unreadable_wakeups),
    )


def heading_text(kind: str) -> str:
    """What stands above the rows of a state, or of the wakeups."""
    return {
        QueueState.FAILED.value: tr("Failed, retried automatically"),
        QueueState.DEAD.value: tr("Dead letters, not tried again"),
        QueueState.RUNNING.value: tr("Running"),
        QueueState.PENDING.value: tr("Pending"),
        QueueState.PROCESSED.value: tr("Processed"),
        WAKEUP: tr("Wakeups"),
    }[kind]


def state_text(state: QueueState) -> str:
    """A state in a word or two."""
    return {
        QueueState.FAILED: tr("failed"),
        QueueState.DEAD: tr("dead letter"),
        QueueState.RUNNING: tr("running"),
        QueueState.PENDING: tr("pending"),
        QueueState.PROCESSED: tr("processed"),
    }[state]


def message_row(message: QueuedMessage, listed: QueueList, now: datetime) -> RecordRow:
    """The line of a queued message."""
    agent, words = listed.agent(message.target_agent_id), one_line(message.content[:_FIRST_WORDS])
    state = state_text(message.state)
    tries = tr_count("{count} try", "{count} tries", message.attempts) if message.attempts else ""
    note = " · ".join(each for each in (state, tries) if each)
    age = ago(message.created_at, now)
    error = one_line((message.last_error or "")[:_FIRST_WORDS])
    return RecordRow(
        words or tr("(empty)"),
        agent,
        note,
        time=age_text(message.created_at, now),
        tone="info",
        note_tone=_TONES.get(message.state, "muted"),
        quiet=message.state is QueueState.PROCESSED,
        tip="\n".join(each for each in (words, error, moment(message.created_at, now)) if each),
        spoken=", ".join(each for each in (agent, words, note, error, age) if each),
    )


def wakeup_row(wakeup: Wakeup, listed: QueueList, now: datetime) -> RecordRow:
    """The line of a wakeup."""
    agent, words = listed.agent(wakeup.agent_id), one_line(wakeup.content[:_FIRST_WORDS])
    when, every = moment(wakeup.at, now), every_text(wakeup)
    note = " · ".join(each for each in (when, every) if each)
    return RecordRow(
        words or tr("(empty)"), agent, note, tone="info", tip=words, spoken=", ".join((agent, words, note))
    )


def every_text(wakeup: Wakeup) -> str:
    """How often a wakeup comes, nothing for once."""
    seconds = wakeup.every_seconds
    if not seconds:
        return ""
    size, unit = next((size, unit) for size, unit in _UNITS if seconds % size == 0)
    count = seconds // size
    return {
        "day": lambda: tr_count("every day", "every {count} days", count),
        "hour": lambda: tr_count("every hour", "every {count} hours", count),
        "minute": lambda: tr_count("every minute", "every {count} minutes", count),
        "second": lambda: tr_count("every second", "every {count} seconds", count),
    }[unit]()


def message_facts(message: QueuedMessage, listed: QueueList, now: datetime) -> str:
    """What is to be known of a queued message besides its text."""
    sender = listed.agent(message.from_agent_id) or one_line(message.origin) or tr("nobody named")
    lines = [
        tr("From {sender}, {when}", sender=sender, when=moment(message.created_at, now)),
        tr("Priority {priority}", priority=number(message.priority)),
    ]
    if message.origin and listed.agent(message.from_agent_id):
        lines.append(tr("Came by {origin}", origin=one_line(message.origin)))
    facts = [" · ".join(lines)]
    later = []
    if message.attempts:
        later.append(tr_count("Tried {count} time", "Tried {count} times", message.attempts))
    waits = message.state in (QueueState.PENDING, QueueState.FAILED)
    if waits and message.next_attempt_at is not None:
        is_due = message.next_attempt_at <= now
        when = moment(message.next_attempt_at, now)
        later.append(tr("Due since {when}", when=when) if is_due else tr("Next try {when}", when=when))
    if message.processed_at is not None:
        later.append(tr("Processed {when}", when=moment(message.processed_at, now)))
    if message.state is QueueState.RUNNING and message.lease_until is not None:
        later.append(tr("In hand until {when}", when=moment(message.lease_until, now)))
    if later:
        facts.append(" · ".join(later))
    return "\n".join(facts)
