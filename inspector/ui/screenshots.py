"""Takes pictures of every panel of a file, and of work on it, without a display."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

# No window of this run belongs on a screen.
os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QWidget

from inspector.domain.errors import FileError, InspectorError
from inspector.domain.ref import Ref
from inspector.runtime.session import SessionFactory
from inspector.runtime.wording import word_error
from inspector.ui.appearance import ThemeChoice
from inspector.ui.driven_window import (
    LONGEST_WAIT_SECONDS,
    LivingWindow,
    PanelWalk,
    drive,
    file_shown,
    settle,
    showpiece,
    telling_qt_messages,
)
from inspector.ui.safe_text import show_controls
from inspector.ui.startup import StartOptions, Startup
from inspector.ui.state_pictures import StatePictures
from inspector.ui.window_setup import WindowContents

Appearances = tuple[Sequence[str], tuple[int, int], float]
"""The themes to draw in, the window's size in pixels, the text scale."""

_PATIENCE_SECONDS = 1.2
"""How long a picture waits for figures that are read a moment after their panel is shown."""

_WORN_SECONDS = 0.15
"""How long what is there already takes to be painted in another theme."""


def run(
    file: Path,
    out: Path,
    look: Appearances,
    make: Callable[[Startup], LivingWindow],
) -> int:
    """Draw the window that `make` brings to life, each of its panels, and work in it; gives the exit code.

    The file stays as it was: the work is done in a copy. Pictures are called ``PANEL-THEME.png`` or
    ``PANEL-VIEW-THEME.png``; those of the same name are replaced.
    """
    try:
        with telling_qt_messages():
            made = _draw(file, out, look, make)
    except InspectorError as error:
        sys.stderr.write(show_controls(word_error(error)) + "\n")
        return 1
    except TimeoutError:
        sys.stderr.write(f"The window was still busy after {LONGEST_WAIT_SECONDS:.0f} seconds.\n")
        return 1
    except OSError as error:
        sys.stderr.write(show_controls(f"{error.filename or out}: {error.strerror}") + "\n")
        return 1
    sys.stdout.write("".join(show_controls(str(path)) + "\n" for path in made))
    return 0


def _draw(
    file: Path,
    out: Path,
    look: Appearances,
    make: Callable[[Startup], LivingWindow],
) -> list[Path]:
    themes, size, scale = look
    out.mkdir(parents=True, exist_ok=True)
    shell = Startup(StartOptions())
    shell.window.resize(*size)
    shell.show()
    photographer = _Photographer(shell, out, themes, scale)

    # The window has left the folder before it goes.
    with tempfile.TemporaryDirectory(prefix="context-inspector-") as folder:

        async def work(contents: WindowContents, opener: SessionFactory) -> None:
            await photographer.draw_all(contents, opener, file)
            picture = partial(photographer.draw_in_each, contents)
            await StatePictures(contents, opener, Path(folder), picture).draw(showpiece(contents))

        drive(shell, make, work)
    return photographer.made


class _Photographer:
    def __init__(self, shell: Startup, out: Path, themes: Sequence[str], scale: float) -> None:
        self._shell = shell
        self._out, self._themes, self._scale = out, themes, scale
        self.made: list[Path] = []
        self._worn = ""

    async def draw_all(self, contents: WindowContents, opener: SessionFactory, file: Path) -> None:
        """Open the file and draw."""
        for theme in self._themes:
            self._wear(theme)
            await settle(contents)
            self._save(contents.window, "welcome", theme)
        contents.workspace.show(await opener.open(file))
        await file_shown(contents)
        block = showpiece(contents)
        # Before the tabs of all other pictures are open.
        for theme in self._themes:
            self._wear(theme)
            await self._draw_window(contents, theme, block)
        for theme in self._themes:
            self._wear(theme)
            walk = PanelWalk(contents, partial(self._save, theme=theme), patience=_PATIENCE_SECONDS)
            await walk.centre(block)
            await walk.docks()
            await walk.dialogs()

    async def draw_in_each(self, contents: WindowContents, widget: QWidget, name: str) -> None:
        """Draw a widget as it is, in each theme: what brought it about would not come twice."""
        await settle(contents, _WORN_SECONDS, _PATIENCE_SECONDS)
        # First in the one that is worn: to dress everything anew takes longer than the picture.
        for theme in sorted(self._themes, key=lambda each: each != self._worn):
            if theme != self._worn:
                self._wear(theme)
                await settle(contents, _WORN_SECONDS)
            self._save(widget, name, theme)

    async def _draw_window(self, contents: WindowContents, theme: str, block: Ref | None) -> None:
        if block is not None:
            contents.open_view("block", block)
            contents.services.selection.select(block)
        contents.open_view("request")
        await settle(contents)
        self._save(contents.window, "main", theme)

    def _wear(self, theme: str) -> None:
        self._worn = theme
        self._shell.window.appearance.apply(ThemeChoice(theme), self._scale)

    def _save(self, widget: QWidget, name: str, theme: str) -> None:
        path = self._out / f"{name}-{theme}.png"
        if not widget.grab().save(str(path)):
            raise FileError("file.cannot_create", path=str(path), why="the picture could not be written")
        if path not in self.made:
            self.made.append(path)
