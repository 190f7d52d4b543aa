from xml.etree import ElementTree

import pytest

from inspector.domain.errors import NotFoundError
from inspector.shipped.theme_files import APP_ICON, icon_names, load_icon

NEEDED = {
    *(
        "open",
        "import",
        "save",
        "undo",
        "redo",
        "search",
        "filter",
        "pin",
        "unpin",
        "share",
        "lock",
        "unlock",
    ),
    *("delete", "restore", "history", "refresh", "copy", "export", "settings", "help", "info", "warning"),
    *("error", "ok", "message", "block_text", "block_map", "block_list", "block_log", "block_tree"),
    *(
        "block_composite",
        "swap",
        "summary",
        "activity",
        "archive",
        "queue",
        "consent",
        "agent",
        "tool",
        "send",
    ),
    *(
        "stop",
        "chevron_right",
        "chevron_down",
        "more",
        "close",
        "sun",
        "moon",
        "problems",
        "budget",
        "request",
    ),
}
SHAPES = {"path", "circle", "rect", "line", "polyline", "polygon", "ellipse", "g"}


def test_that_the_family_is_complete() -> None:
    assert set(icon_names()) >= NEEDED


def test_that_icons_are_line_drawings_of_one_family() -> None:
    for name in (*icon_names(), APP_ICON):
        root = ElementTree.fromstring(load_icon(name))
        style = [root.attrib[each] for each in ("viewBox", "stroke", "stroke-width")]
        assert style == ["0 0 16 16", "currentColor", "1.4"], name
        assert {element.tag.rpartition("}")[2] for element in root.iter() if element is not root} <= SHAPES


@pytest.mark.parametrize("name", ["none", "../models/models", ""])
def test_that_an_unknown_icon_is_not_found(name: str) -> None:
    with pytest.raises(NotFoundError):
        load_icon(name)
