"""Words for agents that run in the window: their states, what happens in a turn, and what a turn took."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inspector.domain.records import QueuedMessage, TokenUsage
from inspector.domain.replies import CallFailure, FailureKind
from inspector.domain.turns import (
    ConsentAsked,
    MessageSent,
    RecoveryMade,
    RepairKind,
    ToolDone,
    TurnEnd,
    TurnError,
    TurnEvent,
)
from inspector.ui.agent_runs import AgentRun, RunState, TurnLog, TurnStep
from inspector.ui.presentation.calls import FailureWords, dollars, failure_words
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, tr, tr_code, tr_count

_STATES: Mapping[RunState, tuple[Callable[[], str], str]] = {
    RunState.STOPPED: (lambda: tr("stopped"), "muted"),
    RunState.STARTING: (lambda: tr("starting"), "info"),
    RunState.WAITING: (lambda: tr("idle"), "ok"),
    RunState.BLOCKED: (lambda: tr("waiting for another turn"), "info"),
    RunState.RUNNING: (lambda: tr("running"), "ok"),
    RunState.COOLDOWN: (lambda: tr("cooling down"), "warning"),
    RunState.PAUSING: (lambda: tr("pausing"), "warning"),
    RunState.PAUSED: (lambda: tr("paused"), "warning"),
    RunState.STOPPING: (lambda: tr("stopping"), "warning"),
    RunState.REFUSED: (lambda: tr("needs you"), "error"),
}
_KINDS = frozenset(FailureKind)


def state_word(state: RunState) -> str:
    """A state in a word or two."""
    return _STATES[state][0]()


def state_tone(state: RunState) -> str:
    """The purpose of the theme that a state is shown in."""
    return _STATES[state][1]


def state_text(run: AgentRun, name: str) -> str:
    """A state as a sentence that says what happens next."""
    sentences = {
        RunState.STOPPED: tr("{name} is stopped. Messages wait in its queue.", name=name),
        RunState.STARTING: tr("Starting {name} …", name=name),
        RunState.WAITING: tr("{name} waits for a message.", name=name),
        RunState.BLOCKED: tr(
            "{name} waits for a turn that {holder} started elsewhere.",
            name=name,
            holder=one_line(run.holder, 40) or tr("another process"),
        ),
        RunState.RUNNING: tr("{name} is processing a message.", name=name),
        RunState.COOLDOWN: tr("{name} waits until the provider takes calls again.", name=name),
        RunState.PAUSING: tr("{name} pauses after this turn.", name=name),
        RunState.PAUSED: tr("{name} is paused. Start lets it go on.", name=name),
        RunState.STOPPING: tr("Stopping {name} …", name=name),
        RunState.REFUSED: tr("{name} can't go on. Its message waits.", name=name),
    }
    return sentences[run.state]


def running_text(runs: Mapping[str, AgentRun]) -> str:
    """How many agents run, for the status bar; nothing where none does."""
    count = sum(each.state.is_started for each in runs.values())
    return tr_count("{count} agent running", "{count} agents running", count) if count else ""


def message_title(message: QueuedMessage, sender: str) -> str:
    """What stands above the message that a turn begins with."""
    if sender:
        return tr("Message from {name}", name=one_line(sender, 60))
    origin = one_line(message.origin, 40)
    return tr("Message ({origin})", origin=origin) if origin else tr("Message")


def event_words(event: TurnEvent) -> tuple[str, str, str] | None:
    """A heading, a text and a tone for an event; None for what streams, and for what is shown elsewhere."""
    if isinstance(event, ToolDone):
        if event.is_error:
            return tr("{name} failed", name=one_line(event.name, 60)), event.content, "error"
        return tr("Result of {name}", name=one_line(event.name, 60)), event.content, ""
    if isinstance(event, ConsentAsked):
        text = tr("The edit of {label} waits in Approvals.", label=one_line(event.label, 60))
        return tr("Waits for approval"), text, "warning"
    if isinstance(event, MessageSent):
        return tr("Sent to you"), event.text, ""
    if isinstance(event, RecoveryMade):
        return tr("Recovery"), _recovery_text(event), "warning"
    if isinstance(event, TurnError):
        words = error_words(event, "")
        return tr("Error"), "\n".join(each for each in (words.title, words.server) if each), "error"
    return None


def error_words(error: TurnError, variable: str) -> FailureWords:
    """What is said of a turn that failed: what happened, the server's words, what to do."""
    if error.kind in _KINDS:
        # The code names the kind again, unless it says what went wrong on this side.
        code = "" if error.code.startswith("call_failed.") else error.code
        failure = CallFailure(
            FailureKind(error.kind),
            error.message,
            retry_after=error.retry_after,
            code=code,
            parameters=error.parameters,
        )
        return failure_words(failure, variable or tr("Settings"))
    title = tr_code(error.code, error.parameters) if error.code else tr("The turn failed")
    return FailureWords(
        title, error.message, tr("Change what it names, then retry the message in the queue.")
    )


def _recovery_text(made: RecoveryMade) -> str:
    repairs = {
        RepairKind.WAIT: tr("Waited {seconds} s, then sent again.", seconds=f"{made.seconds:g}"),
        RepairKind.DROP_THINKING: tr("Sent again without earlier thinking."),
        RepairKind.DROP_EMPTY: tr("Sent again without empty messages."),
        RepairKind.PAIR_CALLS: tr("Sent again with each tool call beside its result."),
        RepairKind.CALLS_AS_TEXT: tr("Sent again with tool calls as text."),
        RepairKind.COMPRESS: tr("Sent again with a shorter history."),
    }
    lines = [f"{tr_code(f'call_failed.{made.kind.value}')}. {repairs[made.repair]}", made.message]
    return "\n".join(each for each in lines if each)


def turn_text(log: TurnLog) -> str:
    """What a turn took so far: how it ended, calls, tokens and price."""
    parts = []
    if log.done is not None:
        parts.append(_ENDS[log.done.end]())
    parts.append(tr_count("{count} call", "{count} calls", len(log.steps)))
    usages = [each.usage for each in log.steps if each.usage is not None]
    if any(each.input_tokens is not None for each in usages):
        parts.append(tr("{count} tokens in", count=number(_sum(usages, lambda each: each.input_tokens))))
    if any(each.output_tokens is not None for each in usages):
        parts.append(tr("{count} out", count=number(_sum(usages, lambda each: each.output_tokens))))
    costs = [each.cost for each in log.steps if each.cost is not None]
    if costs:
        parts.append(dollars(sum(costs)))
    if log.done is not None and log.done.wants_more:
        parts.append(tr("asked for another turn"))
    return " · ".join(parts)


_ENDS: Mapping[TurnEnd, Callable[[], str]] = {
    TurnEnd.REPLIED: lambda: tr("Replied"),
    TurnEnd.EXITED: lambda: tr("Ended by a tool rule"),
    TurnEnd.STOPPED: lambda: tr("Stopped"),
    TurnEnd.FAILED: lambda: tr("Failed"),
}


def _sum(usages: Sequence[TokenUsage], figure: Callable[[TokenUsage], int | None]) -> int:
    return sum(figure(each) or 0 for each in usages)


def step_figure(step: TurnStep, figure: Callable[[TokenUsage], int | None]) -> str:
    """A charged figure of a step; ``…`` while its call runs, ``–`` where the provider said none."""
    if step.usage is None:
        return "…"
    found = figure(step.usage)
    return "–" if found is None else number(found)


def step_price(step: TurnStep) -> str:
    """The price of a step; ``…`` while its call runs."""
    return "…" if step.usage is None else dollars(step.cost)
