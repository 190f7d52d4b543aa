"""The bar above the difference of two versions: what is compared, in which form, and what can be restored."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from inspector.ui.actions import Action
from inspector.ui.appearance import Appearance
from inspector.ui.icons import Icons
from inspector.ui.safe_text import ElidedLabel, safe_tooltip
from inspector.ui.widgets.controls import EDGE_STEPS, Segments, arrange, button, icon_button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.wording import tr

WITH_NOW, INLINE = 0, 0


class DifferenceBar(QFrame):
    """A title, the choices, and buttons: restore all, a change or a selection, step on and back, redact."""

    def __init__(self, appearance: Appearance, icons: Icons, actions: Sequence[Action]) -> None:
        super().__init__()
        self._appearance = appearance
        self.setProperty("role", "dock_title")
        self._actions = tuple(actions)
        restore, change, selection, forward, back, redact = self._actions
        self.title, self.summary = ElidedLabel("", strong=True), ElidedLabel("", tone="muted", size="small")
        self.against = Segments(
            tr("Compared with"),
            (tr("With current"), tr("Compare the version with the block as it is now")),
            (tr("With previous"), tr("Show what this version changed")),
        )
        self.form = Segments(
            tr("Form of the difference"),
            (tr("Inline"), tr("Show both versions in one column")),
            (tr("Side by side"), tr("Show the chosen version on the left")),
        )
        self.spaces_button = button(tr("Show spaces"), lambda: None, role="segment")
        self.spaces_button.setCheckable(True)
        safe_tooltip(self.spaces_button, tr("Show spaces and tabs"))
        self.restore_button = button(restore.title, restore.run, role="primary")
        self.hunk_button = button(change.title, change.run)
        self.selection_button = button(selection.title, selection.run)
        self.redact_button = button(tr("Redact …"), redact.run)
        self.redact_button.setAccessibleName(redact.title)
        self._forward = icon_button(icons, "forward", forward.title, forward.run)
        self._back = icon_button(icons, "back", back.title, back.run)
        self._reasons: tuple[str, ...] = ()
        self._lay_out()
        appearance.changed.connect(self._measure)
        self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()

    def follow_actions(self) -> bool:
        """Enable what can be done now and say why the rest can't; whether anything is another than before."""
        reasons = tuple(action.why_not() for action in self._actions)
        if reasons == self._reasons:
            return False
        self._reasons = reasons
        restores = (self.restore_button, self.hunk_button, self.selection_button)
        steps = (self._forward, self._back)
        for made, reason in zip((*restores, *steps, self.redact_button), reasons, strict=True):
            made.setEnabled(not reason)
            if made not in steps:
                safe_tooltip(made, reason)
        return True

    def _lay_out(self) -> None:
        names, self._tools = QHBoxLayout(), QHBoxLayout()
        self._left, self._right = FlowLayout(), FlowLayout()
        # What differs is said whole; where it came from gives way.
        self.summary.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Preferred)
        arrange(
            names,
            self.title,
            self.summary,
            None,
            self._back,
            self._forward,
            spacing=self._appearance.space(2),
        )
        self._restores = self.redact_button, self.selection_button, self.hunk_button, self.restore_button
        for each in (self.against, self.form, self.spaces_button):
            self._left.addWidget(each)
        for flow in (self._left, self._right):
            part = QWidget()
            part.setLayout(flow)
            self._tools.addWidget(part)
        for each in self._restores:
            self._right.addWidget(each)
        self._tools.setContentsMargins(0, 0, 0, 0)
        self._tools.setStretch(0, 1)
        self._rows = QVBoxLayout(self)
        arrange(self._rows, names, self._tools)

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(space(EDGE_STEPS), space(2), space(EDGE_STEPS), space(2))
        self._rows.setSpacing(space(2))
        for each in (self._left, self._right, self._tools):
            each.setSpacing(space(2))
        self._fold()

    def _fold(self) -> None:
        """Where there is no room beside the choices, the buttons follow them in the same lines."""
        space = self._appearance.space
        parts = (self.against, self.form, self.spaces_button, *self._restores)
        needed = sum(each.sizeHint().width() + space(2) for each in parts)
        flow = self._right if needed + space(6) <= self.width() else self._left
        if flow.indexOf(self.restore_button) < 0:
            for each in self._restores:
                flow.addWidget(each)
