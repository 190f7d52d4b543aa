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
        "delete",
    ),
    *(
        "restore",
        "history",
        "refresh",
        "copy",
        "export",
        "settings",
        "help",
        "info",
        "warning",
        "error",
        "ok",
        "message",
    ),
    *(
        "block_text",
        "block_map",
        "block_list",
        "block_log",
        "block_tree",
        "block_composite",
        "summary",
        "activity",
    ),
    *(
        "archive",
        "queue",
        "consent",
        "agent",
        "tool",
        "send",
        "stop",
        "chevron_right",
        "chevron_down",
        "more",
        "close",
    ),
    *("close", "sun", "moon", "problems", "budget", "request"),
}
SHAPES = {"path", "circle", "rect", "line", "polyline", "polygon", "ellipse", "g"}


def test_that_the_family_is_complete() -> None:
    assert set(icon_names()) >= NEEDED


@pytest.mark.parametrize("name", [*icon_names(), APP_ICON])
def test_that_an_icon_is_a_line_drawing_of_the_family(name: str) -> None:
    root = ElementTree.fromstring(load_icon(name))
    assert root.attrib["viewBox"] == "0 0 16 16"
    assert root.attrib["stroke"] == "currentColor"
    assert root.attrib["stroke-width"] == "1.4"
    assert {element.tag.rpartition("}")[2] for element in root.iter() if element is not root} <= SHAPES


@pytest.mark.parametrize("name", ["none", "../models/models", ""])
def test_that_an_unknown_icon_is_not_found(name: str) -> None:
    with pytest.raises(NotFoundError):
        load_icon(name)
