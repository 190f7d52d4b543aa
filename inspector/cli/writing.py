"""The commands that write a file: edit and sample."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import click

from inspector.cli.edit_target import TargetOptions, aim
from inspector.cli.options import AGENT, AS_AGENT, FILE, JSON, OWNER, REASON, UNLOCK, TargetParam, example
from inspector.cli.session import asynchronous, opened
from inspector.cli.terminal import write_json, write_line
from inspector.domain.codec import from_plain, kind_of
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.registry import CONTENT_OPERATIONS
from inspector.domain.edits.rows import ConfigureAgent, CreateAgent
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import InputError, MalformedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.strict_json import read_strictly
from inspector.runtime.files import make_sample
from inspector.runtime.wording import word

STANDARD_INPUT = "-"
_MOST_BYTES = 64 << 20
_WITH_PARAMETERS = frozenset({CreateAgent.op, ConfigureAgent.op})


def read_text(name: str) -> str:
    r"""The text of a file, or of standard input for ``-``: UTF-8, newlines as they are, a leading BOM kept.

    Raises:
        InputError: it cannot be read, is too large, or is no UTF-8, with the place.
    """
    try:
        raw = _read_bytes(name)
        return raw.decode()
    except OSError as error:
        raise InputError("input.unreadable_file", path=name, why=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError("input.not_utf8", path=name, offset=error.start) from error


def _read_bytes(name: str) -> bytes:
    if name == STANDARD_INPUT:
        raw = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        with Path(name).open("rb") as source:
            # A device has no end.
            if stat.S_ISCHR(os.fstat(source.fileno()).st_mode):
                raise InputError("input.not_a_file", path=name)
            raw = source.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise InputError("input.too_large", path=name, limit=_MOST_BYTES)
    return raw


def storable(text: str) -> str:
    """A text given as an argument, refused when it holds half a character (bytes that were no UTF-8).

    Raises:
        InputError: with the place.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("input.not_utf8", path="argument", offset=error.start) from error
    return text


def operation_of(given: Mapping[str, str | None]) -> Operation | Mapping[str, Any]:
    """The operation that exactly one of the options asks for, or its JSON; `given` is by option name.

    Raises:
        InputError: a text that cannot be read. MalformedError: what is no JSON object, with the place.
    """
    (name, value), *_ = [(name, value) for name, value in given.items() if value is not None]
    if name == "operation":
        return _plain_operation(value)
    text = read_text(value) if name.endswith("_file") else storable(value)
    return AppendText(text) if name.startswith("append") else SetText(text)


def content_operation(text: str) -> Operation:
    """The operation on a block's content that a JSON text is.

    Raises:
        MalformedError: it is none, with the place.
    """
    read = cast("Operation", from_plain(Operation, dict(_plain_operation(text))))
    if type(read) not in CONTENT_OPERATIONS.values():
        raise MalformedError("malformed.value", where="$.op", why=f"{read.op} changes no block's content")
    return read


def _plain_operation(text: str) -> Mapping[str, Any]:
    plain = _plain_object(text, "$")
    parameters = plain.get("parameters")
    if isinstance(parameters, str) and str(plain.get("op")) in _WITH_PARAMETERS:
        # The engine keeps them as a text, and sends what the text says.
        _plain_object(parameters or "{}", "$.parameters")
    return plain


def _plain_object(text: str, where: str) -> Mapping[str, Any]:
    plain = read_strictly(storable(text))
    if not isinstance(plain, dict):
        raise MalformedError("malformed.value", where=where, why=f"an object is needed, not {kind_of(plain)}")
    return plain


@click.command("edit", epilog=example('edit my.constellation --agent Ada --block notes --set "New text"'))
@click.argument("file", type=FILE)
@AGENT
@click.option("--block", metavar="ID|LABEL", help="Choose a block, or name a new one (create_block).")
@OWNER
@click.option("--target", type=TargetParam(), help="Choose what an operation edits if it isn't a block.")
@click.option(
    "--append",
    metavar="TEXT",
    help="Append text exactly as given. Start it with a line break for a line of its own.",
)
@click.option("--set", "set_", metavar="TEXT", help="Replace the whole text.")
@click.option("--append-file", metavar="PATH|-", help="Append the text of a file.")
@click.option("--set-file", metavar="PATH|-", help="Replace the whole text with a file.")
@click.option(
    "--operation",
    metavar="JSON",
    help='Apply an operation, such as \'{"op": "clear_field", "field": "due"}\'.',
)
@REASON
@UNLOCK
@AS_AGENT
@JSON
@asynchronous
async def _edit_command(
    file: Path,
    agent: str | None,
    block: str | None,
    owner: str | None,
    target: Ref | None,
    append: str | None,
    set_: str | None,
    append_file: str | None,
    set_file: str | None,
    operation: str | None,
    reason: str,
    unlock: bool,
    as_agent: bool,
    as_json: bool,
) -> None:
    """Edit a block. Change its text, or apply any operation to a block, agent, message or summary."""
    given = {"append": append, "set": set_, "append_file": append_file, "set_file": set_file}
    given["operation"] = operation
    if sum(value is not None for value in given.values()) != 1:
        raise click.UsageError("give exactly one of --append, --set, --append-file, --set-file, --operation")
    pointed, wanted = TargetOptions(agent, block, owner, target, as_agent), operation_of(given)
    async with opened(file, "refuse") as engine:
        aimed = await aim(engine, pointed, wanted)
        edit = Edit(aimed.target, aimed.operation)
        (receipt,) = await engine.apply([Intent(edit, aimed.actor, storable(reason), unlock=unlock)])
    if as_json:
        on_block = aimed.target.kind is RefKind.BLOCK
        reported = {"block": receipt.ref.id} if on_block else {"target": str(receipt.ref)}
        write_json({**reported, "seq": receipt.seq, "changed": receipt.changed})
    elif receipt.changed:
        write_line(word("told.edited", {"label": aimed.name, "seq": str(receipt.seq)}))
    else:
        write_line(word("told.edit_without_effect", {"label": aimed.name}))


@click.command("sample", epilog=example("sample my.constellation"))
@click.argument("target", type=FILE)
@asynchronous
async def _sample_command(target: Path) -> None:
    """Create the sample constellation in a new file."""
    await make_sample(target)
    write_line(word("told.sample_made", {"path": str(target)}))


WRITING_COMMANDS: tuple[click.Command, ...] = (_edit_command, _sample_command)
