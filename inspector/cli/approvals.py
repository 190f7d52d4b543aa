"""The commands consent and queue: what agents ask a person for, and what waits for agents."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import asynchronous, opened, plain_problem, problem_line
from inspector.cli.terminal import format_table, write_error, write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.codec import to_plain, write_time
from inspector.domain.consent import ConsentDecision, ConsentGrant, ConsentRequest, ConsentState
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import DeleteRow
from inspector.domain.edits.rows import SetQueueState
from inspector.domain.records import QueueState
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_SCOPES = {
    "once": ConsentDecision.ONCE,
    "hour": ConsentDecision.FOR_A_TIME,
    "block": ConsentDecision.FOR_BLOCK,
    "agent": ConsentDecision.FOR_AGENT,
}
_HOUR = timedelta(hours=1)
_WHOSE = click.option("--agent", metavar="ID|NAME", help="List only what is this agent's.")


async def _chosen_agent(engine: Engine, asked: str | None) -> str | None:
    return None if asked is None else choose_agent(await every_agent(engine), asked).id


async def _label(engine: Engine, block_id: str) -> str:
    state = await engine.memory.get(block_id)
    return block_id if state is None else state.block.label


async def _plain_request(engine: Engine, request: ConsentRequest, names: dict[str, str]) -> dict[str, Any]:
    return {
        "id": request.id,
        "agent": names.get(request.agent_id, request.agent_id),
        "block": await _label(engine, request.edit.target.id),
        "operation": to_plain(request.edit.operation),
        "reason": request.reason,
        "state": request.state.value,
        "level": request.level.label,
        "created_at": write_time(request.created_at),
        "expires_at": None if request.expires_at is None else write_time(request.expires_at),
        "tool_call": request.tool_call_id,
        "turn": request.batch_id,
        "answer": request.words,
        "edited": request.is_edited,
        "change": request.change,
    }


async def _plain_grant(engine: Engine, grant: ConsentGrant, names: dict[str, str]) -> dict[str, Any]:
    return {
        "id": grant.id,
        "agent": names.get(grant.agent_id, grant.agent_id),
        "block": None if grant.block_id is None else await _label(engine, grant.block_id),
        "expires_at": None if grant.expires_at is None else write_time(grant.expires_at),
        "uses": grant.uses,
    }


async def _list_consent(file: Path, agent: str | None, *, every: bool, as_json: bool) -> None:
    async with opened(file) as engine:
        agent_id = await _chosen_agent(engine, agent)
        names = {each.id: each.name for each in await every_agent(engine)}
        requests, problems = await engine.consent.requests(None if every else ConsentState.PENDING)
        grants, more = await engine.consent.grants()
        rows = [
            await _plain_request(engine, each, names)
            for each in requests
            if agent_id in (None, each.agent_id)
        ]
        standing = [
            await _plain_grant(engine, each, names) for each in grants if agent_id in (None, each.agent_id)
        ]
    if as_json:
        found = [plain_problem(each) for each in (*problems, *more)]
        write_json({"requests": rows, "grants": standing, "problems": found})
        return
    for problem in (*problems, *more):
        write_error(problem_line(problem))
    head = ("Id", "Agent", "Block", "Operation", "State", "Reason")
    table = [
        (
            each["id"],
            each["agent"],
            each["block"],
            str(each["operation"]["op"]).replace("_", " "),
            each["state"].replace("_", " "),
            each["reason"],
        )
        for each in rows
    ]
    write_line(format_table(head, table, frozenset()) if table else word("told.no_requests_wait"))
    if standing:
        rights = [
            (each["id"], each["agent"], each["block"] or "*", each["expires_at"] or "") for each in standing
        ]
        write_line()
        write_line(format_table(("Standing", "Agent", "Block", "Until"), rights, frozenset()))


async def _answer(
    file: Path, request_id: str, decision: ConsentDecision, words: str, *, as_json: bool
) -> None:
    async with opened(file, "refuse") as engine:
        until = engine.surroundings.clock() + _HOUR if decision is ConsentDecision.FOR_A_TIME else None
        request = await engine.consent.answer(request_id, decision, until=until, words=words)
        names = {each.id: each.name for each in await every_agent(engine)}
        plain = await _plain_request(engine, request, names)
    if as_json:
        write_json(plain)
    else:
        write_line(word("told.consent_answered", {"id": request.id, "state": request.state.value}))


async def _apply(file: Path, ref: Ref, operation: Operation, *, as_json: bool) -> None:
    async with opened(file, "refuse") as engine:
        (receipt,) = await engine.apply([Intent(Edit(ref, operation), engine.actor)])
    if as_json:
        write_json({"target": str(ref), "changed": receipt.changed, "change": receipt.seq})
    else:
        write_line(word(f"operation.{operation.op}"))


@click.command("consent", epilog=example("consent my.constellation --allow con_1"))
@click.argument("file", type=FILE)
@_WHOSE
@click.option("--all", "every", is_flag=True, help="List answered requests too.")
@click.option("--allow", metavar="ID", help="Allow this request: its edit is made.")
@click.option(
    "--scope",
    type=click.Choice(list(_SCOPES)),
    default="once",
    show_default=True,
    help="Allow it once, or this agent and block for an hour or from now on, or all blocks of the agent.",
)
@click.option("--ignore", metavar="ID", help="Close this request. Its edit isn't made.")
@click.option("--answer", metavar="ID", help="Answer this request with --words. Its edit isn't made.")
@click.option("--words", default="", help="Write what the agent is to read.")
@click.option("--revoke", metavar="ID", help="End this standing approval.")
@JSON
@asynchronous
async def consent_command(file: Path, every: bool, as_json: bool, **given: Any) -> None:
    """List what agents ask to edit, answer a request, or revoke a standing approval."""
    asked = [name for name in ("allow", "ignore", "answer", "revoke") if given[name] is not None]
    if len(asked) > 1:
        raise click.UsageError("use only one of --allow, --ignore, --answer and --revoke")
    words = storable(given["words"])
    if bool(words.strip()) != (asked == ["answer"]):
        raise click.UsageError("--answer and --words need each other")
    if not asked:
        await _list_consent(file, given["agent"], every=every, as_json=as_json)
    elif asked == ["revoke"]:
        async with opened(file, "refuse") as engine:
            receipt = await engine.consent.revoke(given["revoke"])
        if as_json:
            write_json({"target": str(receipt.ref), "changed": receipt.changed, "change": receipt.seq})
        else:
            write_line(word("operation.revoke_grant"))
    else:
        decision = _SCOPES[given["scope"]] if asked == ["allow"] else ConsentDecision.DENY
        await _answer(file, given[asked[0]], decision, words, as_json=as_json)


async def _list_queue(file: Path, agent: str | None, state: str | None, *, as_json: bool) -> None:
    async with opened(file) as engine:
        agent_id = await _chosen_agent(engine, agent)
        names = {each.id: each.name for each in await every_agent(engine)}
        messages, problems = await engine.agents.queue()
        wakeups, more = await engine.agents.wakeups()
    rows = [
        {**to_plain(each), "agent": names.get(each.target_agent_id, each.target_agent_id)}
        for each in messages
        if agent_id in (None, each.target_agent_id) and state in (None, each.state.value)
    ]
    wakes = [
        {**to_plain(each), "agent": names.get(each.agent_id, each.agent_id)}
        for each in wakeups
        if agent_id in (None, each.agent_id) and state is None
    ]
    if as_json:
        found = [plain_problem(each) for each in (*problems, *more)]
        write_json({"queue": rows, "wakeups": wakes, "problems": found})
        return
    for problem in (*problems, *more):
        write_error(problem_line(problem))
    table = [
        (each["id"], each["agent"], each["state"], str(each["attempts"]), each["last_error"] or "")
        for each in rows
    ]
    head = ("Id", "Agent", "State", "Tries", "Last error")
    write_line(format_table(head, table, frozenset({3})) if table else word("told.queue_empty"))
    if wakes:
        times = [
            (each["id"], each["agent"], each["at"], str(each["every_seconds"] or ""), each["content"])
            for each in wakes
        ]
        write_line()
        write_line(format_table(("Wakeup", "Agent", "At", "Every (s)", "Text"), times, frozenset({3})))


@click.command("queue", epilog=example("queue my.constellation --retry que_1"))
@click.argument("file", type=FILE)
@_WHOSE
@click.option("--state", type=click.Choice([each.value for each in QueueState]), help="List only this state.")
@click.option("--retry", metavar="ID", help="Let this message be tried again.")
@click.option("--cancel", metavar="ID", help="Move this message to the dead letters.")
@click.option("--cancel-wakeup", metavar="ID", help="Delete this wakeup.")
@JSON
@asynchronous
async def queue_command(file: Path, state: str | None, as_json: bool, **given: Any) -> None:
    """List messages that wait for agents, and wakeups; try a message again, or cancel it."""
    asked = [name for name in ("retry", "cancel", "cancel_wakeup") if given[name] is not None]
    if len(asked) > 1:
        raise click.UsageError("use only one of --retry, --cancel and --cancel-wakeup")
    if not asked:
        await _list_queue(file, given["agent"], state, as_json=as_json)
    elif asked == ["cancel_wakeup"]:
        ref = Ref(RefKind.WAKEUP, given["cancel_wakeup"])
        await _apply(file, ref, DeleteRow(), as_json=as_json)
    else:
        wanted = QueueState.PENDING if asked == ["retry"] else QueueState.DEAD
        ref = Ref(RefKind.QUEUE, given[asked[0]])
        await _apply(file, ref, SetQueueState(wanted), as_json=as_json)


APPROVAL_COMMANDS = (consent_command, queue_command)
