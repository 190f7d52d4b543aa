"""A status bar widget that shows a running job with a button to stop it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from inspector.domain.dataclass import dataclass
from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel, safe_tooltip
from inspector.ui.widgets.controls import arrange, icon_button
from inspector.ui.wording import tr

_BAR_WIDTH = 96


@dataclass(frozen=True, slots=True)
class ShownJob:
    """One piece of work. `percent` None is not known; `others` run besides it."""

    key: str
    text: str
    percent: int | None = None
    others: int = 0


class JobLine(QWidget):
    """Shows one piece of work, the one that runs longest; nothing while there is none."""

    def __init__(self, icons: Icons, cancel: Callable[[str], None]) -> None:
        """`cancel` is told the key of the work that is to stop."""
        super().__init__()
        self._shown: ShownJob | None = None
        self._cancel = cancel
        self._text = ElidedLabel(tone="muted", size="small")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.button = icon_button(icons, "stop", tr("Cancel"), self._ask)
        row = QHBoxLayout(self)
        arrange(row, self._text, self.bar, self.button, spacing=8)
        self.tell(None)

    @property
    def text(self) -> str:
        return self._text.original if self._shown else ""

    def tell(self, work: ShownJob | None) -> None:
        """Show a piece of work, or nothing."""
        self._shown = work
        self.setVisible(work is not None)
        if work is None:
            return
        text = work.text if not work.others else tr("{work} (+{count})", work=work.text, count=work.others)
        self._text.setText(text if work.percent is None else f"{text} · {work.percent} %")
        self.bar.setRange(0, 0 if work.percent is None else 100)
        self.bar.setValue(work.percent or 0)
        self.bar.setAccessibleName(work.text)
        name = tr("Cancel: {work}", work=work.text)
        self.button.setAccessibleName(name)
        safe_tooltip(self.button, name)

    def _ask(self) -> None:
        if self._shown is not None:
            self._cancel(self._shown.key)
