"""Writes the man page and the shells' completions from the commands themselves: ``draw_manual.py FOLDER VERSION DATE``.

Runs where the program is installed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from inspector.cli.commands import Windows, command_line

PROGRAM = "context-inspector"
SHELLS = ("bash", "zsh", "fish")
EXIT_CODES = (
    ("0", "The command is done."),
    ("1", "The input is at fault."),
    ("2", "The command was used wrongly."),
    ("3", "A rule refused it."),
    ("4", "A --fail condition of report is met."),
)


def main(folder: Path, version: str, date: str) -> None:
    """Write ``context-inspector.1`` and one completion for each shell."""
    folder.mkdir(parents=True, exist_ok=True)
    group = command_line(Windows(lambda *_: 0, lambda *_: 0))
    page = "\n".join(manual(group, version, date)) + "\n"
    (folder / f"{PROGRAM}.1").write_text(page, encoding="utf-8")
    variable = f"_{PROGRAM.upper().replace('-', '_')}_COMPLETE"
    for shell in SHELLS:
        kind = get_completion_class(shell)
        if kind is None:
            sys.exit(f"click completes nothing in {shell}")
        source = kind(group, {}, PROGRAM, variable).source()
        (folder / f"{PROGRAM}.{shell}").write_text(source, encoding="utf-8")


def manual(group: click.Group, version: str, date: str) -> Iterator[str]:
    """The lines of the man page."""
    context = click.Context(group, info_name=PROGRAM)
    yield f'.TH CONTEXT-INSPECTOR 1 "{date}" "Context Inspector {escaped(version)}" "User Commands"'
    yield ".SH NAME"
    yield f"{escaped(PROGRAM)} \\- see, measure and edit what an agent's model call sends"
    yield ".SH SYNOPSIS"
    yield f".B {escaped(PROGRAM)}\n.RI [ FILE ]\n.br"
    yield f".B {escaped(PROGRAM)}\n.I COMMAND\n.RI [ ARGS ...]"
    yield ".SH DESCRIPTION"
    yield from paragraphs(group.help or "")
    yield from options(group, context)
    yield ".SH COMMANDS"
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None and not command.hidden:
            yield from described(name, command, context)
    yield ".SH EXIT STATUS"
    for code, meaning in EXIT_CODES:
        yield f".TP\n.B {code}\n{escaped(meaning)}"


def described(name: str, command: click.Command, parent: click.Context) -> Iterator[str]:
    """One command: its usage, help, options and example."""
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS {escaped(name)} {escaped(usage)}"
    yield from paragraphs(command.help or "")
    yield from options(command, context)
    if command.epilog:
        yield from paragraphs(command.epilog)


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Each option with its help."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and not getattr(parameter, "hidden", False):
            yield f".TP\n.B {escaped(record[0])}\n{escaped(' '.join(record[1].split()))}"


def paragraphs(text: str) -> Iterator[str]:
    """Each paragraph, with its lines joined."""
    for part in re.split(r"\n\s*\n", text.replace("\b", "").strip()):
        yield f".PP\n{escaped(' '.join(part.split()))}"


def escaped(text: str) -> str:
    """Text that troff takes for nothing but text."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", plain, flags=re.MULTILINE)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
