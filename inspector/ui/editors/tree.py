"""The tree editor: an outline whose nodes are edited in place, indented, outdented and moved by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QVBoxLayout, QWidget

from inspector.domain.blocks import TreeSchema
from inspector.domain.content import TreeContent, TreeNode
from inspector.domain.differences.contents import nodes_of
from inspector.domain.rendering.render import render
from inspector.ui.editors import outline
from inspector.ui.editors.cells import CellDelegate
from inspector.ui.editors.element_columns import (
    TEXT,
    UnknownNames,
    changed_value,
    columns_of,
    edited_text,
    field_column,
    first_text,
    first_widths,
    new_object,
    stored_again,
    tokens_column,
)
from inspector.ui.editors.field_values import FieldFault
from inspector.ui.editors.part import EditorTools, Part
from inspector.ui.models.column_widths import fit_columns
from inspector.ui.models.columns import Index
from inspector.ui.models.outline import OutlineModel
from inspector.ui.models.tree import TreeRow
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import EDGE_STEPS, arrange, button
from inspector.ui.widgets.flow import FlowLayout
from inspector.ui.widgets.rows_view import dress_tree, keep_rows
from inspector.ui.wording import tr, tr_count

_LEAST_ROWS = 3
_OPEN = 500
"""Nodes up to which an outline is opened to its last level."""


class OutlineView(QTreeView):
    """The outline itself. Its signals ask for what they say, for the current node."""

    added = Signal()
    removed = Signal()
    indented = Signal(int)
    moved = Signal(int)

    def event(self, event: QEvent) -> bool:
        """Take Tab before it goes to the next widget, and keys that are the window's elsewhere; Ctrl+Tab leaves."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_own = event.key() == Qt.Key.Key_F2 or self._asked(event) is not None
            event.setAccepted(is_own)
            return is_own or super().event(event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            asked = self._asked(event)
            if asked is not None and self.state() != self.State.EditingState:
                asked()
                return True
        return super().event(event)

    def _asked(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, modifiers = event.key(), event.modifiers()
        if not self.currentIndex().isValid():
            return self.added.emit if key == Qt.Key.Key_Insert else None
        if modifiers == Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            return lambda: self.moved.emit(-1 if key == Qt.Key.Key_Up else 1)
        if key == Qt.Key.Key_Backtab:
            return lambda: self.indented.emit(-1)
        if modifiers:
            return None
        if key == Qt.Key.Key_Tab:
            return lambda: self.indented.emit(1)
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            return self.removed.emit
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Insert):
            return self.added.emit
        return None


class TreeEditor(QWidget):
    """Edits an outline's nodes. Each change is of one node, or of its place."""

    def __init__(self, part: Part, tools: EditorTools) -> None:
        super().__init__()
        self._part = part
        self._tools = tools
        self._columns_for: object = None
        self._unknown = UnknownNames(outline.depth_first)
        self.model = OutlineModel((), frozenset(), self)
        self.view = OutlineView()
        dress_tree(self.view, tools.appearance, tr("Nodes of the tree"))
        keep_rows(self.view, tools.appearance, _LEAST_ROWS)
        self.delegate = CellDelegate(tools.appearance, self.view)
        self.fault = PlainLabel("", tone="error", size="small", wrap=True)
        self.note = PlainLabel("", tone="muted", size="small")
        self._buttons = (
            button(tr("Add"), self.view.added.emit, size="small"),
            button(tr("Remove"), self.view.removed.emit, size="small"),
            button(tr("Indent"), lambda: self.view.indented.emit(1), size="small"),
            button(tr("Outdent"), lambda: self.view.indented.emit(-1), size="small"),
            button(tr("Move up"), lambda: self.view.moved.emit(-1), size="small"),
            button(tr("Move down"), lambda: self.view.moved.emit(1), size="small"),
        )
        space, side = tools.appearance.space(2), tools.appearance.space(EDGE_STEPS)
        row = FlowLayout(*self._buttons, self.note, spacing=space)
        row.setContentsMargins(side, space, side, space)
        self.fault.setContentsMargins(side, space, side, 0)
        self.fault.hide()
        arrange(QVBoxLayout(self), self.view, self.fault, row)
        self.setFocusProxy(self.view)
        self._prepare()
        part.shown.connect(self._show)
        part.given_up.connect(self._give_up)
        tools.figures.changed.connect(self._show_figures)
        self._show()

    def _show_figures(self) -> None:
        self.view.viewport().update()

    def _prepare(self) -> None:
        view = self.view
        view.setItemDelegate(self.delegate)
        self.delegate.stored = self._stored_text
        view.setHeaderHidden(False)
        view.setRootIsDecorated(True)
        triggers = QAbstractItemView.EditTrigger
        view.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)
        view.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.added.connect(self._add)
        view.removed.connect(self._remove)
        view.indented.connect(self._indent)
        view.moved.connect(
            lambda step: self._rearrange(lambda roots, id_: outline.moved(roots, id_, step), step > 0)
        )
        self.delegate.ended.connect(self._end_cell)

    @property
    def chosen(self) -> list[str]:
        """The ids of the selected nodes, those above first; the current one where none is, as Tab comes to it."""
        selected = self.view.selectionModel().selectedRows() or [self.view.currentIndex()]
        ids = {self.model.key_at(index) for index in selected}
        if len(ids) == 1:
            return [key for key in ids if isinstance(key, str)]
        return [node.id for node in outline.depth_first(self._roots) if node.id in ids]

    @property
    def _roots(self) -> outline.Nodes:
        content = self._part.content
        return content.roots if isinstance(content, TreeContent) else ()

    @property
    def _schema(self) -> TreeSchema:
        schema = self._part.schema
        return schema if isinstance(schema, TreeSchema) else TreeSchema()

    def choose(self, ids: list[str], *, edit: str = "") -> None:
        """Select nodes, and begin to edit a column of the first."""
        at = next((at for at, each in enumerate(self.model.columns) if each.id == edit), 0)
        found = [index for index in map(self.model.find, ids) if index.isValid()]
        selection = self.view.selectionModel()
        flag = QItemSelectionModel.SelectionFlag
        chosen = QItemSelection()
        for index in found:
            self.view.expand(index.parent())
            chosen.select(index, index)
        selection.select(chosen, flag.ClearAndSelect | flag.Rows)
        if found:
            first = found[0].siblingAtColumn(at)
            selection.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.view.scrollTo(first)
            if edit:
                self.view.edit(first)

    def _show(self) -> None:
        fields, roots = self._schema.node_schema, self._roots
        unknown = self._unknown.of(roots, fields)
        is_new = self._columns_for != (fields, unknown)
        if is_new:
            self._columns_for = (fields, unknown)
            self._set_columns(unknown)
        self.model.is_read_only = self._part.is_read_only
        row = self._row if self.model.rowCount() else _new_row
        self.model.set_rows([row(each) for each in roots])
        if is_new and self.model.total <= _OPEN:
            self.view.expandAll()
        self.note.setText(tr_count("{count} node", "{count} nodes", self.model.total))
        self._look()

    def _look(self) -> None:
        """Say what can be done with what is selected."""
        is_open, any_chosen = not self._part.is_read_only, self.view.selectionModel().hasSelection()
        add, *others = self._buttons
        add.setEnabled(is_open)
        for each in others:
            each.setEnabled(is_open and any_chosen)

    def _row(self, node: TreeNode) -> TreeRow:
        """A node's row: the one that is shown, where it is of the very same node."""
        shown = self.model.row_of(node.id)
        if shown is not None and shown.value is node:
            return shown
        return TreeRow(node.id, node, tuple(map(self._row, node.children)))

    def _set_columns(self, unknown: tuple[str, ...]) -> None:
        fields = self._schema.node_schema
        columns = [*columns_of(fields, unknown, self._tools), tokens_column(self._tools, self._rendered)]
        editable = {TEXT} if fields is None else {field_column(each.name) for each in fields}
        old, self.model = self.model, OutlineModel(columns, frozenset(editable), self)
        self.view.setModel(self.model)
        self.view.selectionModel().selectionChanged.connect(self._look)
        old.deleteLater()
        self.model.typed.connect(self._typed)
        self.model.dropped.connect(self._dropped)
        widths = first_widths(fields)
        fit_columns(self.view.header(), columns, widths)
        self.view.setTreePosition(
            next((at for at, each in enumerate(columns) if not widths.get(each.id, 1)), 0)
        )

    def _rendered(self, node: object) -> str:
        if not isinstance(node, TreeNode):
            return ""
        return render(self._schema, TreeContent((replace(node, children=()),))).text

    def _put(self, roots: outline.Nodes, place: object = None) -> None:
        self._part.change(TreeContent(roots), place)

    def _add(self) -> None:
        if self._part.is_read_only:
            return
        fields = self._schema.node_schema
        made = TreeNode(self._tools.new_id("itm"), "" if fields is None else new_object(fields, self._tools))
        current = self.model.key_at(self.view.currentIndex())
        path = None if current is None else outline.path_of(self._roots, current)
        to = (len(self._roots),) if path is None else (*path[:-1], path[-1] + 1)
        self._put(outline.inserted(self._roots, to, made))
        self.choose([made.id], edit=first_text(fields))

    def _remove(self) -> None:
        chosen = self.chosen
        if not chosen or self._part.is_read_only:
            return
        below = self.view.indexBelow(self.model.find(chosen[-1]))
        near = self.model.key_at(below) or self.model.key_at(self.view.indexAbove(self.model.find(chosen[0])))
        self._put(outline.without(self._roots, chosen))
        self.choose([] if near is None else [near])

    def _indent(self, by: int) -> None:
        self._rearrange(outline.indented if by > 0 else outline.outdented, by < 0)

    def _rearrange(self, change: Callable[[outline.Nodes, str], outline.Nodes], last_first: bool) -> None:
        """Change the places of the chosen nodes; what is under one that is chosen goes with it."""
        chosen, roots = self.chosen, self._roots
        tops = [each for each in chosen if not self._is_under(each, chosen)]
        for id_ in reversed(tops) if last_first else tops:
            roots = change(roots, id_)
        if not self._part.is_read_only:
            self._put(roots)
            self.choose(chosen)

    def _is_under(self, id_: str, others: list[str]) -> bool:
        index: QModelIndex = self.model.find(id_).parent()
        while index.isValid():
            if self.model.key_at(index) in others:
                return True
            index = index.parent()
        return False

    def _dropped(self, ids: list[str], parent: str | None, place: int) -> None:
        self._put(outline.put_under(self._roots, ids, parent, place))
        self.choose(ids)

    def _typed(self, id_: str, column: str, value: object) -> None:
        path = outline.path_of(self._roots, id_)
        if path is None:
            return
        node = outline.node_at(self._roots, path)
        read = changed_value(node, self._schema.node_schema, (column, value), self._tools.new_id)
        if isinstance(read, FieldFault):
            self._tell(read.text)
            self._take_back(path, column)
            return
        self._tell("")
        self._put(outline.replaced(self._roots, path, replace(node, value=read)), (id_, column))

    def _take_back(self, path: outline.Path, column: str) -> None:
        node = outline.node_at(self._roots, path)
        value = stored_again(node, self._stored(node.id), self._schema.node_schema, column)
        if value is not None:
            self._put(outline.replaced(self._roots, path, replace(node, value=value)), (node.id, column))

    def _stored(self, id_: str | None) -> TreeNode | None:
        base = self._part.base
        nodes = nodes_of(base) if isinstance(base, TreeContent) else ()
        return next((each for each, _ in nodes if each.id == id_), None)

    def _stored_text(self, index: Index) -> str:
        return edited_text(self.model.columns, index, self._stored(self.model.key_at(index)))

    def _end_cell(self, refused: str) -> None:
        self._tell("")
        self._show_fault(refused)
        self._part.end_step()

    def _give_up(self) -> None:
        if self.view.state() == self.view.State.EditingState:
            # The cell is left, as by a click elsewhere.
            self.view.setFocus()
        self._show_fault("")

    def _tell(self, fault: str) -> None:
        self._show_fault(fault)
        is_in_cell = self.view.state() == self.view.State.EditingState
        self.delegate.refusal = fault if is_in_cell else ""
        self._part.tell_fault("cell", fault)

    def _show_fault(self, fault: str) -> None:
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))


def _new_row(node: TreeNode) -> TreeRow:
    return TreeRow(node.id, node, tuple(map(_new_row, node.children)) if node.children else ())
