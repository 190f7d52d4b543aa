"""The model picker: found by letters and keys, and a name that isn't listed."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.domain.counts import Method
from inspector.domain.model_offers import ModelOffer
from inspector.ui.appearance import Appearance, ThemeChoice
from inspector.ui.widgets.model_picker import ModelPicker, model_lines
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

OFFERS = (
    ModelOffer("claude-sonnet-5", "anthropic", 1_000_000, Method.ESTIMATE, 2, 10),
    ModelOffer("claude-haiku-5", "anthropic", 200_000, Method.ESTIMATE, 0.075, 0.5),
    ModelOffer("gpt-5-mini", "openai", 400_000, Method.EXACT, 0.25, 2),
    ModelOffer("gpt-5", "openai", 400_000, Method.EXACT, 1.25, 10),
    ModelOffer("mine", "letta"),
)


def titles(words: str = "", **more: str) -> list[str]:
    return [line.title for line in model_lines(OFFERS, words, **more)]


@pytest.fixture
def picker(appearance: Appearance) -> Iterator[ModelPicker]:
    host = QWidget()
    host.show()
    made = ModelPicker(host, appearance)
    made.open_at(host, OFFERS, own="gpt-5-mini", current="gpt-5", recent=("claude-haiku-5",))
    yield made
    host.deleteLater()


def current(picker: ModelPicker) -> str:
    return picker.lines[picker.list.currentIndex().row()].id


def test_that_models_stand_under_their_providers_in_the_order_given() -> None:
    assert titles() == [
        "Anthropic",
        "claude-sonnet-5",
        "claude-haiku-5",
        "OpenAI",
        "gpt-5-mini",
        "gpt-5",
        "Letta",
        "mine",
    ]


def test_that_the_agents_own_model_comes_first_then_recent_ones() -> None:
    lines = model_lines(OFFERS, own="gpt-5", recent=("mine", "gpt-5"))
    assert [line.title for line in lines[:4]] == ["The agent's model", "gpt-5 · own", "Recent", "mine"]


def test_that_words_may_stand_anywhere_in_name_or_provider() -> None:
    assert titles("5 min") == [
        "OpenAI",
        "gpt-5-mini",
        "Use “5 min” (unknown model: token counts are estimates)",
    ]
    # However its parts are written together.
    for words in ("gpt5mini", "gpt 5 mini", "GPT-5mini", "gpt_5.mini"):
        assert titles(words)[:2] == ["OpenAI", "gpt-5-mini"]
    assert titles("sonnet.5")[:2] == ["Anthropic", "claude-sonnet-5"]
    assert titles("gpt5")[:3] == ["OpenAI", "gpt-5-mini", "gpt-5"]
    assert titles("ANTHROPIC haiku")[:2] == ["Anthropic", "claude-haiku-5"]


def test_that_a_listed_name_is_not_offered_as_unknown_again() -> None:
    assert titles("GPT-5") == ["OpenAI", "gpt-5-mini", "gpt-5"]


@pytest.mark.parametrize("words", ["<b>x</b>", "\u202egnorts", "a" * 100_000, "&", "[*]"])
def test_that_any_name_can_be_typed(picker: ModelPicker, words: str) -> None:
    picker.search.setText(words)
    assert len(picker.lines) == 1
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert not picker.isVisible()


def test_that_the_filter_has_the_keyboard_and_the_present_model_is_marked(picker: ModelPicker) -> None:
    assert picker.search.hasFocus()
    assert current(picker) == "gpt-5"


def test_that_arrows_pass_over_headings_and_enter_chooses(picker: ModelPicker) -> None:
    chosen: list[str] = []
    picker.chosen.connect(chosen.append)
    QTest.keyClicks(picker.search, "5")
    assert current(picker) == "gpt-5-mini"
    for _ in range(2):
        QTest.keyClick(picker.search, Qt.Key.Key_Down)
    assert current(picker) == "claude-sonnet-5"
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert chosen == ["claude-sonnet-5"]
    assert not picker.isVisible()


def test_that_escape_chooses_nothing(picker: ModelPicker) -> None:
    chosen: list[str] = []
    closed: list[None] = []
    picker.chosen.connect(chosen.append)
    picker.closed.connect(lambda: closed.append(None))
    QTest.keyClick(picker.search, Qt.Key.Key_Escape)
    assert not picker.isVisible()
    assert chosen == []
    assert closed == [None]


def test_that_a_click_chooses_a_model_and_no_heading(picker: ModelPicker) -> None:
    chosen: list[str] = []
    picker.chosen.connect(chosen.append)
    for row in (0, 1):
        box = picker.list.visualRect(picker.list.model().index(row, 0))
        QTest.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
        assert picker.isVisible() == (row == 0)
    assert chosen == ["gpt-5-mini"]


@pytest.mark.parametrize("scale", [0.75, 1.0, 2.0])
def test_that_it_stays_on_the_screen_at_every_text_size(
    picker: ModelPicker, appearance: Appearance, scale: float
) -> None:
    appearance.apply(ThemeChoice.LIGHT, scale)
    host = picker.parentWidget()
    assert host is not None
    host.move(700, 700)
    picker.open_at(host, OFFERS)
    assert host.screen().availableGeometry().contains(picker.geometry())


async def test_that_a_model_chosen_in_the_top_bar_is_tried_and_remembered(
    studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    workspace, button = studio.contents.workspace, studio.window.top_bar.model
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    picker = studio.window.findChild(ModelPicker)
    assert picker is not None
    assert picker.lines[1].id == "gpt-5-mini"
    QTest.keyClicks(picker.search, "sonnet-5")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    await until(lambda: workspace.file.request and workspace.file.request.model.startswith("claude-sonnet-5"))
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [line.id for line in picker.lines[2:4]] == ["", workspace.file.what_if.model]
    QTest.keyClicks(picker.search, "no such model")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    await until(lambda: workspace.file.request and workspace.file.request.model == "no such model")
