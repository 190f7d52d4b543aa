"""The buttons of a finding's row: its fix, and to ignore its kind."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.ui.panel import PanelServices
from inspector.ui.presentation.cuts import kind_name
from inspector.ui.presentation.problem_rows import ProblemRow
from inspector.ui.safe_text import safe_tooltip
from inspector.ui.widgets.controls import arrange, button, icon_button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr


class FindingButtons(QWidget):
    """Two buttons; `run` and `ignore` are given the row's key. Without a fix there is only the second.

    `below` puts them at the lower left, under a text that is drawn above them.
    """

    def __init__(
        self,
        services: PanelServices,
        row: ProblemRow,
        run: Callable[[str], None],
        ignore: Callable[[str], None],
        *,
        below: bool = False,
    ) -> None:
        super().__init__()
        self.row = row
        kind = "" if row.finding is None else kind_name(row.finding.rule)
        name = tr("Ignore this kind of finding: {kind}", kind=kind.lower())
        self.ignore_button = icon_button(services.icons, "close", name, lambda: ignore(row.key))
        self.fix_button = button(row.do, lambda: run(row.key), size="small")
        self.fix_button.setAccessibleName(row.tip)
        safe_tooltip(self.fix_button, row.tip)
        space = services.appearance.space
        column = QVBoxLayout(self)
        if below:
            arrange(column, None, FlowLayout(self.fix_button, self.ignore_button, spacing=space(1)))
        else:
            line = QHBoxLayout()
            arrange(line, None, self.fix_button, self.ignore_button, spacing=space(1))
            arrange(column, line)
        column.setContentsMargins(*((0, 0, 0, space(1)) if below else (space(1), 0, space(1), 0)))
        self.fix_button.setVisible(bool(row.do))
