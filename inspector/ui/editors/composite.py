"""The composite editor: a part for each section, to be folded, each with the editor of its own schema."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from inspector.domain.blocks import CompositeSchema, MapSchema, SectionDef, TextSchema
from inspector.domain.content import CompositeContent, PlainContent, TextContent
from inspector.domain.rendering.render import render
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.part import EditorTools, Form, MakeView, SectionPart
from inspector.ui.safe_text import ElidedLabel, PlainLabel
from inspector.ui.widgets.controls import arrange, clear, icon_button
from inspector.ui.wording import tr, with_unit

_TABLE_STEPS = 48
"""The least height of a section with rows of its own to scroll."""
_LINE_LETTERS, _LONG_TEXT, _SPARE_LINES = 80, 10_000, 3
"""Letters of a line of a section's text, how much of a text is looked at, and the lines that stay free below it."""


class SectionFrame(QFrame):
    """One section: a head with its name and tokens, and the editor under it."""

    def __init__(self, section: SectionDef, part: SectionPart, make: MakeView, tools: EditorTools) -> None:
        super().__init__()
        self.section = section
        self.part = part
        self._tools = tools
        part.setParent(self)
        self.setProperty("role", "card")
        space = tools.appearance.space
        self.fold_button = icon_button(
            tools.icons, "chevron_down", tr("Fold {name}", name=section.name), self.fold
        )
        self.tokens = PlainLabel("", tone="muted", size="small")
        self.editor = make(part, tools)
        self._fit()
        self._note = ElidedLabel(_head_note(section), tone="muted", size="small")
        head = QHBoxLayout()
        arrange(
            head,
            self.fold_button,
            ElidedLabel(section.name, strong=True),
            self._note,
            self.tokens,
            margins=space(2),
            spacing=space(2),
        )
        head.setStretch(2, 1)
        rows = QVBoxLayout(self)
        arrange(rows, head, self.editor)
        # The card's border and its round corners stay in sight.
        rows.setContentsMargins(1, 1, 1, space(2))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        part.shown.connect(self.show_tokens)
        part.shown.connect(self._fit)
        tools.figures.changed.connect(self.show_tokens)
        self.show_tokens()

    def follow(self, section: SectionDef) -> None:
        """Take the section as the schema has it now."""
        if section != self.section:
            self.section, self.part.schema = section, section.schema
            self._note.setText(_head_note(section))
            self.part.shown.emit()

    def fold(self) -> None:
        """Fold the section, or open it again."""
        is_folded = not self.editor.isHidden()
        self.editor.setHidden(is_folded)
        name = (
            tr("Unfold {name}", name=self.section.name)
            if is_folded
            else tr("Fold {name}", name=self.section.name)
        )
        self.fold_button.setAccessibleName(name)
        self._tools.icons.bind(self.fold_button, "chevron_right" if is_folded else "chevron_down")

    def _fit(self) -> None:
        """Have as much room as the section is worth: a short text needs less than a table."""
        space, steps = self._tools.appearance.space, _least_steps(self.section)
        content, height = self.part.content, space(steps)
        if isinstance(content, TextContent):
            lines = content.text.count("\n", 0, _LONG_TEXT) + 1 + len(content.text) // _LINE_LETTERS
            height = min(height, (lines + _SPARE_LINES) * self._tools.appearance.line_pitch())
        self.editor.setMinimumHeight(height)
        self.editor.updateGeometry()

    def show_tokens(self) -> None:
        rendered = render(self.section.schema, self.part.content).text
        figure = self._tools.figures.of(rendered, ("section", self.section.name)) if rendered else ""
        self.tokens.setText(with_unit(figure))


class CompositeEditor(QWidget):
    """The sections below one another."""

    def __init__(self, draft: ContentDraft, tools: EditorTools, make: MakeView) -> None:
        super().__init__()
        self._draft = draft
        self._tools = tools
        self._make = make
        self._schema: object = None
        self.sections: dict[str, SectionFrame] = {}
        page = QFrame()
        page.setProperty("role", "page")
        self._rows = QVBoxLayout(page)
        space = tools.appearance.space
        self._rows.setContentsMargins(*[space(3)] * 4)
        self._rows.setSpacing(space(3))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        self._foot, self._note = QFrame(), ElidedLabel("", tone="muted", size="small")
        self._foot.setProperty("role", "dock_title")
        foot = QVBoxLayout(self._foot)
        arrange(foot, self._note)
        foot.setContentsMargins(space(3), space(1), space(3), space(1))
        self._foot.hide()
        arrange(QVBoxLayout(self), area, self._foot)
        draft.shown.connect(self._show)
        self._show()

    @property
    def typed(self) -> CompositeContent:
        """The sections with what can't be taken as text."""
        sections: dict[str, PlainContent] = {}
        for name, frame in self.sections.items():
            content = frame.editor.typed if isinstance(frame.editor, Form) else frame.part.content
            if not isinstance(content, CompositeContent):
                sections[name] = content
        return CompositeContent(sections)

    @property
    def note(self) -> str:
        """What is said below the sections."""
        return self._note.original

    def say(self, text: str) -> None:
        """Say something about the sections as a whole."""
        self._note.setText(text)
        self._foot.setVisible(bool(text))

    def _show(self) -> None:
        schema, content = self._draft.schema, self._draft.content
        if not isinstance(schema, CompositeSchema) or not isinstance(content, CompositeContent):
            return
        shape = tuple((each.name, type(each.schema)) for each in schema.sections)
        if shape != self._schema:
            self._schema = shape
            self._build(schema, content)
            return
        for section in schema.sections:
            if section.name in self.sections:
                self.sections[section.name].follow(section)

    def _build(self, schema: CompositeSchema, content: CompositeContent) -> None:
        clear(self._rows)
        self.sections = {}
        for section in schema.sections:
            if section.name in content.sections:
                part = SectionPart(self._draft, section.name, section.schema, self)
                frame = SectionFrame(section, part, self._make, self._tools)
                self.sections[section.name] = frame
                self._rows.addWidget(frame)
        self._rows.addStretch(1)
        if self.sections:
            self.setFocusProxy(next(iter(self.sections.values())).editor)


def _head_note(section: SectionDef) -> str:
    note = (section.description, tr("Read-only for its agent.") if section.read_only else "")
    return " · ".join(each for each in note if each)


def _least_steps(section: SectionDef) -> int:
    match section.schema:
        case MapSchema(fields):
            return min(_TABLE_STEPS, 12 + 16 * len(fields))
        case TextSchema():
            return _TABLE_STEPS // 2
    return _TABLE_STEPS
