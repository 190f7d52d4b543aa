"""The command that searches everything a constellation holds, and what of it was in a sent Request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from inspector.cli.agents import every_agent
from inspector.cli.lookup import choose_agent
from inspector.cli.options import FILE, JSON, TimeParam, example
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.agents import Agent
from inspector.domain.blocks import CONSTELLATION_OWNER, UnreadableSchema
from inspector.domain.codec import to_plain, write_time
from inspector.domain.content import TextContent
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import LARGEST_PAGE, VERSION, FoundState, Hit, SearchResult, SentText, Snippet
from inspector.domain.search_language import KIND_VALUES
from inspector.domain.snapshot import BlockState
from inspector.runtime.engine import Engine
from inspector.runtime.rendering import rendered_text
from inspector.runtime.wording import word

_MOST_LINES = 3
_LONGEST_LINE = 200


async def _lines_found(engine: Engine, hit: Hit) -> str:
    """The lines of a structured block in which the words stand, with their fields' names; nothing of other things.

    Search knows the values alone, of which a number or a word says little.
    """
    state = await engine.blocks.get(hit.ref.id) if hit.kind == RefKind.BLOCK else None
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


def _plain_result(result: SearchResult) -> dict[str, Any]:
    return {
        "total": result.total,
        "capped": result.capped,
        "named": None if result.named is None else str(result.named),
        "facets": {facet.value: dict(counts) for facet, counts in result.facets.items()},
        "hits": [_plain_hit(hit) for hit in result.hits],
    }


def _plain_hit(hit: Hit) -> dict[str, Any]:
    return {
        "kind": hit.kind,
        "id": hit.ref.id,
        "version": hit.version,
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
            hit.kind if hit.version is None else f"{hit.kind} {hit.version}",
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


@click.command("search", epilog=example('search my.constellation "role:tool tokens:>500 release"'))
@click.argument("file", type=FILE)
@click.argument("text")
@click.option("--agent", metavar="ID|NAME", help="Show only what this agent sees.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KIND_VALUES), help="Search only this kind.")
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
@click.option("--sent", is_flag=True, help="Show in which sent Requests this text stood, first and last.")
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
    sent: bool,
    as_json: bool,
) -> None:
    """Search blocks, messages, summaries, archival entries, tools and events.

    Beside words and "exact words", TEXT may have kind:, block:, tool:, agent:, role:, is:, tokens:, after:, before:
    and on:, such as role:tool tokens:>500 after:2026-10. kind:version searches the past versions of blocks.
    """
    async with opened(file) as engine:
        if sent:
            _print_sent(await engine.search.sent(storable(text)), as_json=as_json)
            return
        agents = await every_agent(engine)
        read = await engine.search.read(storable(text), engine.surroundings.clock().astimezone(UTC))
        query = replace(
            read,
            agent_id=None if agent is None else choose_agent(agents, agent).id,
            owners=read.owners | {_owner(each, agents) for each in owners},
            kinds=read.kinds | {RefKind(each) for each in kinds if each != VERSION},
            versions=read.versions or VERSION in kinds,
            roles=read.roles | {Role(each) for each in roles},
            states=read.states | {FoundState.DELETED} if deleted else read.states,
            since=since or read.since,
            until=until or read.until,
            limit=limit,
            offset=offset,
            faceted=as_json,
        )
        result = await engine.search.find(query)
        lines = {} if as_json else {hit.ref: await _lines_found(engine, hit) for hit in result.hits}
    names = {each.id: each.name for each in agents}
    if as_json:
        write_json(_plain_result(result))
    else:
        _print_result(result, names, lines)


def _print_sent(found: SentText, *, as_json: bool) -> None:
    if as_json:
        write_json(to_plain(found))
    elif not found.total:
        write_line(word("told.nothing_sent"))
    elif found.first is None or found.last is None:
        write_line(word("told.not_sent", {"total": found.total}))
    else:
        write_line(word("told.sent", {"count": found.count, "total": found.total}))
        for code, once in (("told.sent_first", found.first), ("told.sent_last", found.last)):
            at = write_time(once.at)[:19].replace("T", " ")
            write_line(word(code, {"at": at, "run": once.run_id, "model": once.model}))


SEARCH_COMMANDS: tuple[click.Command, ...] = (_search,)
