"""Every string of the window goes through translation, and a longer language cuts none."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from inspector.ui.presentation.names import kind_name
from inspector.ui.pseudo_translation import PseudoTranslator, pseudo
from inspector.ui.wording import tr, tr_count
from tests.lint_finders import called_name, nodes

ROOT = Path(__file__).resolve().parents[2]
_SHOWS = {
    "Action": (1,),
    "ElidedLabel": (0,),
    "EmptyState": (0, 1),
    "LaidOutButton": (),
    "Notice": (1, 2),
    "PlainLabel": (0,),
    "QCheckBox": (0,),
    "Question": (0, 1, 2, 3),
    "QuestionButton": (1,),
    "Segments": (0,),
    "addItem": (0,),
    "addMenu": (0,),
    "button": (0,),
    "field": (0,),
    "icon_button": (2,),
    "safe_tooltip": (1,),
    "setAccessibleDescription": (0,),
    "setAccessibleName": (0,),
    "setPlaceholderText": (0,),
    "setText": (0,),
    "setTitle": (0,),
    "setWindowTitle": (0,),
    "set_heading": (0, 1),
    "tell": (0, 1),
    "window_title": (0,),
}
"""Calls that show strings, with the places of those that a person reads."""
_WORDS = re.compile(r"[A-Za-z]{2,}\s+[a-z]{2,}|^[A-Z][a-z]{2,}")
_NAMES = frozenset({"JSON", "Context Inspector"})


def untranslated(tree: ast.Module) -> Iterator[ast.Constant]:
    """Strings with words that are given straight to what shows them."""
    for node in nodes(tree):
        name = called_name(node)
        if name not in _SHOWS or not isinstance(node, ast.Call):
            continue
        given = [each for place, each in enumerate(node.args) if place in _SHOWS[name]]
        values = [
            *given,
            *(each.value for each in node.keywords if each.arg in ("text", "title", "remark", "name")),
        ]
        for value in values:
            parts = value.values if isinstance(value, ast.JoinedStr) else [value]
            for part in parts:
                if (
                    isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and _WORDS.search(part.value)
                ):
                    yield part


def test_that_every_string_that_is_shown_goes_through_the_translator() -> None:
    bad = ast.parse("PlainLabel('Open a file')\nAction('a.b', 'Open it', run)\nPlainLabel(f'{n} open tabs')")
    assert len(list(untranslated(bad))) == 3
    good = ast.parse("PlainLabel(tr('Open a file'), tone='muted')\nAction('file.open', tr('Open'), run)")
    assert list(untranslated(good)) == []
    found = [
        f"{path.relative_to(ROOT)}:{each.lineno} {each.value!r}"
        for path in sorted((ROOT / "inspector" / "ui").rglob("*.py"))
        for each in untranslated(ast.parse(path.read_text(encoding="utf-8")))
        if each.value not in _NAMES
    ]
    assert found == []


@pytest.fixture
def translated(qapp: QApplication) -> Iterator[None]:
    """Everything is worded in no language while the test runs."""
    translator = PseudoTranslator()
    assert QCoreApplication.installTranslator(translator)
    yield
    QCoreApplication.removeTranslator(translator)


def test_that_a_translation_keeps_what_is_filled_in_and_has_forms_by_the_count(translated: None) -> None:
    assert tr("Open {file}", file="a.txt") == "[Öpéñ a.txt łöñ]"
    assert tr("&File").startswith("[&Fïlé")
    assert len(pseudo("a" * 100)) == 142
    # The words that go with a number are translated with the sentence.
    assert pseudo("{count} {count:turn|turns} left").startswith("[{count} {count:türñ|türñš} léft")
    # Kinds of events are named by the program, but for those that other programs made up.
    assert kind_name("tool_called").startswith("[Tööl çålléd")
    assert kind_name("deploy_done") == "Deploy done"
    # The form is the translation's to choose: this language has one.
    assert tr_count("{count} row", "{count} rows", 1).startswith("[1 röwš")
    assert tr_count("{count} row", "{count} rows", 1200).startswith("[1,200 röwš")


def test_that_without_a_translation_there_are_two_forms(qapp: QApplication) -> None:
    assert tr_count("{count} row", "{count} rows", 1) == "1 row"
    assert tr_count("{count} row of {of}", "{count} rows of {of}", 1200, of=2) == "1,200 rows of 2"
