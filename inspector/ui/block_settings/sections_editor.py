"""The editor of a composite schema: a table of its sections, and the schema of the selected one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from inspector.domain.blocks import CompositeSchema, FieldDef, FieldType, ListSchema, PlainSchema, SectionDef
from inspector.domain.content import FieldItem, ListContent, ListItem
from inspector.domain.edits.block_rows import Rename
from inspector.ui.block_settings.fields_table import RowsTable
from inspector.ui.block_settings.plain_schema import PlainSchemaEditor
from inspector.ui.block_settings.schema_kinds import PLAIN_KINDS, as_plain_kind, kind_names
from inspector.ui.block_settings.schema_rows import stored_names, titles
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.part import EditorTools
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import tr


class SectionsEditor(QWidget):
    """Edits the sections of a composite schema. `changed` tells of every change that a person makes.

    `stored` is the schema in the file, if that has sections too, and `renames` what has other names than in it.
    """

    changed = Signal()

    def __init__(
        self,
        schema: CompositeSchema,
        tools: EditorTools,
        stored: CompositeSchema | None,
        renames: Sequence[Rename] = (),
    ) -> None:
        super().__init__()
        self._given = schema
        self._tools = tools
        self._is_open = True
        fields = _section_fields()
        ids = {f"section{at}": each for at, each in enumerate(schema.sections)}
        rows = tuple(ListItem(id_, _row(each)) for id_, each in ids.items())
        sections = {} if stored is None else {each.name: each for each in stored.sections}
        renamed = {each.new: each.old for each in renames if each.section is None}
        free = set(sections) - set(renamed.values())
        self._was = {
            id_: renamed.get(each.name, each.name if each.name in free else "") for id_, each in ids.items()
        }
        self.editors: dict[str, PlainSchemaEditor] = {}
        self._pages = QStackedWidget()
        for id_, each in ids.items():
            was = sections.get(self._was[id_])
            names = {it.new: it.old for it in renames if was is not None and it.section == was.name}
            self._put(id_, each.schema, {} if was is None else stored_names(was.schema, each.schema, names))
        draft = ContentDraft(ListSchema(fields), ListContent(rows))
        self.table = RowsTable(draft, tools, [each.name for each in fields], tr("Sections of the schema"))
        arrange(QVBoxLayout(self), self.table, self._pages, spacing=tools.appearance.space(3))
        self.setFocusProxy(self.table)
        self.table.changed.connect(self._changed)
        self.table.chosen.connect(self._show)
        self._show(self.table.row)

    @property
    def schema(self) -> CompositeSchema:
        made = CompositeSchema(tuple(map(self._section, self.table.rows)))
        return self._given if made == self._given else made

    @property
    def faults(self) -> tuple[str, ...]:
        ids = {each.id for each in self.table.rows}
        inside = [fault for id_, each in self.editors.items() if id_ in ids for fault in each.faults]
        return (*self.table.draft.faults, *inside)

    def renames(self) -> Iterator[Rename]:
        """The sections, and the fields in them, that have other names than in the file."""
        for row in self.table.rows:
            was, name = self._was.get(row.id, ""), _values(row).get(titles().name)
            if was:
                yield from self.editors[row.id].renames(was)
            if was and isinstance(name, str) and name != was:
                yield Rename(was, name)

    def set_open(self, *, is_open: bool) -> None:
        """Let it be changed, or only read."""
        self._is_open = is_open
        self.table.draft.set_read_only(not is_open)
        for each in self.editors.values():
            each.set_open(is_open=is_open)

    def _put(self, id_: str, schema: PlainSchema, was: Mapping[str, str] | None) -> None:
        made = PlainSchemaEditor(schema, was, self._tools)
        made.set_open(is_open=self._is_open)
        made.changed.connect(self.changed)
        left = self.editors.pop(id_, None)
        self.editors[id_] = made
        self._pages.addWidget(made)
        if left is not None:
            self._pages.removeWidget(left)
            left.deleteLater()

    def _changed(self) -> None:
        """Give new sections an editor, and those of another kind another one."""
        for row in self.table.rows:
            kind = _kind(_values(row))
            editor = self.editors.get(row.id)
            if editor is None:
                self._put(row.id, as_plain_kind(PLAIN_KINDS[0](), kind), {})
            elif not isinstance(editor.schema, kind):
                self._put(row.id, as_plain_kind(editor.schema, kind), editor.stored_names)
        self._show(self.table.row)
        self.changed.emit()

    def _show(self, row: object) -> None:
        editor = self.editors.get(row.id) if isinstance(row, ListItem) else None
        self._pages.setVisible(editor is not None)
        if editor is not None:
            self._pages.setCurrentWidget(editor)

    def _section(self, row: ListItem) -> SectionDef:
        values, of = _values(row), titles()
        editor = self.editors.get(row.id)
        schema = as_plain_kind(PLAIN_KINDS[0](), _kind(values)) if editor is None else editor.schema
        name, description = (str(values.get(each) or "") for each in (of.name, of.description))
        return SectionDef(name, schema, description, values.get(of.read_only) is True)


def _section_fields() -> tuple[FieldDef, ...]:
    of = titles()
    kinds = tuple(kind_names()[each] for each in PLAIN_KINDS)
    return (
        FieldDef(of.name, required=True),
        FieldDef(of.type, required=True, choices=kinds),
        FieldDef(of.description),
        FieldDef(of.read_only, FieldType.BOOLEAN),
    )


def _row(section: SectionDef) -> dict[str, FieldItem]:
    of = titles()
    values: dict[str, FieldItem] = {of.name: section.name, of.type: kind_names()[type(section.schema)]}
    if section.description:
        values[of.description] = section.description
    return {**values, of.read_only: section.read_only}


def _values(row: ListItem) -> Mapping[str, FieldItem]:
    return {} if isinstance(row.value, str) else row.value


def _kind(values: Mapping[str, FieldItem]) -> type[PlainSchema]:
    chosen = values.get(titles().type)
    return next((each for each in PLAIN_KINDS if kind_names()[each] == chosen), PLAIN_KINDS[0])
