"""The commands undo and redo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import BlockName, choose_agent, choose_block
from inspector.cli.options import AS_AGENT, FILE, JSON, OWNER, REASON, UNLOCK, TargetParam, example
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.changes import Change
from inspector.domain.codec import write_time
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.block_rows import SetSchema
from inspector.domain.errors import Parameters, Refusal, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoneStep, UndoRequest, UndoStep
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

_ALL = 1_000_000_000
"""Steps that a changeset is looked for among."""
_MOST_DIGITS = 18
_LISTED = 50
"""Steps that a list has."""


@dataclass(frozen=True, slots=True)
class UndoOptions:
    """What `undo` and `redo` were given besides the file."""

    agent: str | None = None
    block: str | None = None
    owner: str | None = None
    target: Ref | None = None
    change: str | None = None
    reason: str = ""
    unlock: bool = False
    as_agent: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """Whose steps, and which of them: of one thing, or of what belongs to an agent."""

    actor: Actor
    ref: Ref | None = None
    owner: str | None = None


async def _undo(path: Path, asked: UndoOptions, *, redo: bool, as_json: bool) -> None:
    async with opened(path, "refuse") as engine:
        place = await _place(engine, asked)
        change = await _change(engine, place, asked.change, redo=redo)
        wish = UndoRequest(place.actor, place.ref, place.owner, change, asked.reason, unlock=asked.unlock)
        done = await (engine.edits.redo_wish(wish) if redo else engine.edits.undo_wish(wish))
        lines = [] if as_json else await _lines(engine, done, redo=redo)
    if as_json:
        write_json(_plain(done))
    for line in lines:
        write_line(line)


async def _list_steps(path: Path, asked: UndoOptions, *, redo: bool, as_json: bool) -> None:
    async with opened(path) as engine:
        place = await _place(engine, asked)
        steps = await _steps(engine, place, _LISTED, redo=redo)
        targets = [await _targets(engine, step) for step in steps]
    if as_json:
        write_json({"actor": place.actor.name, "steps": list(map(_plain_step, steps))})
        return
    rows = [
        (
            str(step.seq),
            write_time(step.at)[:19].replace("T", " "),
            ", ".join(_operations(step.changes)),
            thing,
            step.changes[-1].reason,
            step.changeset or "",
        )
        for step, thing in zip(steps, targets, strict=True)
    ]
    none = word("refused.nothing_to_redo" if redo else "refused.nothing_to_undo", {"actor": place.actor.name})
    head = ("Change", "When", "What", "Of", "Reason", "Changeset")
    write_line(format_table(head, rows, frozenset({0})) if rows else none)


async def _place(engine: Engine, asked: UndoOptions) -> _Place:
    if asked.block is not None:
        named = BlockName(asked.agent, asked.block, asked.owner, asked.as_agent)
        chosen = await choose_block(engine, named, deleted=True)
        return _Place(chosen.actor, Ref(RefKind.BLOCK, chosen.id))
    agents = await every_agent(engine)
    target = asked.target
    if target is not None and target.kind is RefKind.AGENT:
        target = Ref(RefKind.AGENT, choose_agent(agents, target.id).id)
    if asked.as_agent:
        agent = choose_agent(agents, asked.agent)
        return _Place(Actor(ActorKind.AGENT, agent.id, agent.name), target)
    owner = None if asked.agent is None else choose_agent(agents, asked.agent).id
    return _Place(engine.actor, target, owner)


async def _steps(engine: Engine, place: _Place, most: int, *, redo: bool) -> Sequence[UndoStep]:
    stack = await engine.edits.undo_stack(place.actor, place.ref, most, owner=place.owner)
    return stack.redo if redo else stack.undo


async def _change(engine: Engine, place: _Place, named: str | None, *, redo: bool) -> int | None:
    """The number of a change of the step that is named, None for the newest of which something is left.

    Raises:
        RefusedError: ``refused.nothing_to_undo`` or ``refused.nothing_to_redo``, there is no such step.
    """
    if named is None:
        return None
    if named.isdecimal() and len(named) <= _MOST_DIGITS:
        return int(named)
    for step in await _steps(engine, place, _ALL, redo=redo):
        if named == step.changeset:
            return step.seq
    code = "refused.nothing_to_redo" if redo else "refused.nothing_to_undo"
    raise RefusedError(Refusal(code, {"actor": place.actor.name}))


async def _lines(engine: Engine, done: UndoneStep, *, redo: bool) -> list[str]:
    step = done.step
    help_text: Parameters = {
        "operation": step.op.replace("_", " "),
        "label": await _name(engine, step.ref),
        "operations": _operations(step.changes),
        "changeset": step.changeset or "",
        "when": write_time(step.at)[:19].replace("T", " "),
    }
    code = "told.redone" if redo else "told.undone"
    lines = [word(code if len(step.changes) == 1 else f"{code}_together", help_text)]
    for passed in done.passed:
        facts: Parameters = {
            "operations": _operations(passed.changes),
            "label": await _name(engine, passed.ref),
        }
        lines.append(word("told.undo_passed", facts))
    skipped = "told.undo_converted" if step.op == SetSchema.op else "told.undo_skipped"
    return [*lines, *(word(skipped, {"what": str(ref)}) for ref in done.skipped)]


async def _targets(engine: Engine, step: UndoStep) -> str:
    """What a step changed: the first thing by its name, and how many others."""
    targets = dict.fromkeys(change.ref.whole for change in step.changes)
    name = await _name(engine, next(iter(targets)))
    return name if len(targets) == 1 else f"{name} (+{len(targets) - 1:,})"


async def _name(engine: Engine, ref: Ref) -> str:
    state = await engine.memory.get(ref.id) if ref.kind is RefKind.BLOCK else None
    return str(ref) if state is None else state.block.label


def _operations(changes: Sequence[Change]) -> tuple[str, ...]:
    """The names of the operations in their order, each with how often it was done if more than once."""
    counts = Counter(change.kind.replace("_", " ") for change in changes)
    return tuple(name if count == 1 else f"{name} ({count:,})" for name, count in counts.items())


def _plain(done: UndoneStep) -> dict[str, Any]:
    return {
        "operation": done.step.op,
        "at": write_time(done.step.at),
        "changes": [receipt.seq for receipt in done.receipts],
        "skipped": [str(ref) for ref in done.skipped],
        "step": _plain_step(done.step),
        "passed": list(map(_plain_step, done.passed)),
    }


def _plain_step(step: UndoStep) -> dict[str, Any]:
    return {
        "change": step.seq,
        "changeset": step.changeset,
        "at": write_time(step.at),
        "reason": step.changes[-1].reason,
        "edits": [
            {"change": each.seq, "operation": each.kind, "target": str(each.ref)} for each in step.changes
        ],
    }


def _command(name: str, help_text: str, *, redo: bool) -> click.Command:
    @click.command(name, help=help_text, epilog=example(f"{name} my.constellation --list"))
    @click.argument("file", type=FILE)
    @click.option(
        "--agent",
        metavar="ID|NAME",
        help="Choose the agent that sees the block. Without --block, take only its changes.",
    )
    @click.option("--block", metavar="ID|LABEL", help="Take only changes of this block.")
    @OWNER
    @click.option("--target", type=TargetParam(), help="Take only changes of this item, such as summary:ID.")
    @click.option(
        "--change",
        metavar="NUMBER|CHANGESET",
        help="Take this change instead of the newest, as numbered by --list and `history --json`.",
    )
    @click.option(
        "--list", "listing", is_flag=True, help="List the changes, the next one first. Change nothing."
    )
    @REASON
    @UNLOCK
    @AS_AGENT
    @JSON
    @asynchronous
    async def command(file: Path, listing: bool, as_json: bool, **given: Any) -> None:
        if given["block"] is not None and given["target"] is not None:
            raise click.UsageError("use --block or --target, not both")
        if given["owner"] is not None and given["block"] is None:
            raise click.UsageError("--owner needs --block")
        if listing and given["change"] is not None:
            raise click.UsageError("--list can't be combined with --change")
        asked = UndoOptions(**{**given, "reason": storable(given["reason"])})
        await (_list_steps if listing else _undo)(file, asked, redo=redo, as_json=as_json)

    return command


UNDO_COMMANDS: tuple[click.Command, ...] = (
    _command(
        "undo",
        "Undo your newest change. It may be of a block, a summary and what it archived, or an agent's settings. What "
        "others wrote since stays.",
        redo=False,
    ),
    _command("redo", "Redo what you undid last.", redo=True),
)
