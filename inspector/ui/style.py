"""The window's one style sheet, made from a theme."""

from __future__ import annotations

from collections.abc import Mapping

from inspector.ui.theme import Theme


def style_sheet(theme: Theme, points: float, scale: float, pictures: Mapping[str, str]) -> str:
    """Write the style sheet of the whole window.

    Args:
        theme: Where the colours come from.
        points: The size of ordinary text, scaled already.
        scale: The text scale, which distances follow.
        pictures: The files of ``tick``, ``tick_off``, ``arrow``, ``folded`` and ``back``; an empty path draws nothing.
    """
    values = {
        "background": theme.background.name(),
        "surface": theme.surface.name(),
        # Grey fields on a white window would look disabled.
        "field": (theme.background if theme.is_dark else theme.surface).name(),
        "raised": theme.raised.name(),
        "border": theme.border.name(),
        "text": theme.text.name(),
        "muted": theme.muted.name(),
        "accent": theme.accent.name(),
        "on_accent": theme.on_accent.name(),
        "selection": theme.selection.name(),
        "chosen": theme.chosen.name(),
        "hover": theme.hover.name(),
        "control": theme.control.name(),
        "handle": theme.scroll_handle.name(),
        "pressed": theme.pressed.name(),
        "accent_hover": theme.accent_hover.name(),
        "focus": theme.accent.name(),
        "small": f"{points * 0.9:.2f}pt",
        "large": f"{points * 1.7:.2f}pt",
        "less4": f"-{round(4 * scale)}px",
        "px1": f"{max(1, round(scale))}px",
        "px2": f"{round(2 * scale)}px",
        "px4": f"{round(4 * scale)}px",
        "px6": f"{round(6 * scale)}px",
        "px8": f"{round(8 * scale)}px",
        "px12": f"{round(12 * scale)}px",
        "px14": f"{round(14 * scale)}px",
        "px16": f"{round(16 * scale)}px",
        "px24": f"{round(24 * scale)}px",
        # The padding of cells, and what the style adds to it at any scale: heads stand over their columns.
        "cell": f"{round(4 * scale) + _CELL_MARGIN}px",
    }
    values |= {f"tint_{name}": theme.tint(name).name() for name in ("ok", "warning", "error", "info")}
    values |= {f"state_{name}": theme.state(name).name() for name in ("ok", "warning", "error", "info")}
    values |= {f"picture_{name}": f'url("{path}")' if path else "none" for name, path in pictures.items()}
    sheet = _SHEET
    for name, value in values.items():
        sheet = sheet.replace(f"@{name};", f"{value};").replace(f"@{name} ", f"{value} ")
    return sheet


_CELL_MARGIN = 3
"""Pixels that the style leaves free at both ends of a cell's text, which do not grow with the text."""

_SHEET = """
QMainWindow, QDialog { background: @surface; }
QMainWindow::separator { background: @border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: @px4; }

QFrame[role="head"] { background: @surface; border: none; border-bottom: 1px solid @border; }
QMenuBar { background: @surface; color: @text; border: none; padding: @px2; }
QMenuBar::item { padding: @px4 @px8; background: transparent; color: @muted; border-radius: @px4; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @hover; color: @text; }
QMenu { background: @raised; color: @text; border: 1px solid @border; padding: @px4; }
QMenu { menu-scrollable: 1; }
QMenu::item { padding: @px4 @px24 @px4 @px8; border-radius: @px4; }
QMenu::icon { padding-left: @px8; }
QMenu::item:checked { color: @accent; }
QMenu::icon:checked { background: @selection; border-radius: @px4; }
QMenu::item:selected { background: @selection; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @border; margin: @px4 @px8; }

QToolBar { background: @surface; border: none; border-bottom: 1px solid @border; padding: @px4 @px8; spacing: @px8; }
QStatusBar { background: @surface; color: @muted; border-top: 1px solid @border; }
QStatusBar::item { border: none; }

QPushButton, QToolButton[role="control"] {
  background: @raised; color: @text; border: 1px solid @control; border-radius: @px4; padding: @px4 @px12;
  outline: none;
}
QPushButton:hover, QToolButton[role="control"]:hover { background: @hover; }
QPushButton:pressed, QToolButton[role="control"]:pressed { background: @pressed; }
QPushButton:checked, QToolButton[role="control"]:checked { background: @selection; }
QPushButton:disabled, QToolButton[role="control"]:disabled {
  color: @muted; background: @surface; border: 1px solid @border;
}
QPushButton:focus, QToolButton:focus, QLineEdit:focus { border: 1px solid @focus; }
QPushButton[role="primary"] { background: @accent; color: @on_accent; border: 1px solid @accent; font-weight: 600; }
QPushButton[role="primary"]:hover { background: @accent_hover; }
QPushButton[role="primary"]:focus { border: 1px solid @text; }
QPushButton[role="primary"]:disabled { background: @raised; color: @muted; border: 1px solid @border; }
QToolButton[role="control"]::menu-indicator { image: none; }
QPushButton[role="flat"], QToolButton[role="flat"] {
  background: transparent; border: 1px solid transparent; border-radius: @px4; padding: @px2 @px4; color: @text;
}
QPushButton[role="flat"]:hover, QToolButton[role="flat"]:hover { background: @hover; }
QPushButton[role="flat"]:disabled, QToolButton[role="flat"]:disabled { color: @muted; }
QPushButton[role="flat"]:focus, QToolButton[role="flat"]:focus { border: 1px solid @focus; }
QToolButton[role="flat"]::menu-indicator { image: none; }
QPushButton[role="link"] { background: transparent; border: 1px solid transparent; color: @accent;
  padding: @px2; text-align: left;
}
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="row"] {
  background: transparent; border: 1px solid transparent; text-align: left; padding: @px6 @px8;
}
QPushButton[role="row"]:hover { background: @hover; }
QPushButton[role="row"]:focus { border: 1px solid @focus; }
QPushButton[role="segment"] { padding: @px2 @px8; }
QPushButton[edge="middle"] { border-radius: 0px; border-right: 1px solid transparent; }
QPushButton[edge="first"] {
  border-top-right-radius: 0px; border-bottom-right-radius: 0px; border-right: 1px solid transparent;
}
QPushButton[edge="last"] { border-top-left-radius: 0px; border-bottom-left-radius: 0px; }
QPushButton[edge="first"]:focus, QPushButton[edge="middle"]:focus { border: 1px solid @focus; }
QPushButton[role="search"] { background: @raised; color: @muted; text-align: left; padding: @px4 @px8; }
QPushButton[aligned="left"] { background: @field; text-align: left; padding: @px2 @px6; }
QPushButton[tone="warning"] { color: @state_warning; }
QPushButton[tone="error"] { color: @state_error; }
QPushButton[tone="ok"] { color: @state_ok; }

QLineEdit, QPlainTextEdit {
  background: @field; color: @text; border: 1px solid @control; border-radius: @px4;
  selection-background-color: @chosen; selection-color: @text; placeholder-text-color: @muted;
}
QLineEdit { padding: @px2 @px6; }
QLineEdit:disabled, QPlainTextEdit[role="field"]:disabled {
  color: @muted; background: @surface; border: 1px solid @border;
}
QSpinBox[role="figure"] { background: @field; color: @text; border: 1px solid @control; border-radius: @px4;
  padding: @px2 @px8; selection-background-color: @chosen; selection-color: @text;
}
QSpinBox[role="figure"]::up-button, QSpinBox[role="figure"]::down-button { width: 0px; border: none; }
QSpinBox[role="figure"]:focus { border: 1px solid @focus; }
QSpinBox[role="figure"]:disabled { color: @muted; border: 1px solid @border; }
QComboBox { background: @field; color: @text; border: 1px solid @control; border-radius: @px4;
  padding: @px2 @px6 @px2 @px8;
}
QComboBox::drop-down { border: none; width: @px24; }
QComboBox::down-arrow { image: @picture_arrow; width: @px16; height: @px16; }
QComboBox:hover { background: @hover; }
QComboBox:focus, QComboBox:on { border: 1px solid @focus; }
QComboBox:disabled { color: @muted; border: 1px solid @border; }
QCheckBox { spacing: @px8; padding: @px4 0px; }
QCheckBox::indicator, QTableView::indicator, QTreeView::indicator {
  width: @px14; height: @px14; background: @field; border: 1px solid @muted; border-radius: @px4;
}
QCheckBox::indicator:checked, QTableView::indicator:checked, QTreeView::indicator:checked {
  background: @accent; border: 1px solid @accent; image: @picture_tick;
}
QCheckBox::indicator:disabled, QTableView::indicator:disabled, QTreeView::indicator:disabled {
  background: @raised; border: 1px solid @border;
}
QCheckBox::indicator:checked:disabled, QTableView::indicator:checked:disabled, QTreeView::indicator:checked:disabled {
  image: @picture_tick_off;
}
QCheckBox::indicator:focus { border: 1px solid @text; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @border; }
QLineEdit[role="filter"] { background: @surface; }
QPlainTextEdit[role="page"] { background: @background; border: none; border-radius: 0px; }
QPlainTextEdit[role="field"] { padding: 0px @px4; }
QPlainTextEdit[role="field"]:focus { border: 1px solid @focus; }
QLineEdit:read-only, QPlainTextEdit[role="field"]:read-only { background: @surface; border: 1px solid @border; }
QLineEdit:read-only:focus, QPlainTextEdit[role="field"]:read-only:focus { border: 1px solid @focus; }

QTreeView { show-decoration-selected: 1; }
QTreeView::branch:has-children:closed { image: @picture_folded; }
QTreeView::branch:has-children:open { image: @picture_arrow; }
QTreeView, QTableView, QListView {
  background: @surface; alternate-background-color: @surface; border: none; outline: none;
  selection-background-color: @selection; selection-color: @text; gridline-color: transparent;
}
QTreeView::item, QTableView::item, QListView::item { border: none; padding: 0px @px4; }
QTreeView::item:hover, QTableView::item:hover, QListView::item:hover { background: @hover; }
QTreeView::item:selected, QTableView::item:selected, QListView::item:selected { background: @selection; color: @text; }
QListView[role="groups"] { padding: @px8 0px; }
QListView[role="groups"]::item { padding: @px6 @px16; }
QHeaderView { background: @surface; border: none; }
QTableCornerButton::section { background: @surface; border: none; border-bottom: 1px solid @border; }
QHeaderView::section {
  background: @surface; color: @muted; border: none; border-bottom: 1px solid @border; padding: @px4 @cell;
  font-size: @small;
}

QTabWidget { background: @background; }
QTabWidget::pane { border: none; border-top: 1px solid @border; }
QTabBar {
  background: @background;
  qproperty-drawBase: 0; qproperty-elideMode: ElideNone; qproperty-usesScrollButtons: 1;
}
QTabBar::tab {
  background: @background; color: @muted; border: none; border-right: 1px solid @border;
  border-top: 2px solid transparent;
  padding: @px4 @px12;
}
QTabBar::tab:selected { background: @surface; color: @text; border-top: 2px solid @accent; }
QTabBar::tab:hover:!selected { background: @hover; color: @text; }
QTabBar::tab:focus { color: @accent; }
QTabBar::close-button { margin-left: @px4; }
QTabBar::scroller { width: @px24; }
QTabBar QToolButton { background: @surface; border: 1px solid @border; }
QTabBar QToolButton[role="flat"] { padding: @px2; }
QTabBar QToolButton::left-arrow { image: @picture_back; }
QTabBar QToolButton::right-arrow { image: @picture_folded; }

QScrollBar:vertical { background: transparent; width: @px8; margin: 0px; }
QScrollBar:horizontal { background: transparent; height: @px8; margin: 0px; }
QScrollBar::handle { background: @handle; border-radius: @px4; min-height: @px24; min-width: @px24; }
QScrollBar::handle:hover { background: @text; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0px; height: 0px; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QScrollArea { border: none; background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }

QSplitter::handle { background: @border; }
QSplitter::handle:vertical { height: @px4; }
QSplitter::handle:horizontal { width: @px4; }
QSplitter::handle:hover { background: @accent; }

QSlider:horizontal { min-height: @px16; }
QSlider::groove:horizontal { background: @border; height: @px4; border-radius: @px2; }
QSlider::sub-page:horizontal { background: @accent; border-radius: @px2; }
QSlider::handle:horizontal { background: @text; width: @px12; margin: @less4 0px; border-radius: @px6; }
QSlider::handle:horizontal:focus { background: @accent; }

QProgressBar { background: @border; border: none; border-radius: @px2; max-height: @px4; min-height: @px4; }
QProgressBar::chunk { background: @accent; border-radius: @px2; }
QProgressBar[tone="warning"]::chunk { background: @state_warning; }
QProgressBar[tone="error"]::chunk { background: @state_error; }

QFrame[role="rule"] { background: @border; border: none; }
QFrame[role="page"], QWidget[role="page"] { background: @background; }
QFrame[role="card"] { background: @surface; border: 1px solid @border; border-radius: @px8; }
QFrame[role="banner"] { border: none; border-top: 1px solid @border; }
QFrame[role="banner"][tone="error"] { background: @tint_error; border-left: @px4 solid @state_error; }
QFrame[role="banner"][tone="warning"] { background: @tint_warning; border-left: @px4 solid @state_warning; }
QFrame[role="banner"][tone="info"] { background: @tint_info; border-left: @px4 solid @state_info; }
QFrame[role="banner"][tone="ok"] { background: @tint_ok; border-left: @px4 solid @state_ok; }
QFrame[role="choice"] { background: transparent; border: none; border-left: @px2 solid transparent; }
QFrame[role="choice"]:hover { background: @hover; }
QFrame[role="choice"][chosen="true"] { background: @selection; border-left: @px2 solid @accent; }
QFrame[role="choice"]:focus { border-left: @px2 solid @focus; }
QFrame[role="dock_title"] { background: @surface; border: none; border-bottom: 1px solid @border; }
QFrame[role="overlay"] { background: @raised; border: 1px solid @border; border-radius: @px8; }
QFrame[role="drop"], QFrame[role="pointed"] { background: transparent; border: 2px solid @accent; }
QFrame[role="toast"] { background: @raised; border: 1px solid @muted; border-radius: @px8; }
QFrame[role="overlay"] QListView { background: @raised; }

QLabel { color: @text; background: transparent; }
QLabel[tone="muted"] { color: @muted; }
QLabel[tone="accent"] { color: @accent; }
QLabel[tone="ok"] { color: @state_ok; }
QLabel[tone="warning"] { color: @state_warning; }
QLabel[tone="error"] { color: @state_error; }
QLabel[textSize="small"], QPushButton[textSize="small"], QToolButton[textSize="small"] { font-size: @small; }
QLabel[textSize="large"] { font-size: @large; font-weight: 600; }
QLabel[weight="strong"] { font-weight: 600; }
QLabel[role="key"] { color: @muted; border: 1px solid @border; border-radius: @px4; padding: 0px @px4;
  font-size: @small;
}
"""
