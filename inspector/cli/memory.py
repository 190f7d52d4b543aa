"""The commands on blocks and attachments: blocks, show, share and search."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import BlockName, choose_agent, choose_block, seen_by
from inspector.cli.options import AGENT, BLOCK, FILE, JSON, OWNER, REASON, TimeParam, example
from inspector.cli.session import asynchronous, opened, plain_problem
from inspector.cli.terminal import format_table, write_exactly, write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, Permission, UnreadableSchema
from inspector.domain.codec import to_plain, write_time
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import AttachBlock, DetachBlock
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import LARGEST_PAGE, FoundState, Hit, SearchQuery, SearchResult, Snippet
from inspector.domain.snapshot import BlockState
from inspector.runtime.engine import Engine
from inspector.runtime.rendering import counted_characters, rendered_text
from inspector.runtime.wording import word

_KINDS = {"block": RefKind.BLOCK, "archival": RefKind.ARCHIVAL, "message": RefKind.MESSAGE}
_KINDS |= {"summary": RefKind.SUMMARY}
_LEVELS = {level.label: level for level in Permission}
_MOST_LINES = 3
_LONGEST_LINE = 200


async def _lines_found(engine: Engine, hit: Hit) -> str:
    """The lines of a structured block in which the words stand, with their fields' names; nothing of other things.

    Search knows the values alone, of which a number or a word says little.
    """
    state = await engine.blocks.get(hit.ref.id) if hit.ref.kind is RefKind.BLOCK else None
    if state is None or isinstance(state.content, TextContent | None) or not _is_readable(state):
        return ""
    words = {hit.snippet.text[span.start : span.end] for span in hit.snippet.spans}
    lines = (line.strip() for line in rendered_text(state).splitlines())
    found = [line for line in lines if any(each in line for each in words)]
    return "" if any(len(line) > _LONGEST_LINE for line in found) else " · ".join(found[:_MOST_LINES])


def _is_readable(state: BlockState) -> bool:
    return state.problem is None and not isinstance(state.block.schema, UnreadableSchema)


def _owner(asked: str, agents: Sequence[Agent]) -> str:
    return asked if asked == CONSTELLATION_OWNER else choose_agent(agents, asked).id


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


def _plain_result(result: SearchResult) -> dict[str, Any]:
    return {"total": result.total, "capped": result.capped, "hits": [_plain_hit(hit) for hit in result.hits]}


def _plain_hit(hit: Hit) -> dict[str, Any]:
    return {
        "kind": hit.ref.kind.value,
        "id": hit.ref.id,
        "owner": hit.owner,
        "role": hit.role,
        "state": hit.state.value,
        "at": write_time(hit.at),
        "score": hit.score,
        "title": to_plain(hit.title),
        "snippet": to_plain(hit.snippet),
    }


def _print_result(result: SearchResult, names: dict[str, str], lines: dict[Ref, str]) -> None:
    for hit in result.hits:
        owner = "" if hit.owner is None else names.get(hit.owner, hit.owner)
        facts = [
            hit.ref.kind.value,
            hit.ref.id,
            owner,
            hit.role or "",
            write_time(hit.at)[:16].replace("T", " "),
        ]
        if hit.state is not FoundState.ACTIVE:
            facts.append(hit.state.value)
        write_line(" · ".join(each for each in facts if each))
        found = lines.get(hit.ref, "")
        for snippet in (hit.title, Snippet(found, ()) if found else hit.snippet):
            if snippet.text:
                before, after = "…" if snippet.cut_before else "", "…" if snippet.cut_after else ""
                write_line(f"    {before}{' '.join(snippet.text.split())}{after}")
    write_line(word("told.found", {"shown": len(result.hits), "total": result.total}))


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


@click.command("search", epilog=example('search my.constellation "release date"'))
@click.argument("file", type=FILE)
@click.argument("text")
@click.option("--agent", metavar="ID|NAME", help="Show only what this agent sees.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(list(_KINDS)), help="Search only this kind."
)
@click.option("--owner", "owners", multiple=True, metavar="ID|NAME", help="Search only what this agent owns.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    type=click.Choice([role.value for role in Role]),
    help="Search only messages of this role.",
)
@click.option("--since", type=TimeParam(), help="Search only from this time on.")
@click.option("--until", type=TimeParam(), help="Search only before this time.")
@click.option("--deleted", is_flag=True, help="Include deleted items.")
@click.option(
    "--limit",
    type=click.IntRange(1, LARGEST_PAGE),
    default=20,
    show_default=True,
    help="Show this many hits.",
)
@click.option("--offset", type=click.IntRange(0), default=0, show_default=True, help="Skip this many hits.")
@JSON
@asynchronous
async def _search(
    file: Path,
    text: str,
    agent: str | None,
    kinds: tuple[str, ...],
    owners: tuple[str, ...],
    roles: tuple[str, ...],
    since: datetime | None,
    until: datetime | None,
    deleted: bool,
    limit: int,
    offset: int,
    as_json: bool,
) -> None:
    """Search blocks, archival entries, messages and summaries."""
    async with opened(file) as engine:
        agents = await every_agent(engine)
        states = {FoundState.ACTIVE, FoundState.ARCHIVED}
        query = SearchQuery(
            storable(text),
            None if agent is None else choose_agent(agents, agent).id,
            frozenset(_owner(each, agents) for each in owners),
            frozenset(_KINDS[each] for each in kinds),
            frozenset(Role(each) for each in roles),
            frozenset(states | {FoundState.DELETED} if deleted else states),
            since,
            until,
            limit,
            offset,
        )
        result = await engine.search.find(query)
        lines = {} if as_json else {hit.ref: await _lines_found(engine, hit) for hit in result.hits}
    names = {each.id: each.name for each in agents}
    if as_json:
        write_json(_plain_result(result))
    else:
        _print_result(result, names, lines)


MEMORY_COMMANDS: tuple[click.Command, ...] = (_show, _blocks, _share, _search)
