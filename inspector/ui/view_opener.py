"""Opens blocks, messages and whatever else is selected in tabs of the centre."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from inspector.domain.ref import Ref, RefKind
from inspector.ui.module_loading import import_in_turns
from inspector.ui.panel import LazyPanel, Panel, PanelArea, PanelRow, PanelServices
from inspector.ui.presentation.changes import name_of_ref
from inspector.ui.presentation.what_if import is_prompt
from inspector.ui.selection import PointedPlace
from inspector.ui.widgets.centre import Centre
from inspector.ui.wording import tr

MakePanel = Callable[[PanelRow, Ref | None], Panel]
_Key = tuple[str, Ref | None]
"""Of a tab: the id of its panel's row, and what it is on."""


class ViewOpener(QObject):
    """Shows centre panels in tabs, and makes those that have none."""

    def __init__(
        self,
        services: PanelServices,
        centre: Centre,
        rows: Sequence[PanelRow],
        make: MakePanel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._centre = centre
        self._rows = [row for row in rows if row.place is PanelArea.CENTRE]
        self._make = make
        services.selection.opened.connect(self._open)
        services.selection.returned.connect(self._show_again)

    def open_view(self, id_: str, ref: Ref | None = None) -> Panel | None:
        """The panel in a tab that is brought to the front, made at once; None when no row has that id."""
        key = self._show(id_, ref)
        view = None if key is None else self._centre.view(key)
        return view if isinstance(view, Panel) else None

    def go_to(self, id_: str) -> None:
        """Bring a panel's tab to the front, made at once for who tells it something next, and give it the keyboard."""
        if self.open_view(id_) is not None:
            key = (id_, None)
            waited = self._centre.keep_keyboard(key)
            reason = Qt.FocusReason.ShortcutFocusReason
            self._centre.once_there(key, partial(self._focus, key, reason, waited))

    def _show(self, id_: str, ref: Ref | None) -> _Key | None:
        """Bring a tab to the front. The view of a new one is made some turns of the loop later."""
        row = next((row for row in self._rows if row.id == id_), None)
        if row is None:
            return None
        key = (id_, ref)
        if self._centre.place_of(key) >= 0:
            self._centre.show_tab(key)
        else:
            name = row.title() if ref is None else name_of_ref(ref, self._services.workspace.file)
            is_closable = bool(row.opens) or not row.shown
            made, module = row.make, ""
            if isinstance(made, LazyPanel) and not made.is_loaded:
                module = made.module
            self._centre.put(
                key,
                partial(self._make, row, ref),
                name,
                partial(self._complete, row, ref),
                closable=is_closable,
                waits=bool(module),
            )
            if module:
                self._services.bridge.spawn(self._load(key, module), name=tr("Loading panels"))
        return key

    async def _load(self, key: _Key, module: str) -> None:
        """Import what a panel is made of beside the window, which would else stand still for so long."""
        await import_in_turns((module,))
        self._centre.begin(key)

    def _complete(self, row: PanelRow, ref: Ref | None, panel: QWidget) -> None:
        if not isinstance(panel, Panel):
            return

        def tell() -> None:
            self._centre.rename((row.id, ref), panel.heading or row.title(), marked=panel.marked)

        panel.complete()
        panel.heading_changed.connect(tell)
        tell()

    def _open(self, ref: Ref) -> None:
        row = self._row_for(ref)
        if row is not None:
            key = self._show(row.id, ref.whole if row.opens else None)
            if key is not None:
                waited = self._centre.keep_keyboard(key)
                self._centre.once_there(key, partial(self._point, key, waited))
        elif ref.kind is RefKind.TOOL or (ref.kind is RefKind.LITERAL and is_prompt(ref)):
            # The agent is selected once its tab is in front.
            place = self._services.selection.selected.place
            key = self._show("agent", Ref(RefKind.AGENT, self._services.workspace.file.agent_id))
            if key is not None:
                self._centre.once_there(key, partial(self._reveal, key, ref, place))
        elif ref.kind is not RefKind.SECTION or ref.part is None:
            # A list of the navigator has none: its card says where it is shown.
            self._show("request", None)

    def _row_for(self, ref: Ref) -> PanelRow | None:
        """The panel that shows such a thing, of its own or among others."""
        for row in self._rows:
            is_list = ref.kind is RefKind.SECTION and ref.part == row.id
            if ref.kind in row.opens or ref.kind in row.shows or (is_list and row.shows):
                return row
        return None

    def _point(self, key: _Key, waited: bool) -> None:
        """Give a panel the keyboard, at the place that was pointed at, unless another came to the front meanwhile."""
        panel = self._focus(key, Qt.FocusReason.OtherFocusReason, waited)
        place = self._services.selection.selected.place
        if panel is not None and place is not None:
            panel.show_place(place.text, place.offset)

    def _focus(self, key: _Key, reason: Qt.FocusReason, waited: bool) -> Panel | None:
        """The panel, None where another is in front. It gets the keyboard, unless that went elsewhere meanwhile."""
        panel = self._centre.view(key) if self._centre.current_key == key else None
        if not isinstance(panel, Panel):
            return None
        if not (waited and self._centre.is_left(key)):
            first = panel.first_focus()
            if not first.isVisible():
                # Qt gives it the keyboard once it is shown, unless that went elsewhere meanwhile; a filter that had it
                # all along and is typed in would lose it.
                panel.setFocus(reason)
            first.setFocus(reason)
        return panel

    def _reveal(self, key: _Key, ref: Ref, place: PointedPlace | None) -> None:
        panel = self._centre.view(key)
        if isinstance(panel, Panel):
            panel.reveal_at(ref, place)

    def _show_again(self, ref: Ref | None) -> None:
        """Let the tab in front be on what was gone back to, or on the Request."""
        keys = [key for key in self._centre.keys if isinstance(key, tuple)]
        whole = ref.whole if ref is not None else None
        found = next((key for key in keys if key[1] is not None and key[1] == whole), ("request", None))
        self._show(*found)
