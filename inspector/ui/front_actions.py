"""Actions of a view that are there while the view is in sight: the next one in front takes their ids over."""

from __future__ import annotations

from inspector.ui.actions import Action, Actions
from inspector.ui.icons import Icons


class FrontActions:
    """The actions of one view. Several views may have actions of the same ids; the one in front has them now."""

    def __init__(self, actions: Actions, icons: Icons, *rows: Action) -> None:
        self._actions = actions
        self._icons = icons
        self._rows = rows

    def come(self) -> None:
        """Register them, in place of those of the view that was in front before: Qt shows one, then hides the other."""
        before = self._actions.front
        if isinstance(before, FrontActions) and before is not self:
            before.go()
        self._actions.front = self
        for row in self._rows:
            if row.id in self._actions:
                self._actions.remove(row.id)
        self._actions.add(*self._rows)
        for row in self._rows:
            if row.icon:
                self._icons.bind(self._actions.item(row.id), row.icon)

    def go(self) -> None:
        """Take away those that are still this view's."""
        if self._actions.front is self:
            self._actions.front = None
        for row in self._rows:
            if row.id in self._actions and self._actions.row(row.id) is row:
                self._actions.remove(row.id)
