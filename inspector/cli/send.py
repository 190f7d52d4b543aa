"""The command that sends an agent's Request to a model and prints the reply: send."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.calling import FORM_NAMES, destination_of, key_of, print_failure
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, JSON, choosing, example
from inspector.cli.session import DONE, INPUT_AT_FAULT, asynchronous, opened, plain_problem, problem_line
from inspector.cli.terminal import write_error, write_exactly, write_json, write_line
from inspector.domain.calls import ApiKey, PreparedCall, cost_of
from inspector.domain.codec import to_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.limits import Strategy
from inspector.domain.replies import Reply, StopReason, TextDelta
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.clock_and_ids import system_clock
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word


@dataclass(frozen=True, slots=True)
class SendOptions:
    """What `send` was given besides the file and how the Request is built."""

    agent: str | None
    provider: str
    form: str | None
    message: str
    keep: bool
    as_json: bool


@click.command(
    "send", epilog=example('send my.constellation --agent Ada --provider offline --message "Hello"')
)
@click.argument("file", type=FILE)
@choosing
@click.option(
    "--provider",
    required=True,
    metavar="NAME|URL",
    help=f"Send to offline, {', '.join(FORM_NAMES)}, or an https:// address.",
)
@click.option("--form", type=click.Choice(FORM_NAMES), help="Set the format of an address. Default: openai.")
@click.option("--message", required=True, help="Send this as the user's next message.")
@click.option("--keep", is_flag=True, help="Add the message and the reply to the conversation.")
@JSON
@asynchronous
async def send_command(
    file: Path,
    agent: str | None,
    now: datetime | None,
    zone: str,
    model: str | None,
    layout: str | None,
    strategy: Strategy | None,
    **given: Any,
) -> int:
    """Send an agent's Request with one more message to a model, and print the reply.

    The key comes from the provider's environment variable, such as ANTHROPIC_API_KEY (for an address of your own
    CONTEXT_INSPECTOR_API_KEY), else from the system's key store, where the command keys puts it. Without --keep the
    file stays as it was. A failed call exits with 1.
    """
    asked = SendOptions(agent=agent, **given)
    spec = RequestSpec(now=now or system_clock(), zone=zone, model=model, layout=layout, strategy=strategy)
    async with opened(file, "refuse" if asked.keep else "copy") as engine:
        return await _send(engine, asked, spec)


async def _send(engine: Engine, asked: SendOptions, spec: RequestSpec) -> int:
    chosen = choose_agent(await every_agent(engine), asked.agent)
    destination = destination_of(engine, asked.provider, asked.form)
    drafted = await engine.calls.draft(chosen.id, asked.message, spec)
    prepared = await engine.calls.prepare(drafted.request, drafted.snapshot, destination)
    for problem in () if asked.as_json else prepared.adaptations:
        write_error(f"{problem.severity.value}: {problem_line(problem)}")
    for secret in () if asked.as_json else prepared.secrets:
        write_error(word("told.call_secret", {"kind": secret.kind, "secret": secret.shown}))
    reply = await _streamed(engine, prepared, await key_of(engine, destination), asked)
    run = None
    if asked.keep and reply.failure is None:
        run = await engine.calls.record(prepared, reply, keep=True)
    if reply.failure is not None:
        print_failure(reply.failure, engine.calls.key_variable(destination))
        return INPUT_AT_FAULT
    if asked.as_json:
        write_json(_plain(engine, prepared, reply, run))
        return DONE
    _print_end(engine, prepared, reply)
    if run is not None:
        write_error(word("told.call_kept", {"agent": chosen.name}))
    return DONE


async def _streamed(engine: Engine, prepared: PreparedCall, key: ApiKey | None, asked: SendOptions) -> Reply:
    async with engine.calls.stream(prepared, key) as call:
        async for event in call:
            if isinstance(event, TextDelta) and not asked.as_json:
                write_exactly(event.text)
    if call.reply.parts and not asked.as_json:
        write_line()
    return call.reply


def _print_end(engine: Engine, prepared: PreparedCall, reply: Reply) -> None:
    """Print what isn't the reply's text on standard error: calls, usage and times."""
    for part in reply.parts:
        plain = to_plain(part)
        if plain["type"] == "tool_call":
            write_error(f"{plain['name']} {plain['arguments']} [{plain['id']}]")
    if reply.stop not in (StopReason.END, StopReason.TOOL_CALLS):
        write_error(word("told.call_ended", {"why": reply.stop.value}))
    usage = reply.usage
    cost = cost_of(usage, engine.models.resolve(prepared.model))
    figures = {
        "input": "—" if usage.input_tokens is None else f"{usage.input_tokens:,}",
        "predicted": f"{prepared.tokens:,}",
        "output": "—" if usage.output_tokens is None else f"{usage.output_tokens:,}",
        "seconds": f"{reply.duration_ms / 1000:.1f}",
        "first": "—" if reply.first_token_ms is None else f"{reply.first_token_ms / 1000:.1f}",
        "cost": "—" if cost is None or prepared.destination.form is None else f"${cost:,.4f}",
    }
    write_error(word("told.call_usage", figures))


def _plain(engine: Engine, prepared: PreparedCall, reply: Reply, run: str | None) -> dict[str, Any]:
    texts = [plain["text"] for part in reply.parts if (plain := to_plain(part))["type"] == "text"]
    return {
        "agent": prepared.agent_id,
        "model": prepared.model,
        "provider": prepared.destination.name,
        "url": prepared.url or None,
        "reply": "".join(texts),
        "parts": [to_plain(part) for part in reply.parts],
        "stop": reply.stop.value,
        "provider_stop": reply.provider_stop,
        "usage": to_plain(reply.usage),
        "predicted": {"tokens": prepared.tokens, "method": prepared.method.value},
        "cost": cost_of(reply.usage, engine.models.resolve(prepared.model)) if prepared.url else None,
        "duration_ms": reply.duration_ms,
        "first_token_ms": reply.first_token_ms,
        "status": reply.status,
        "id": reply.id,
        "run": run,
        "secrets": [{"kind": each.kind, "text": each.shown} for each in prepared.secrets],
        "adaptations": [plain_problem(problem) for problem in prepared.adaptations],
    }
