"""Text as the model reads it, and what a line is."""

from __future__ import annotations

from inspector.domain.blocks import TextSchema, Viewport
from inspector.domain.content import TextContent
from inspector.domain.rendering.rendered import Rendered


def render_text(schema: TextSchema, content: TextContent) -> Rendered:
    """The text itself; with a viewport, where that stands and its lines.

    A viewport past the end shows the last lines.
    """
    if schema.viewport is None or not content.text:
        return Rendered(content.text)
    return Rendered(_window(schema.viewport, content.text))


def text_lines(text: str) -> list[str]:
    """The lines with their ends (LF, or CR LF). Nothing after the last end is no line."""
    parts = text.split("\n")
    last = parts.pop()
    lines = [f"{part}\n" for part in parts]
    if last:
        lines.append(last)
    return lines


def line_end(line: str) -> str:
    """The end of a line: CR LF, LF or nothing."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def _window(viewport: Viewport, text: str) -> str:
    lines = text_lines(text)
    shown = max(1, viewport.display_lines)
    first = max(1, viewport.start_line)
    if first > len(lines):
        first = max(1, len(lines) - shown + 1)
    last = min(len(lines), first + shown - 1)
    window = "".join(lines[first - 1 : last])
    if last < len(lines):
        window = window.removesuffix(line_end(window))
    return f"[Showing lines {first}-{last} of {len(lines)}]\n{window}"
