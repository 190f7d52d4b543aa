"""Untrusted text on a terminal: no escape sequence of it reaches the terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.cli.terminal import escape_controls, format_table

ROOT = Path(__file__).resolve().parents[2]
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
    "\u202eevil\u202c",
    "\u2066iso\u2069",
)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_that_no_control_character_passes(payload: str) -> None:
    escaped = escape_controls(f"before{payload}after")
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in escaped)
    assert "\u202e" not in escaped
    assert escaped.startswith("before")
    assert escaped.endswith("after")


def test_that_newlines_and_tabs_stay() -> None:
    assert escape_controls("a\n\tb") == "a\n\tb"


def test_that_a_table_is_as_wide_as_its_widest_cell() -> None:
    table = format_table(("Name", "Tokens"), [("漢字", "1"), ("a", "1,000")], frozenset({1}))
    assert table.splitlines() == ["Name  Tokens", "----  ------", "漢字       1", "a      1,000"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo-terminals here")
def test_that_a_hostile_block_is_escaped_on_a_terminal_and_exact_in_a_pipe(tmp_path: Path) -> None:
    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "inspector", *map(str, arguments)]
        return subprocess.run(command, cwd=ROOT, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]

    path = tmp_path / "t.constellation"
    assert run("sample", path, capture_output=True).returncode == 0
    text = "".join(PAYLOADS)
    edited = run(
        *("edit", path, "--agent", "Ada", "--block", "scratchpad", "--set-file", "-"),
        input=text.encode(),
        capture_output=True,
    )
    assert edited.returncode == 0, edited.stderr
    show = ("show", path, "--agent", "Ada", "--block", "scratchpad")
    assert run(*show, capture_output=True).stdout == text.encode()
    ours, theirs = pty.openpty()
    try:
        done = run(*show, stdout=theirs, stderr=subprocess.PIPE)
        os.close(theirs)
        shown = os.read(ours, 100_000)
    finally:
        os.close(ours)
    assert done.returncode == 0
    assert b"\x1b" not in shown
    assert b"\\x1b]52" in shown
