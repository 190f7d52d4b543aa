"""The sections of a layout as rows of a table to be edited, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from inspector.domain.blocks import FieldDef, FieldType, ListSchema
from inspector.domain.content import FieldEntry, FieldItem, ListContent, ListItem
from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import BUILT_IN, MESSAGES
from inspector.domain.layouts import SectionLayout
from inspector.ui.wording import tr

Values = Mapping[str, FieldItem]


@dataclass(frozen=True, slots=True)
class SectionTitles:
    """What the columns and details of a section are called."""

    on: str
    name: str
    heading: str
    minimum: str
    maximum: str
    priority: str
    rest: str
    text: str
    blocks: str
    group: str
    group_end: str
    element: str
    fence: str
    share: str
    together: str

    @property
    def in_table(self) -> tuple[str, ...]:
        return (self.on, self.name, self.heading, self.minimum, self.maximum, self.priority)


@cache
def titles() -> SectionTitles:
    """The titles in the user's language."""
    return SectionTitles(
        tr("On"),
        tr("Name"),
        tr("Heading"),
        tr("Min"),
        tr("Max"),
        tr("Priority"),
        tr("Takes the rest"),
        tr("Own text"),
        tr("Block labels"),
        tr("Shared heading"),
        tr("End of the group"),
        tr("XML element"),
        tr("Code fence"),
        tr("Share"),
        tr("All or nothing"),
    )


@cache
def section_schema() -> ListSchema:
    """The schema of the table: a list of sections."""
    of, kinds = titles(), FieldType
    return ListSchema(
        (
            FieldDef(of.on, kinds.BOOLEAN, default=True),
            FieldDef(of.name),
            FieldDef(of.heading),
            FieldDef(of.minimum, kinds.NUMBER, tr("Tokens that it gets first.")),
            FieldDef(of.maximum, kinds.NUMBER, tr("Tokens. Empty: no limit.")),
            FieldDef(of.priority, kinds.NUMBER),
            FieldDef(
                of.text,
                kinds.TEXT,
                tr("Makes this a section of your own: the text is sent in every Request."),
            ),
            FieldDef(of.blocks, kinds.LIST, tr("One per line. The blocks of this section, in this order.")),
            FieldDef(
                of.group, kinds.TEXT, tr("Added once before neighbouring sections that have the same one.")
            ),
            FieldDef(of.group_end, kinds.TEXT, tr("Added once after the last section of the group.")),
            FieldDef(of.element, kinds.TEXT, tr("Encloses the section in a tag of this name.")),
            FieldDef(of.share, kinds.NUMBER, tr("Shared among sections of equal priority.")),
            FieldDef(of.rest, kinds.BOOLEAN, tr("Takes tokens that other sections leave."), default=True),
            FieldDef(of.fence, kinds.BOOLEAN, tr("Encloses the section in a code fence.")),
            FieldDef(of.together, kinds.BOOLEAN, tr("What may be left out goes in whole or stays out.")),
        )
    )


@cache
def detail_fields() -> tuple[FieldDef, ...]:
    """What the table does not show of a section."""
    return tuple(each for each in section_schema().item_schema or () if each.name not in titles().in_table)


class SectionRows:
    """The rows of a layout's sections; its own `off` and the built-in ones that it does not have follow, switched off.

    A row that nobody changed is the very section that it was made of.
    """

    def __init__(self, sections: tuple[SectionLayout, ...], off: tuple[SectionLayout, ...] = ()) -> None:
        names = {each.name for each in (*sections, *off)}
        absent = [SectionLayout(each) for each in (*BUILT_IN, MESSAGES) if each not in names]
        rows = [
            (f"section{at}", each, _row(each, is_on=at < len(sections)))
            for at, each in enumerate((*sections, *off, *absent))
        ]
        self._given = {id_: (section, row) for id_, section, row in rows}
        self.content = ListContent(tuple(ListItem(id_, row) for id_, _, row in rows))

    def sections_in(self, content: ListContent) -> tuple[SectionLayout, ...]:
        """The sections that are switched on, in their order."""
        return tuple(self._section(each) for each in content.items if is_on(each))

    def off_in(self, content: ListContent) -> tuple[SectionLayout, ...]:
        """The sections that are switched off and say more than a name."""
        found = [self._section(each) for each in content.items if not is_on(each)]
        return tuple(each for each in found if each != SectionLayout(each.name))

    def _section(self, row: ListItem) -> SectionLayout:
        section, given = self._given.get(row.id, (None, None))
        values = row_values(row)
        if section is not None and given is not None and given == {**values, titles().on: given[titles().on]}:
            return section
        return _section(values, section or SectionLayout(""))


def row_values(row: ListItem) -> Values:
    """The named values of a row."""
    return {} if isinstance(row.value, str) else row.value


def is_on(row: ListItem) -> bool:
    """Whether the layout has the section of a row."""
    return row_values(row).get(titles().on) is True


def _row(section: SectionLayout, *, is_on: bool) -> dict[str, FieldItem]:
    of = titles()
    labels = tuple(FieldEntry(f"b{at}", each) for at, each in enumerate(section.blocks))
    values: dict[str, FieldItem] = {
        of.on: is_on,
        of.name: section.name,
        of.heading: section.heading or None,
        of.minimum: section.minimum or None,
        of.maximum: section.maximum,
        of.priority: section.priority or None,
        of.text: section.text or None,
        of.blocks: labels or None,
        of.group: section.group or None,
        of.group_end: section.group_end or None,
        of.element: section.element or None,
        of.share: None if section.share == 1 else section.share,
        of.rest: section.grow,
        of.fence: section.fence,
        of.together: section.together,
    }
    return {name: value for name, value in values.items() if value is not None}


def _section(values: Values, given: SectionLayout) -> SectionLayout:
    of = titles()
    maximum = values.get(of.maximum)
    share = values.get(of.share)
    labels = values.get(of.blocks)
    return replace(
        given,
        name=_text(values, of.name),
        heading=_text(values, of.heading),
        minimum=_whole(values, of.minimum),
        maximum=None if maximum is None else _whole(values, of.maximum),
        priority=_whole(values, of.priority),
        text=_text(values, of.text),
        blocks=tuple(str(each.value) for each in labels) if isinstance(labels, tuple) else (),
        group=_text(values, of.group),
        group_end=_text(values, of.group_end),
        element=_text(values, of.element),
        share=float(share) if isinstance(share, int | float) else 1.0,
        grow=values.get(of.rest) is True,
        fence=values.get(of.fence) is True,
        together=values.get(of.together) is True,
    )


def _text(values: Values, name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _whole(values: Values, name: str) -> int:
    value = values.get(name)
    return round(value) if isinstance(value, int | float) else 0
