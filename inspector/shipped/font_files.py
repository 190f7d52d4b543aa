"""The shipped fonts of the window: Inter for the interface, JetBrains Mono for prompts, each under the OFL."""

from __future__ import annotations

from pathlib import Path

from inspector.shipped.locate import resource_path

INTERFACE_FONT, FIXED_FONT = "Inter", "JetBrains Mono"
_FILES = {
    INTERFACE_FONT: ("Inter-Regular.ttf", "Inter-SemiBold.ttf"),
    FIXED_FONT: ("JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf", "JetBrainsMono-Italic.ttf"),
}


def font_files(name: str) -> tuple[Path, ...]:
    """The files of the font of that name, TrueType all of them.

    Raises:
        NotFoundError: one is not there.
    """
    return tuple(resource_path("fonts", each) for each in _FILES[name])
