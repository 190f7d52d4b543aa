"""The sentences about a provider's form: whole, however narrow it is."""

from pytestqt.qtbot import QtBot

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.widgets.adaptation_list import AdaptationLine, AdaptationList

WHY = "The name Linus isn't sent, because this format has no place for it, and nothing else says whose words they are."


def test_that_each_sentence_is_seen_to_its_end(qtbot: QtBot, appearance: Appearance, icons: Icons) -> None:
    view = AdaptationList(appearance, icons)
    qtbot.addWidget(view)
    view.show_lines("2 changes", [AdaptationLine(WHY), AdaptationLine(WHY, 2, loses=True)])
    heights = []
    for width in (900, 420):
        view.resize(width, 400)
        view.show()
        rows = [view.list.visualItemRect(view.list.item(row)) for row in range(2)]
        assert rows[1].bottom() <= view.list.viewport().height()
        heights.append(rows[0].height())
    assert heights[1] > heights[0]
