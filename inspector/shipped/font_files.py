"""The shipped fonts of the window: Inter for the interface, JetBrains Mono for prompts, each under the OFL."""

from __future__ import annotations

from pathlib import Path

from inspector.shipped.locate import resource_path

INTERFACE_FONT, FIXED_FONT = "Inter", "JetBrains Mono"
_FILES = (
    "Inter-Regular.ttf",
    "Inter-SemiBold.ttf",
    "JetBrainsMono-Regular.ttf",
    "JetBrainsMono-Bold.ttf",
    "JetBrainsMono-Italic.ttf",
)


def font_files() -> tuple[Path, ...]:
    """The font files, TrueType all of them.

    Raises:
        NotFoundError: one is not there.
    """
    return tuple(resource_path("fonts", name) for name in _FILES)
