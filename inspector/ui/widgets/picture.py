"""An icon that is only looked at."""

from __future__ import annotations

from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import PlainLabel


class Picture(PlainLabel):
    """One icon of the family, `size` pixels wide at text scale 1, tinted again with every theme."""

    def __init__(
        self, appearance: Appearance, icons: Icons, icon: str, size: int, tone: str = "accent"
    ) -> None:
        super().__init__()
        self._appearance = appearance
        self._icons = icons
        self._picture = (icon, size, tone)
        appearance.changed.connect(self._tint)
        self._tint()

    def _tint(self) -> None:
        icon, size, tone = self._picture
        self.setPixmap(self._icons.pixmap(icon, round(size * self._appearance.scale), tone))
