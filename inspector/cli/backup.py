"""The commands that keep a file safe: backup and salvage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from inspector.cli.options import FILE, JSON, example
from inspector.cli.session import DONE, INPUT_AT_FAULT, asynchronous, plain_problem, print_problems
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.backups import Backup, BackupReason
from inspector.domain.codec import to_plain, write_time
from inspector.domain.errors import NotFoundError, Parameters, Severity
from inspector.domain.salvage import SalvageReport
from inspector.runtime.backups import backups_of, make_backup, restore_backup
from inspector.runtime.clock_and_ids import system_clock
from inspector.runtime.files import check_file
from inspector.runtime.salvage import salvage
from inspector.runtime.wording import word


async def _back_up(path: Path, *, as_json: bool) -> None:
    made = await make_backup(path, system_clock, BackupReason.BY_HAND)
    if as_json:
        write_json({"backup": _plain(made)})
    else:
        write_line(word("told.backed_up", {"number": str(made.number), "path": made.path}))


async def _list_backups(path: Path, *, as_json: bool) -> None:
    found = await backups_of(path)
    if as_json:
        write_json({"backups": [_plain(each) for each in found]})
        return
    head = ("Number", "Made", "Why", "Last change", "Bytes", "File")
    rows = [
        (
            str(each.number),
            write_time(each.made_at)[:19].replace("T", " "),
            word(f"backup.reason.{each.reason.value}"),
            str(each.seq),
            f"{each.size:,}",
            each.path,
        )
        for each in found
    ]
    write_line(format_table(head, rows, frozenset({0, 3, 4})) if rows else word("told.no_backups"))


async def _restore(path: Path, number: int, target: Path, *, as_json: bool) -> None:
    found = await backups_of(path)
    chosen = next((each for each in found if each.number == number), None)
    if chosen is None:
        candidates = tuple(str(each.number) for each in found)
        raise NotFoundError("not_found.backup", name=str(number), candidates=candidates)
    await restore_backup(Path(chosen.path), target)
    if as_json:
        write_json({"backup": _plain(chosen), "path": str(target)})
    else:
        write_line(word("told.backup_restored", {"number": str(number), "path": str(target)}))


def _plain(backup: Backup) -> dict[str, Any]:
    return {
        "number": backup.number,
        "made_at": write_time(backup.made_at),
        "reason": backup.reason.value,
        "seq": backup.seq,
        "bytes": backup.size,
        "path": backup.path,
    }


def _plain_report(report: SalvageReport) -> dict[str, Any]:
    return {
        "complete": report.is_complete,
        "source": report.source,
        "target": report.target,
        "pages": report.pages,
        "missing_pages": report.missing_pages,
        "damaged_pages": {str(page): table for page, table in report.damaged_pages.items()},
        "unreadable": report.unreadable,
        "blocks": [to_plain(each) for each in report.blocks],
        "kept": dict(report.kept),
        "lost": dict(report.lost),
        "made_up": dict(report.made_up),
        "problems": [plain_problem(problem) for problem in report.problems],
    }


def _print_report(report: SalvageReport) -> None:
    rows = [
        (each.label, each.recovery.value.replace("_", " "), str(each.missing or ""), each.id)
        for each in report.blocks
    ]
    if rows:
        write_line(format_table(("Block", "Recovered", "Versions lost", "Id"), rows, frozenset({2})))
    for table, count in report.lost.items():
        write_line(word("told.salvage_lost", {"count": count, "table": table}))
    print_problems(report.problems)
    # Of those that were cut off it is told above.
    damaged = sum(page <= report.pages for page in report.damaged_pages)
    parameters: Parameters = {"path": report.target, "damaged": damaged, "pages": report.pages}
    write_line(word("told.salvaged_whole" if report.is_complete else "told.salvaged_part", parameters))


@click.command("check", epilog=example("check my.constellation"))
@click.argument("file", type=FILE)
@JSON
@asynchronous
async def _check(file: Path, as_json: bool) -> int:
    """Check a constellation file for damage.

    Hashes reveal a single changed byte in blocks and their history, sharing, messages, summaries, archival entries,
    agents' texts, sent requests and the journal. What is derived from those is computed again and compared. Tools,
    rules, activity, approvals, flags and the queue have no hash: there, only what can't be read is found.
    """
    problems = await check_file(file)
    sound = not any(problem.severity is Severity.ERROR for problem in problems)
    if as_json:
        write_json({"ok": sound, "problems": [plain_problem(problem) for problem in problems]})
    else:
        print_problems(problems)
        write_line(word("told.file_sound" if sound else "told.file_damaged", {"path": str(file)}))
    return DONE if sound else INPUT_AT_FAULT


@click.command("backup", epilog=example("backup my.constellation --restore 2 --out restored.constellation"))
@click.argument("file", type=FILE)
@click.option("--list", "listing", is_flag=True, help="List the backups.")
@click.option("--restore", "number", type=int, metavar="NUMBER", help="Restore this backup into a new file.")
@click.option("--out", type=FILE, help="Name the new file for --restore.")
@JSON
@asynchronous
async def _backup(file: Path, listing: bool, number: int | None, out: Path | None, as_json: bool) -> None:
    """Make, list or restore backups. A restore always makes a new file."""
    if (number is None) != (out is None) or (listing and number is not None):
        raise click.UsageError("use --restore together with --out, and --list alone")
    if number is not None and out is not None:
        await _restore(file, number, out, as_json=as_json)
    else:
        await (_list_backups if listing else _back_up)(file, as_json=as_json)


@click.command("salvage", epilog=example("salvage my.constellation --out salvaged.constellation"))
@click.argument("file", type=FILE)
@click.option("--out", required=True, type=FILE, help="Write what is recovered to this new file.")
@JSON
@asynchronous
async def _salvage(file: Path, out: Path, as_json: bool) -> int:
    """Recover what can be read of a damaged file into a new one. The damaged file isn't changed."""
    report = await salvage(file, out)
    if as_json:
        write_json(_plain_report(report))
    else:
        _print_report(report)
    return DONE if report.is_complete else INPUT_AT_FAULT


KEEPING_COMMANDS: tuple[click.Command, ...] = (_check, _backup, _salvage)
