"""The way in: a file or nothing opens the window, a command's name runs the command line.

The only module that imports `ui`, and it does so inside functions: a command without a window never loads Qt, and
the window shows itself before the engine is loaded.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.ui.appearance import Appearance
    from inspector.ui.bridge import Bridge
    from inspector.ui.doors import Opener
    from inspector.ui.furniture import Furniture
    from inspector.ui.icons import Icons
    from inspector.ui.main_window import MainWindow
    from inspector.ui.preferences import Preferences

# Known before anything is loaded, so that a file of any other name opens the window at once.
COMMANDS = frozenset(
    {
        *("agents", "report", "build", "show", "check", "edit", "import", "export", "sample"),
        *("blocks", "share", "search", "history", "diff", "restore", "undo", "redo", "backup", "salvage"),
        *("summaries", "activity", "summarise", "layouts", "simulate", "diff-requests", "lint"),
        *("export-request", "open", "screenshots"),
    }
)
_AIRLOCK = "--airlock"


def main(arguments: list[str] | None = None) -> int:
    """Run the program and give its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        return open_window(None, sample=False)
    first = given[0]
    if first == _AIRLOCK:
        return _serve_airlock()
    if first in COMMANDS or first.startswith("-"):
        return _run_command(given)
    if len(given) == 1 and _is_there(first):
        return open_window(Path(first), sample=False)
    if len(given) == 1 and (Path(first).suffix or Path(first).name != first):
        return _refuse("file.not_found", path=first)
    return _run_command(given)


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:
        # Too long a name, or in a folder that nobody may look into.
        return False


def main_gui() -> int:
    """The entry point of a desktop launcher: at most a file."""
    return open_window(Path(sys.argv[1]) if len(sys.argv) > 1 else None, sample=False)


def open_window(file: Path | None, sample: bool) -> int:
    """Show the window, on a file if one is given; 1 where no window can be seen."""
    if not _has_display():
        return _refuse("told.no_display")
    from inspector.ui.shell import Shell, usual_start

    shell = Shell(usual_start(file, sample=sample))
    shell.show()
    from inspector.ui.app import run

    return run(shell, load_engine=_load_opener, load_furniture=_load_furniture)


def take_screenshots(file: Path, out: Path, themes: tuple[str, ...], size: tuple[int, int]) -> int:
    """Draw every panel to PNG, without a display."""
    # After `screenshots`, which says that no screen is wanted.
    from inspector.ui.app import Program
    from inspector.ui.screenshots import run

    return run(file, out, themes, size, Program)


def _has_display() -> bool:
    """Whether a window can be seen: always outside Linux, there with a display server or a platform by choice."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _refuse(code: str, **parameters: str) -> int:
    from inspector.cli.terminal import write_error
    from inspector.runtime.wording import word

    write_error(word(code, parameters))
    return 1


def _load_opener() -> Opener:
    from inspector.ui.engine_doors import EngineOpener

    return EngineOpener()


def _load_furniture(
    window: MainWindow, look: tuple[Appearance, Icons, Preferences], bridge: Bridge, opener: Opener
) -> Furniture:
    from inspector.ui.furniture import furnish
    from inspector.ui.panels import PANELS

    return furnish(window, look, bridge, opener, PANELS)


def _serve_airlock() -> int:
    """What a bundled program starts itself as; elsewhere the worker needs no more than an interpreter."""
    from inspector.documents.airlock.worker import serve

    serve()
    return 0


def _run_command(given: list[str]) -> int:
    from inspector.cli.commands import Windows, command_line
    from inspector.cli.terminal import write_error

    group = command_line(Windows(open_window, take_screenshots))
    try:
        group.main(given, prog_name="context-inspector")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    except OSError as error:
        # Help or version on an output that takes no more.
        write_error(f"context-inspector: {error.strerror or error}")
        return 1
    return 0
