"""The commands on blocks and attachments: blocks, show and share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import BlockName, choose_agent, choose_block, seen_by
from inspector.cli.options import AGENT, BLOCK, FILE, JSON, OWNER, REASON, example
from inspector.cli.session import asynchronous, opened, plain_problem
from inspector.cli.terminal import format_table, write_exactly, write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, Permission, UnreadableSchema
from inspector.domain.codec import to_plain, write_time
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, DetachBlock
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.runtime.rendering import counted_characters, rendered_text
from inspector.runtime.wording import word

_LEVELS = {level.label: level for level in Permission}


def _row(state: BlockState, names: dict[str, str]) -> tuple[str, ...]:
    block = state.block
    length = None if state.content is None else counted_characters(state)
    return (
        block.label if block.is_active else word("told.deleted_label", {"label": block.label}),
        names.get(block.owner, block.owner),
        block.block_type.value + (" (pinned)" if block.pinned else ""),
        _schema(state),
        block.permission.label,
        "" if length is None else f"{length:,}",
        f"{block.char_limit:,}" if block.char_limit else "",
        f"{state.revision:,}",
        block.id,
    )


def _plain_row(state: BlockState, names: dict[str, str]) -> dict[str, Any]:
    block = state.block
    return {
        "id": block.id,
        "label": block.label,
        "owner": block.owner,
        "owner_name": names.get(block.owner, block.owner),
        "description": block.description,
        "type": block.block_type.value,
        "schema": _schema(state),
        "permission": block.permission.label,
        "pinned": block.pinned,
        "active": block.is_active,
        "characters": None if state.content is None else counted_characters(state),
        "char_limit": block.char_limit,
        "versions": state.revision,
        "problem": None if state.problem is None else plain_problem(state.problem),
    }


def _schema(state: BlockState) -> str:
    schema = state.block.schema
    if isinstance(schema, UnreadableSchema):
        return "unreadable"
    plain = to_plain(schema)
    return str(plain["kind"]) if isinstance(plain, dict) else ""


def _plain_attachment(each: Attachment) -> dict[str, Any]:
    return {
        "agent": each.agent_id,
        "permission": each.permission.label,
        "attached_at": write_time(each.attached_at),
    }


@click.command("show", epilog=example("show my.constellation --agent Ada --block notes"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@JSON
@asynchronous
async def _show(file: Path, agent: str | None, block: str, owner: str | None, as_json: bool) -> None:
    """Print a block as the model reads it. With --json, print everything about it."""
    async with opened(file) as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner), deleted=as_json)
        state = chosen.state
        if not as_json:
            write_exactly(rendered_text(state))
            return
        attachments = await engine.memory.attachments(chosen.id)
    write_json(
        {
            "block": to_plain(state.block),
            "content": None if state.content is None else to_plain(state.content),
            "rendered": None if state.content is None else rendered_text(state),
            "version": to_plain(state.version),
            "versions": state.revision,
            "written": None if state.written is None else to_plain(state.written),
            "shared_with": [_plain_attachment(each) for each in attachments],
            "problem": None if state.problem is None else plain_problem(state.problem),
        }
    )


@click.command("blocks", epilog=example("blocks my.constellation --agent Ada"))
@click.argument("file", type=FILE)
@click.option("--agent", metavar="ID|NAME", help="Show only what this agent sees.")
@click.option("--deleted", is_flag=True, help="Include deleted blocks.")
@JSON
@asynchronous
async def _blocks(file: Path, agent: str | None, deleted: bool, as_json: bool) -> None:
    """List the blocks of a constellation."""
    async with opened(file) as engine:
        agents = await every_agent(engine)
        states = await engine.blocks.list(deleted=deleted)
        if agent is not None:
            states = await seen_by(engine, choose_agent(agents, agent).id, states)
    names = {each.id: each.name for each in agents}
    if as_json:
        write_json({"blocks": [_plain_row(state, names) for state in states]})
        return
    head = ("Label", "Owner", "Type", "Schema", "Level", "Characters", "Limit", "Versions", "Id")
    table = [_row(state, names) for state in states]
    write_line(format_table(head, table, frozenset({5, 6, 7})) if table else word("told.no_blocks"))


@click.command("share", epilog=example("share my.constellation --block notes --with Grace --level append"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@click.option("--with", "with_agent", metavar="ID|NAME", help="Share it with this agent.")
@click.option(
    "--level",
    type=click.Choice(list(_LEVELS)),
    default=Permission.READ_ONLY.label,
    show_default=True,
    help="Set the permission level.",
)
@click.option("--stop", is_flag=True, help="Stop sharing it with that agent.")
@REASON
@JSON
@asynchronous
async def _share(
    file: Path,
    agent: str | None,
    block: str,
    owner: str | None,
    with_agent: str | None,
    level: str,
    stop: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Share a block with another agent. Without --with, list who sees it."""
    if stop and with_agent is None:
        raise click.UsageError("--stop needs --with")
    async with opened(file, "copy" if with_agent is None else "refuse") as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner))
        if with_agent is not None:
            receiver = choose_agent(await every_agent(engine), with_agent).id
            operation = DetachBlock(receiver) if stop else AttachBlock(receiver, _LEVELS[level])
            edit = Edit(Ref(RefKind.BLOCK, chosen.id), operation)
            await engine.apply([Intent(edit, engine.actor, storable(reason))])
        attachments = await engine.memory.attachments(chosen.id)
        names = {each.id: each.name for each in await every_agent(engine)}
    if as_json:
        write_json({"block": chosen.id, "shared_with": [_plain_attachment(each) for each in attachments]})
        return
    if chosen.state.block.owner == CONSTELLATION_OWNER:
        write_line(word("told.shared_with_all", {"label": chosen.label}))
    elif attachments:
        rows = [
            (
                names.get(each.agent_id, each.agent_id),
                each.permission.label,
                min(each.permission, chosen.state.block.permission).label,
                write_time(each.attached_at)[:19].replace("T", " "),
            )
            for each in attachments
        ]
        write_line(format_table(("Agent", "Level", "In effect", "Since"), rows))
    else:
        write_line(word("told.shared_with_nobody", {"label": chosen.label}))


MEMORY_COMMANDS: tuple[click.Command, ...] = (_show, _blocks, _share)
