"""Columns of blocks of items, entries and nodes: none is cut while another has room that its words don't need."""

import pytest
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from inspector.ui.models.column_widths import fit_columns, take_rest
from inspector.ui.models.columns import Column

WHEN = "2026-11-16T08:46:39Z"
COLUMNS = tuple(Column[object](name, name, str) for name in ("title", "when"))


@pytest.fixture
def tree(qtbot: QtBot) -> QTreeView:
    """A tree of two columns. Only the inner row has a cell in the second."""
    model = QStandardItemModel(0, 2)
    outer = QStandardItem("4.2")
    outer.appendRow([QStandardItem("No 32-bit build"), QStandardItem(WHEN)])
    model.appendRow([outer, QStandardItem("")])
    view = QTreeView()
    model.setParent(view)
    view.setModel(model)
    qtbot.addWidget(view)
    return view


def test_that_a_cell_of_an_inner_row_is_whole_where_there_is_room(tree: QTreeView) -> None:
    tree.resize(tree.fontMetrics().horizontalAdvance("m" * 60), 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 9})
    assert tree.header().sectionSize(1) >= tree.fontMetrics().horizontalAdvance(WHEN)


def test_that_the_widest_words_come_first_where_there_is_little_room(tree: QTreeView) -> None:
    letter = tree.fontMetrics().averageCharWidth()
    tree.resize(letter * 28, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 9})
    assert tree.header().sectionSize(0) >= letter * 15


def test_that_the_columns_follow_another_width_after_one_was_hidden(tree: QTreeView) -> None:
    letter = tree.fontMetrics().averageCharWidth()
    tree.resize(letter * 200, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 9})
    tree.header().setSectionHidden(1, True)
    tree.header().setSectionHidden(1, False)
    wide = tree.header().sectionSize(1)
    tree.resize(letter * 28, 200)
    assert tree.header().sectionSize(1) < wide
    assert tree.header().sectionSize(0) >= letter * 15


def test_that_a_table_scrolls_across_before_a_date_or_a_title_is_cut(tree: QTreeView) -> None:
    letter = tree.fontMetrics().averageCharWidth()
    tree.resize(letter * 18, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 13})
    assert tree.header().sectionSize(1) >= letter * 13
    assert tree.header().length() > tree.header().width()
    tree.resize(letter * 60, 200)
    assert tree.header().length() == tree.header().width()


def test_that_figures_stand_near_their_names_however_wide_the_table_is(tree: QTreeView) -> None:
    letter = tree.fontMetrics().averageCharWidth()
    tree.resize(letter * 300, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 9})
    assert tree.header().sectionSize(0) <= letter * 80
    assert tree.header().length() < tree.header().width()


def test_that_words_are_not_cut_while_there_is_room_behind_the_last_column(tree: QTreeView) -> None:
    words = "No 32-bit build " * 10
    tree.model().setData(tree.model().index(0, 0), words)
    tree.resize(tree.fontMetrics().averageCharWidth() * 300, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 0, "when": 9})
    assert tree.header().sectionSize(0) > tree.fontMetrics().horizontalAdvance(words)


def test_that_a_last_column_takes_all_that_is_left(tree: QTreeView) -> None:
    tree.resize(tree.fontMetrics().averageCharWidth() * 300, 200)
    tree.show()
    fit_columns(tree.header(), COLUMNS, {"title": 12, "when": 0})
    assert tree.header().length() == tree.header().width()


@pytest.mark.parametrize("fits", [True, False])
def test_that_names_give_way_when_a_person_drags_a_column_or_the_window(tree: QTreeView, fits: bool) -> None:
    letter, header = tree.fontMetrics().averageCharWidth(), tree.header()
    tree.resize(letter * 120, 200)
    tree.show()
    if fits:
        fit_columns(header, COLUMNS, {"title": 0, "when": 9})
    else:
        take_rest(header, 0)
    names = header.sectionSize(0)
    header.resizeSection(1, letter * 60)
    assert header.sectionSize(0) < names
    assert header.length() == header.width()
    tree.resize(letter * 100, 200)
    assert header.sectionSize(1) == letter * 60
    assert header.length() == header.width()
