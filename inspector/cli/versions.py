"""The commands on a block's versions: history, diff and restore."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli.lookup import BlockName, choose_block
from inspector.cli.options import AGENT, AS_AGENT, BLOCK, FILE, JSON, OWNER, REASON, UNLOCK, example
from inspector.cli.redacting import redact_command
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import format_table, write_exactly, write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.codec import to_plain, write_time
from inspector.domain.differences.contents import parts_of
from inspector.domain.edits.base import Version
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.redaction import Redacted
from inspector.domain.errors import NotFoundError, Parameters
from inspector.domain.history import BlockVersion
from inspector.runtime.wording import word


def _plain(version: BlockVersion) -> dict[str, Any]:
    return {
        "version": version.seq,
        "at": write_time(version.at),
        "actor": to_plain(version.actor),
        "operation": version.operation,
        "reason": version.reason,
        "characters": version.length,
        "bytes": version.size,
        "change": version.change_seq,
        "changeset": version.changeset,
        "undo_of": version.undo_of,
        "tool_call": version.tool_call_id,
        "folded": version.folded,
        "pending": version.pending,
        "redacted": None if version.redacted is None else _redaction(version.redacted),
    }


def _redaction(redacted: Redacted) -> dict[str, Any]:
    return {"by": to_plain(redacted.by), "at": write_time(redacted.at)}


def _what(version: BlockVersion) -> str:
    if version.redacted is not None:
        return word("told.redacted_by", {"name": version.redacted.by.name})
    op = word("told.unreadable_operation") if version.op is None else version.op.replace("_", " ")
    return word("told.undo_of", {"operation": op}) if version.undo_of is not None else op


def _version(versions: tuple[BlockVersion, ...], number: int) -> Version:
    for each in versions:
        if each.seq == number:
            return each.version
    existing = tuple(str(each.seq) for each in versions[-20:])
    raise NotFoundError("not_found.version", name=str(number), candidates=existing)


@click.command("history", epilog=example("history my.constellation --block notes"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@JSON
@asynchronous
async def _history(file: Path, agent: str | None, block: str, owner: str | None, as_json: bool) -> None:
    """List the versions of a block: who, when, what and why."""
    async with opened(file) as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner), deleted=True)
        versions = await engine.memory.versions.versions(chosen.id)
    if as_json:
        rows = [_plain(each) for each in versions]
        write_json({"block": chosen.id, "label": chosen.label, "versions": rows})
        return
    head = ("Version", "When", "Who", "What", "Characters", "Reason")
    table = [
        (
            str(each.seq),
            write_time(each.at)[:19].replace("T", " "),
            f"{each.actor.name} ({each.actor.kind.value})",
            _what(each),
            "" if each.length is None else f"{each.length:,}",
            each.reason,
        )
        for each in versions
    ]
    none = word("told.no_versions", {"label": chosen.label})
    write_line(format_table(head, table, frozenset({0, 4})) if table else none)


@click.command("diff", epilog=example("diff my.constellation --block notes --from 3"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@click.option("--from", "before", type=int, required=True, metavar="VERSION", help="Compare this version …")
@click.option(
    "--to", "after", type=int, metavar="VERSION", help="… with this one. Default: the current content."
)
@JSON
@asynchronous
async def _diff(
    file: Path,
    agent: str | None,
    block: str,
    owner: str | None,
    before: int,
    after: int | None,
    as_json: bool,
) -> None:
    """Compare two versions of a block as a unified diff."""
    async with opened(file) as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner), deleted=True)
        versions = await engine.memory.versions.versions(chosen.id)
        later = chosen.state.version if after is None else _version(versions, after)
        found = await engine.memory.versions.diff(chosen.id, _version(versions, before), later)
    if as_json:
        write_json(
            {
                "block": chosen.id,
                "from": before,
                "to": after,
                "changed": list(parts_of(found.diff)),
                "unified": found.unified,
            }
        )
    else:
        write_exactly(found.unified)


@click.command("restore", epilog=example("restore my.constellation --block notes --version 3"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@click.option(
    "--version",
    type=int,
    required=True,
    metavar="VERSION",
    help="Restore this version, as numbered by `history`.",
)
@REASON
@UNLOCK
@AS_AGENT
@JSON
@asynchronous
async def _restore(
    file: Path,
    agent: str | None,
    block: str,
    owner: str | None,
    version: int,
    reason: str,
    unlock: bool,
    as_agent: bool,
    as_json: bool,
) -> None:
    """Restore a block to an earlier version, as a new change."""
    async with opened(file, "refuse") as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner, as_agent))
        versions = await engine.memory.versions.versions(chosen.id)
        receipt = await engine.edit(
            chosen.id,
            RestoreVersion(_version(versions, version)),
            reason=storable(reason),
            unlock=unlock,
            actor=chosen.actor,
        )
    if as_json:
        write_json({"block": chosen.id, "seq": receipt.seq, "changed": receipt.changed})
    elif receipt.changed:
        parameters: Parameters = {"label": chosen.label, "version": version, "seq": str(receipt.seq)}
        write_line(word("told.restored", parameters))
    else:
        write_line(word("told.restore_without_effect", {"label": chosen.label, "version": version}))


PAST_COMMANDS: tuple[click.Command, ...] = (_history, _diff, _restore, redact_command)
