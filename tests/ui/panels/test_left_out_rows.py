"""The list of what is left out: rows selected and opened by mouse and keys, groups listed, effects told."""

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from inspector.domain.counts import Method
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, LeftOut, Source, SourceKind
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.detail import DetailPanel
from inspector.ui.panels.messages import MessagesPanel
from inspector.ui.widgets.left_out_row import LeftOutWidget
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import calm, open_file, show_request
from tests.ui.values import made_request
from tests.ui.world import ADA

GROUP = "batchs:history_full"


def left_turn(number: int, tokens: int) -> LeftOut:
    """A turn of the world's file that the history budget keeps out."""
    reach = 6_000 + number
    fix = Fix("raise_history_tokens", ADA, reach, {"value": reach})
    source = Source(SourceKind.MESSAGE, f"bat_{number}", "2 messages", values.ADA, batch=True)
    facts = {"needed": tokens, "reach": reach}
    return LeftOut(source, "messages", "history_full", tokens, Method.EXACT, fix, facts)


def left_event(number: int) -> LeftOut:
    """An event that the limit of events keeps out."""
    fix = Fix("raise_activity_entries_limit", ADA, number, {"value": number})
    source = Source(SourceKind.EVENT, f"evt_{number}", "saved", values.ADA)
    return LeftOut(source, "activity", "event_limit", 10, Method.EXACT, fix, {"needed": 10})


async def panel_with(studio: Studio, until: Until, *left_out: LeftOut) -> BudgetPanel:
    """The panel with a Request of which that is left out."""
    await open_file(studio, until)
    show_request(studio, replace(made_request({"core": ["text\n"]}), left_out=left_out))
    panel = studio.window.panel("budget")
    assert isinstance(panel, BudgetPanel)
    return panel


def row_of(panel: BudgetPanel, key: str) -> LeftOutWidget:
    """The row with that key."""
    row = panel.left_out.row(key)
    assert row is not None, key
    return row


async def test_that_one_button_shows_all_events_and_says_what_they_add(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, *map(left_event, range(16, 68)))
    do = panel.left_out.button("events:event_limit")
    assert do is not None
    assert do.text() == "Show 67 events (+520 tokens)"


async def test_that_a_group_lists_its_turns_by_what_is_said_in_them(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, left_turn(1, 40), left_turn(2, 60))
    group = row_of(panel, GROUP)
    QTest.mouseClick(group.unfold_button, Qt.MouseButton.LeftButton)
    key = "message:bat_2:history_full"
    await until(lambda: "Is step 2 done?" in row_of(panel, key).accessibleName())
    do = panel.left_out.button(key)
    assert do is not None
    assert do.text() == "Raise history budget to 6,002 (+60 tokens)"
    assert row_of(panel, key).height() == group.height()
    QTest.mouseClick(group.unfold_button, Qt.MouseButton.LeftButton)
    assert panel.left_out.row(key) is None


async def test_that_a_reason_is_read_whole(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, left_turn(1, 40), left_turn(2, 60))
    row = row_of(panel, GROUP)
    await calm(studio, until)
    assert row.why.original == (
        "Next one: Over the history budget: this turn of 40 tokens needs a budget of 6,001."
    )
    for width in (340, 240, 700):
        panel.left_out.setFixedWidth(width)
        await until(lambda: row.why.height() >= row.why.heightForWidth(row.why.width()) > 0)
        assert row.rect().contains(row.button.mapTo(row, row.button.rect().bottomRight()))
        assert row.button.mapTo(row, QPoint()).y() >= row.why.geometry().bottom()
    assert row.why.height() < 2 * row.why.fontMetrics().lineSpacing()


async def test_that_the_members_of_a_group_come_into_sight(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, *map(left_event, range(16, 20)), left_turn(1, 2), left_turn(2, 3))
    group = row_of(panel, GROUP)
    panel.left_out.setFixedHeight(2 * group.height())
    panel.left_out.verticalScrollBar().setValue(0)
    QTest.mouseClick(group.unfold_button, Qt.MouseButton.LeftButton)

    def in_sight() -> bool:
        members = (panel.left_out.row(f"message:bat_{at}:history_full") for at in (1, 2))
        return any(each is not None and not each.visibleRegion().isEmpty() for each in members)

    await until(in_sight)
    await calm(studio, until)


async def test_that_a_turn_that_is_left_out_can_be_read(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, left_turn(1, 40))
    row = row_of(panel, "message:bat_1:history_full")
    QTest.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(6, 6))
    assert row.property("chosen") == "true"
    assert studio.contents.services.selection.ref == Ref(RefKind.BATCH, "bat_1")
    QTest.keyClick(row, Qt.Key.Key_Return)
    await until(lambda: isinstance(studio.window.centre.currentWidget(), MessagesPanel))
    await calm(studio, until)


async def test_that_the_rules_of_a_tool_are_told_from_the_tool(studio: Studio, until: Until) -> None:
    fix = Fix("set_layout", ADA, "standard", {"value": "standard"})
    source = Source(SourceKind.TOOL, "find", "Rules and examples of find")
    facts = {"label": source.label, "needed": 23}
    rules = LeftOut(source, "tool_rules", "not_in_layout", 23, Method.EXACT, fix, facts)
    panel = await panel_with(studio, until, rules)
    tool = values.made_piece("tool:find", "find", section="tools")
    tool = replace(tool, source=Source(SourceKind.TOOL, "find", "find"), rule="tool")
    show_request(studio, replace(made_request({"tools": [tool]}), left_out=(rules,)))
    row = row_of(panel, "tool:find:not_in_layout")
    assert "Rules and examples of find" in row.accessibleName()
    QTest.mouseClick(row, Qt.MouseButton.LeftButton, pos=QPoint(6, 6))
    assert row.property("chosen") == "true"
    card = studio.window.panel("detail")
    assert isinstance(card, DetailPanel)
    await until(lambda: card.card is not None)
    assert card.card is not None
    assert card.card.title == "Rules and examples of find"
    assert "Why it's out" in [each.name for each in card.card.rows]
    studio.contents.services.selection.select(Ref(RefKind.TOOL, "find"))
    assert row.property("chosen") == "false"
    await until(lambda: card.card is not None and card.card.title == "find")
    assert "Why it's in" in [each.name for each in card.card.rows]


async def test_that_arrows_go_from_row_to_row(studio: Studio, until: Until) -> None:
    panel = await panel_with(studio, until, left_turn(1, 40), left_event(16))
    first, second = "message:bat_1:history_full", "event:evt_16:event_limit"
    QTest.mouseClick(row_of(panel, first), Qt.MouseButton.LeftButton, pos=QPoint(6, 6))
    QTest.keyClick(row_of(panel, first), Qt.Key.Key_Down)
    assert panel.left_out.selected == second
    assert studio.contents.services.selection.ref == Ref(RefKind.EVENT, "evt_16")
    QTest.keyClick(row_of(panel, second), Qt.Key.Key_Up)
    assert panel.left_out.selected == first


async def test_that_the_button_tells_before_it_is_pressed_what_it_would_make(
    studio: Studio, until: Until
) -> None:
    panel = await panel_with(studio, until, left_turn(1, 40))
    do = panel.left_out.button("message:bat_1:history_full")
    assert do is not None
    panel.left_out.pointed.emit("message:bat_1:history_full")
    await until(lambda: "→" in do.accessibleName())
    assert "tokens (" in do.accessibleName()
    assert studio.contents.workspace.file.last_written is None
    # Within a coroutine, a loop of Qt's own inside the loop could lose the timers of this one.
    await calm(studio, until)
