"""The command that removes versions of a block for good."""

from __future__ import annotations

from pathlib import Path

import click

from inspector.cli.lookup import BlockName, choose_block
from inspector.cli.options import AGENT, BLOCK, FILE, JSON, OWNER, REASON, example
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import write_json, write_line
from inspector.cli.writing import storable
from inspector.domain.errors import RefusedError
from inspector.domain.redaction import RedactionPlan, RedactionResult
from inspector.runtime.wording import word


@click.command("redact", epilog=example("redact my.constellation --block notes --seq 3 --seq 4 --yes"))
@click.argument("file", type=FILE)
@AGENT
@BLOCK
@OWNER
@click.option(
    "--seq",
    "numbers",
    type=int,
    multiple=True,
    required=True,
    metavar="VERSION",
    help="Redact this version, as numbered by `history`. Repeat for more.",
)
@click.option("--yes", is_flag=True, help="Remove them now. Without it, only what would be removed is shown.")
@REASON
@JSON
@asynchronous
async def redact_command(
    file: Path,
    agent: str | None,
    block: str,
    owner: str | None,
    numbers: tuple[int, ...],
    yes: bool,
    reason: str,
    as_json: bool,
) -> None:
    """Remove the content of versions of a block for good.

    Their rows stay, with who wrote them, when and why. No byte of the file holds their text afterwards, and undo can't
    bring it back. Backups, exports and other rows that quote it aren't changed: they are listed.
    """
    async with opened(file, "refuse" if yes else "copy") as engine:
        chosen = await choose_block(engine, BlockName(agent, block, owner), deleted=True)
        if yes:
            # What an interrupted redaction has left to do.
            await engine.redaction.clean()
        plan = await engine.redaction.plan(chosen.id, numbers)
        if plan.refusal is not None:
            raise RefusedError(plan.refusal)
        done = None
        if yes:
            done = await engine.redaction.redact(chosen.id, plan.numbers, chosen.actor, storable(reason))
    if as_json:
        _write_plain(plan, done)
    else:
        _write_words(plan, done)


def _write_plain(plan: RedactionPlan, done: RedactionResult | None) -> None:
    write_json(
        {
            "block": plan.block_id,
            "versions": list(plan.numbers),
            "lost": list(plan.lost if done is None else done.lost),
            "holding": list(plan.holding),
            "secrets": list(plan.secrets),
            "places": dict(plan.places),
            "backups": [each.path for each in plan.backups],
            "redacted": done is not None,
            "clean": done is not None and done.is_clean,
            "seq": None if done is None else done.change,
        }
    )


def _write_words(plan: RedactionPlan, done: RedactionResult | None) -> None:
    count = len(plan.numbers)
    if done is None:
        versions = _numbered(plan.numbers)
        write_line(word("told.redact_plan", {"count": count, "label": plan.label, "versions": versions}))
    for secret in plan.secrets:
        write_line(word("told.redact_secret", {"secret": secret}))
    if plan.holding:
        write_line(word("told.redact_holding", {"versions": _numbered(plan.holding)}))
    lost = plan.lost if done is None else done.lost
    if lost:
        write_line(word("told.redact_lost", {"versions": _numbered(lost)}))
    for table, rows in plan.places.items():
        write_line(word("told.redact_place", {"table": table, "count": rows}))
    for backup in plan.backups:
        write_line(word("told.redact_backup", {"path": backup.path}))
    if done is None:
        write_line(word("told.redact_final"))
        return
    write_line(word("told.redacted", {"count": count, "label": plan.label, "seq": str(done.change)}))
    if not done.is_clean:
        write_line(word("told.redacted_unclean"))


def _numbered(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))
