"""Untrusted text on a terminal: no escape sequence of it reaches the terminal."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from inspector.cli.terminal import escape_controls, format_table
from tests.cli.program import run, start

PAYLOADS = (
    "\x1b]52;c;aGFja2Vk\x07",
    "\x1b]0;title\x07",
    "\x1b[2J\x1b[H",
    "\x1b[31mred\x1b[0m",
    "\x1bP1$r0m\x1b\\",
    "\x1b_apc\x1b\\",
    "\x1b^pm\x1b\\",
    "\x9b31mred",
    "\x9d0;title\x9c",
    "\x90dcs\x9c",
    "\x07bell",
    "\x08\x08back",
    "\x7fdelete",
    "\rover",
    "\x0b\x0ctabs",
    "\x0e\x0fshift",
    "\x1bc",
    "\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\",
    "\u061cmark",
    "\u202eevil\u202c",
    "\u2066iso\u2069",
)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_that_no_control_character_passes(payload: str) -> None:
    escaped = escape_controls(f"before{payload}after")
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in escaped)
    assert not {"\u061c", "\u202e"}.intersection(escaped)
    assert escaped.startswith("before")
    assert escaped.endswith("after")


def test_that_newlines_and_tabs_stay() -> None:
    assert escape_controls("a\n\tb") == "a\n\tb"


def test_that_a_table_is_as_wide_as_its_widest_cell() -> None:
    table = format_table(("Name", "Tokens"), [("漢字", "1"), ("a", "1,000")], frozenset({1}))
    assert table.splitlines() == ["Name  Tokens", "----  ------", "漢字       1", "a      1,000"]


def test_that_a_hostile_block_is_escaped_on_a_terminal_and_exact_in_a_pipe(
    sample: Path, tmp_path: Path
) -> None:
    path = tmp_path / "t.constellation"
    shutil.copy(sample, path)
    text = "".join(PAYLOADS).encode()
    edited = run("edit", path, "--agent", "Ada", "--block", "scratchpad", "--set-file", "-", given=text)
    assert edited.returncode == 0, edited.stderr
    show = ("show", path, "--agent", "Ada", "--block", "scratchpad")
    assert start(*show).stdout == text
    try:
        ours, theirs = os.openpty()
    except (AttributeError, OSError) as error:
        pytest.skip(f"no pseudo-terminal here: {error}")
    try:
        done = start(*show, stdout=theirs)
        os.close(theirs)
        shown = os.read(ours, 100_000)
    finally:
        os.close(ours)
    assert done.returncode == 0
    assert b"\x1b" not in shown
    assert b"\\x1b]52" in shown
