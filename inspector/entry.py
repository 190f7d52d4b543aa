"""Routes a start of the program: a file or nothing opens the window, a command's name runs that command.

The only module that imports `ui`, and it does so inside functions: a command without a window never loads Qt, and
the window shows itself before the engine is loaded.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.runtime.session import SessionFactory
    from inspector.ui.appearance import Appearance
    from inspector.ui.bridge import Bridge
    from inspector.ui.icons import Icons
    from inspector.ui.main_window import MainWindow
    from inspector.ui.preferences import Preferences
    from inspector.ui.window_setup import WindowContents

# Known before anything is loaded, so that a file of any other name opens the window at once.
COMMANDS = frozenset(
    {
        *("agents", "report", "build", "show", "check", "edit", "import", "export", "sample"),
        *(
            "blocks",
            "share",
            "search",
            "history",
            "diff",
            "restore",
            "redact",
            "undo",
            "redo",
            "backup",
            "salvage",
        ),
        *("summaries", "activity", "summarise", "layouts", "simulate", "diff-requests", "lint", "calibrate"),
        *("consent", "queue", "export-request", "debug-bundle", "send", "chat", "run", "keys"),
        *("open", "screenshots"),
    }
)
_SAFE_MODE = "--safe-mode"
_AIRLOCK = "--airlock"
_SELF_TEST = "--selftest-in"
_COMPLETION = "_CONTEXT_INSPECTOR_COMPLETE"
"""Click's name for the variable by which a shell asks for completions."""
_QT = "PySide6"
_NEW_OBJECTS = 100_000
"""Between two collections of a command. It makes tens of thousands of classes and functions that all stay."""


def start() -> None:
    """Run as a process of its own, which ends with the exit code.

    A command ends as soon as its output is out: to take all it loaded apart, object by object, would take as long as
    many a command. Its files are closed by then. A window is taken apart, as Qt asks.
    """
    code = main()
    if _QT not in sys.modules:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            # Whoever reads is gone, or there was no stream (it is None then): the interpreter knows what to do.
            sys.exit(code)
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run the program and give its exit code."""
    _leave_no_core()
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # While modules are still being loaded; later the command line itself says so.
        sys.stderr.write("\nAborted!\n")
        return 1


def _leave_no_core() -> None:
    """Have no core file written when the program crashes: a key that was entered would be in it."""
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _run(given: list[str]) -> int:
    if _COMPLETION in os.environ:
        # A shell asks what it could complete; the command line answers and ends.
        return _run_command([])
    if not given:
        return open_window(None, sample=False)
    first = given[0]
    if first == _AIRLOCK:
        return _serve_airlock()
    if first == _SELF_TEST and len(given) == 2:
        return _test_itself(Path(given[1]))
    if first == _SAFE_MODE and len(given) == 1:
        return open_window(None, sample=False, safe=True)
    if first == _SAFE_MODE and not given[1].startswith("-") and given[1] not in COMMANDS:
        return _run_command(["open", _SAFE_MODE, *given[1:]])
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
    """The entry point of a desktop launcher: at most a file, and whether it is to start in safe mode."""
    files = [each for each in sys.argv[1:] if each != _SAFE_MODE]
    return open_window(Path(files[0]) if files else None, sample=False, safe=_SAFE_MODE in sys.argv[1:])


def open_window(file: Path | None, sample: bool, safe: bool = False) -> int:
    """Show the window, on a file if one is given; 1 where no window can be seen. A safe one has default settings."""
    if not _has_display():
        return _refuse("told.no_display")
    # The window collects at moments of its own; what a start makes stays.
    gc.disable()
    from inspector.ui.qt_imports import spare_sources

    spare_sources()
    from inspector.ui.startup import Startup, usual_start

    shell = Startup(usual_start(file, sample=sample, safe=safe))
    shell.show()
    from inspector.ui.app import run

    return run(shell, load_engine=_load_safe if safe else _load_opener, load_contents=_load_contents)


def take_screenshots(
    file: Path, out: Path, themes: tuple[str, ...], size: tuple[int, int], scale: float
) -> int:
    """Draw every panel to PNG, without a display."""
    # After `screenshots`, which says that no screen is wanted.
    from inspector.ui.app import Program
    from inspector.ui.screenshots import run

    return run(file, out, (themes, size, scale), Program)


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


def _load_opener() -> SessionFactory:
    from inspector.runtime.session import SessionFactory

    return SessionFactory()


def _load_safe() -> SessionFactory:
    from inspector.runtime.environment import safe_surroundings
    from inspector.runtime.session import SessionFactory

    return SessionFactory(safe_surroundings())


def _load_contents(
    window: MainWindow, look: tuple[Appearance, Icons, Preferences], bridge: Bridge, opener: SessionFactory
) -> WindowContents:
    from inspector.ui.panels import PANELS
    from inspector.ui.window_setup import populate

    return populate(window, look, bridge, opener, PANELS)


def _serve_airlock() -> int:
    """What a bundled program starts itself as; elsewhere the worker needs no more than an interpreter."""
    from inspector.documents.airlock.worker import serve

    serve()
    return 0


def _test_itself(notes: Path) -> int:
    """What ``--selftest`` starts the program as, in a process whose output it can see to the last word."""
    gc.disable()
    from inspector.ui.qt_imports import spare_sources

    spare_sources()
    from inspector.ui.app import Program
    from inspector.ui.self_test import run

    return run(notes, Program)


def _run_command(given: list[str]) -> int:
    gc.set_threshold(_NEW_OBJECTS)
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
