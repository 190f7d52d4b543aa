"""Finds what `edit` writes to: a block, a new block, or a row of another kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import click

from inspector.cli.lookup import BlockName, choose_agent, choose_block
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.codec import from_plain
from inspector.domain.dataclass import dataclass
from inspector.domain.edits import block_rows, consent, rows
from inspector.domain.edits.access import TARGETS
from inspector.domain.edits.base import Operation
from inspector.domain.edits.registry import OPERATIONS
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine

_AGENT_KEYS: Mapping[type[Operation], str] = {
    **dict.fromkeys(
        (
            block_rows.InsertArchival,
            rows.PutToolRule,
            rows.AppendMessage,
            rows.StoreSummary,
            rows.LogEvent,
            rows.SetWakeup,
            rows.StoreRun,
            consent.RequestConsent,
            consent.GrantConsent,
        ),
        "agent_id",
    ),
    rows.EnqueueMessage: "target_agent_id",
}
"""Operations that name an agent, and where. It is the one of `--agent` when they do not."""

_ON_AN_AGENT = frozenset({rows.ConfigureAgent, rows.CompactHistory})
_NAMED_INSIDE: Mapping[type[Operation], str] = {rows.PutTool: "tool", rows.PutLayout: "layout"}
_MAKES_ONE = frozenset({*_AGENT_KEYS, rows.CreateAgent})


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """What the options said of where to."""

    agent: str | None = None
    block: str | None = None
    owner: str | None = None
    target: Ref | None = None
    as_agent: bool = False

    def named(self, block: str) -> BlockName:
        return BlockName(self.agent, block, self.owner, self.as_agent)


@dataclass(frozen=True, slots=True)
class TargetedOperation:
    """An operation with its target, who acts, and what a person calls the target."""

    target: Ref
    operation: Operation
    actor: Actor
    name: str


async def aim(
    engine: Engine, pointed: TargetOptions, operation: Operation | Mapping[str, Any]
) -> TargetedOperation:
    """Find what an operation, or its JSON, is for. What the options say already need not stand in the JSON.

    Raises:
        click.UsageError: an option is missing or one too many. NotFoundError, AmbiguousError: with the candidates.
        MalformedError: the JSON is no operation. InputError: nothing can be aimed at.
    """
    plain: Mapping[str, Any] = {} if isinstance(operation, Operation) else operation
    kind = _kind(operation)
    kinds = TARGETS.get(kind, frozenset())
    if not kinds:
        raise InputError("input.only_asked", operation=kind.op)
    if RefKind.BLOCK not in kinds:
        return await _at_a_row(engine, pointed, kind, plain)
    if kind is block_rows.CreateBlock:
        return await _at_a_new_block(engine, pointed, plain)
    read = operation if isinstance(operation, Operation) else _operation(plain)
    name = _block_name(pointed, read)
    chosen = await choose_block(
        engine, pointed.named(name), deleted=isinstance(read, block_rows.RestoreBlock)
    )
    return TargetedOperation(Ref(RefKind.BLOCK, chosen.id), read, chosen.actor, chosen.label)


def _kind(operation: Operation | Mapping[str, Any]) -> type[Operation]:
    if isinstance(operation, Operation):
        return type(operation)
    name = operation.get("op")
    if not isinstance(name, str) or name not in OPERATIONS:
        raise MalformedError("malformed.value", where="$.op", why=f"unknown op {name!r}")
    return OPERATIONS[name]


def _block_name(pointed: TargetOptions, operation: Operation) -> str:
    if pointed.target is not None:
        raise click.UsageError(f"{operation.op} applies to a block: use --block, not --target")
    if pointed.block is None:
        raise click.UsageError("Missing option '--block'.")
    return pointed.block


async def _at_a_new_block(
    engine: Engine, pointed: TargetOptions, plain: Mapping[str, Any]
) -> TargetedOperation:
    """A new block bears the name of `--block`; where its JSON has a label of its own, that name is its id."""
    if pointed.target is not None:
        raise click.UsageError("use --block to name a new block, not --target")
    name = pointed.block
    if name is None and "label" not in plain:
        raise click.UsageError("Missing option '--block'.")
    owner = plain.get("owner") or await _owner(engine, pointed)
    read = cast("block_rows.CreateBlock", _operation({"label": name, **plain, "owner": owner}))
    block_id = "" if name is None or name == read.label else name
    actor = await _actor(engine, pointed)
    return TargetedOperation(Ref(RefKind.BLOCK, block_id), read, actor, read.label)


async def _owner(engine: Engine, pointed: TargetOptions) -> str:
    if pointed.owner == CONSTELLATION_OWNER:
        return CONSTELLATION_OWNER
    return choose_agent(await _agents(engine), pointed.owner or pointed.agent).id


async def _at_a_row(
    engine: Engine, pointed: TargetOptions, kind: type[Operation], plain: Mapping[str, Any]
) -> TargetedOperation:
    kinds = TARGETS[kind]
    wrong = pointed.target if pointed.block is None else Ref(RefKind.BLOCK, pointed.block)
    if wrong is not None and wrong.kind not in kinds:
        raise InputError("input.no_store", operation=kind.op, target=str(wrong))
    key = _AGENT_KEYS.get(kind)
    if key is not None and key not in plain:
        plain = {**plain, key: choose_agent(await _agents(engine), pointed.agent).id}
    read = _operation(plain)
    target = await _row(engine, pointed, read)
    return TargetedOperation(target, read, await _actor(engine, pointed), target.id or target.kind.value)


async def _row(engine: Engine, pointed: TargetOptions, operation: Operation) -> Ref:
    kind, kinds = type(operation), TARGETS[type(operation)]
    given = pointed.target
    if given is not None:
        if given.kind is RefKind.AGENT and kind is not rows.CreateAgent:
            return Ref(RefKind.AGENT, choose_agent(await _agents(engine), given.id).id)
        return given
    if kind in _ON_AN_AGENT:
        return Ref(RefKind.AGENT, choose_agent(await _agents(engine), pointed.agent).id)
    if kind in _NAMED_INSIDE:
        return Ref(next(iter(kinds)), getattr(operation, _NAMED_INSIDE[kind]).name)
    if kind in _MAKES_ONE or kinds == {RefKind.CONSTELLATION}:
        return Ref(next(iter(kinds)), "")
    example = " or ".join(f"{each.value}:ID" for each in sorted(kinds))
    raise click.UsageError(f"{kind.op} needs --target {example}")


async def _actor(engine: Engine, pointed: TargetOptions) -> Actor:
    if not pointed.as_agent:
        return engine.actor
    agent = choose_agent(await _agents(engine), pointed.agent)
    return Actor(ActorKind.AGENT, agent.id, agent.name)


async def _agents(engine: Engine) -> tuple[Agent, ...]:
    return (await engine.agents.list())[0]


def _operation(plain: Mapping[str, Any]) -> Operation:
    return cast("Operation", from_plain(Operation, dict(plain)))
