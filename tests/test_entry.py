"""The way in: which words are commands, and what becomes of a window that nobody can see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from inspector import entry
from inspector.cli.commands import Windows, command_line
from inspector.entry import COMMANDS

ROOT = Path(__file__).resolve().parents[1]


def start_window(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Start the program as on a machine without a screen, but for what is given."""
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in screens}
    folders = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "inspector", *arguments],
        cwd=ROOT,
        env={**kept, **folders, **environment},
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_that_the_way_in_knows_every_command_and_no_other() -> None:
    group = command_line(Windows(lambda *_: 0, lambda *_: 0))
    names = group.list_commands(click.Context(group))
    assert set(names) == COMMANDS
    assert all(group.get_command(click.Context(group), name) for name in names)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only Linux has no screen by its environment"
)
@pytest.mark.parametrize("arguments", [(), ("open", "--sample"), (str(ROOT / "README.md"),)])
def test_that_without_a_display_it_is_said_what_works_without_one(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = start_window(tmp_path, *arguments)
    assert done.returncode == 1
    assert b"DISPLAY" in done.stderr
    assert b"report FILE" in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("screen", [{"DISPLAY": ":987"}, {"QT_QPA_PLATFORM": "nonsense"}])
def test_that_a_display_that_is_not_there_is_told_without_a_core_dump(
    tmp_path: Path, screen: dict[str, str]
) -> None:
    done = start_window(tmp_path, **screen)
    assert done.returncode == 1
    assert done.stderr.startswith(b"Can't open a window: ")
    assert b"Reinstalling" not in done.stderr
    assert done.stderr.strip() != b"Can't open a window:"


def test_that_ctrl_c_before_a_command_begins_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(given: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(entry, "_run_command", interrupted)
    assert entry.main(["agents", "a.constellation"]) == 1
    assert capsys.readouterr().err.strip() == "Aborted!"


def test_that_a_shell_that_asks_for_completions_gets_them_and_no_window(tmp_path: Path) -> None:
    asked = {"COMP_WORDS": "context-inspector rep", "COMP_CWORD": "1"}
    done = start_window(tmp_path, _CONTEXT_INSPECTOR_COMPLETE="bash_complete", **asked)
    assert (done.returncode, done.stdout) == (0, b"plain,report\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no core files there")
def test_that_a_crash_leaves_no_core_file_in_which_a_key_could_be(tmp_path: Path) -> None:
    code = (
        "import faulthandler, resource\n"
        "from inspector.entry import main\n"
        "most = resource.getrlimit(resource.RLIMIT_CORE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (most, most))\n"
        "try:\n    main(['--version'])\nfinally:\n"
        "    print(resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "0"
