"""The right half of the layout editor: the Request's sections with the layout, their tokens, and what falls out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QTableView, QVBoxLayout, QWidget

from inspector.domain.agents import Agent
from inspector.domain.counts import Count, Method, joint_method
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.layouts import Layout
from inspector.domain.requests import LeftOut, Request
from inspector.domain.simulation import Simulation
from inspector.ui.models.column_widths import take_rest
from inspector.ui.models.columns import Column, figures_font
from inspector.ui.models.table import RowTable
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.names import name_of_source
from inspector.ui.safe_text import PlainLabel, few_lines, one_line
from inspector.ui.widgets.controls import arrange
from inspector.ui.widgets.rows_view import dress_table
from inspector.ui.wording import counted, signed, tokens, tr, tr_count, tr_error

_LONGEST_NAME = 60
_NAME_LETTERS = 40
"""Letters that names of sections have at the most in the table, so that their figures stand near."""
_FIGURES = ("199,999", "−19,999")


@dataclass(frozen=True, slots=True)
class PreviewedSection:
    """A section of the Request as the layout makes it, or something that it leaves out (`is_out`)."""

    key: str
    name: str
    tokens: Count
    delta: int = 0
    is_out: bool = False


def previewed_sections(simulation: Simulation) -> tuple[PreviewedSection, ...]:
    """The sections in sending order, those that are gone, then what falls out that is in now."""
    before, after = _tokens(simulation.before), _tokens(simulation.after)
    titles = {
        each.name: each.title for side in (simulation.before, simulation.after) for each in side.sections
    }
    found = [
        PreviewedSection(name, titles[name] or name, count, count.tokens - _of(before, name))
        for name, count in after.items()
    ]
    found += [
        PreviewedSection(
            name, tr("{name} (gone)", name=titles[name] or name), Count(0, Method.EXACT), -count.tokens
        )
        for name, count in before.items()
        if name not in after
    ]
    return (*found, *_falls_out(simulation))


def _tokens(request: Request) -> dict[str, Count]:
    found: dict[str, list[Count]] = {}
    for each in request.sections:
        found.setdefault(each.name, []).append(Count(each.tokens, each.method))
    return {
        name: Count(sum(each.tokens for each in counts), joint_method(each.method for each in counts))
        for name, counts in found.items()
    }


def _of(counts: Mapping[str, Count], name: str) -> int:
    return counts[name].tokens if name in counts else 0


def _falls_out(simulation: Simulation) -> Iterator[PreviewedSection]:
    def key(row: LeftOut) -> tuple[object, object, str]:
        return row.source.kind, row.source.id, row.section

    was = {key(each) for each in simulation.before.left_out}
    for at, each in enumerate(simulation.after.left_out):
        if key(each) not in was:
            yield PreviewedSection(
                f"out {at}", name_of_source(each.source), Count(each.tokens, each.method), is_out=True
            )


class LayoutPreview(QWidget):
    """What the shown agent's Request would be with a layout, compared with what is saved."""

    def __init__(self, services: PanelServices) -> None:
        super().__init__()
        self._services = services
        space = services.appearance.space
        self.title = PlainLabel("", strong=True, wrap=True)
        self.total = PlainLabel("", wrap=True)
        self.note = PlainLabel("", tone="muted", size="small", wrap=True)
        self._model = RowTable(_columns(), lambda each: each.key, self)
        self.view = QTableView()
        self.view.setModel(self._model)
        dress_table(self.view, services.appearance, tr("Request with this layout"))
        take_rest(self.view.horizontalHeader(), 0, _NAME_LETTERS)
        words = QVBoxLayout()
        arrange(words, self.title, self.total, self.note, margins=space(3), spacing=space(1))
        arrange(QVBoxLayout(self), words, self.view)
        services.appearance.changed.connect(self._measure)
        self._measure()

    @property
    def rows(self) -> tuple[PreviewedSection, ...]:
        return self._model.values

    def show_layout(self, layout: Layout | None, agent: Agent | None, fault: str = "") -> None:
        """Build the Request with a layout; the figures stay until the new ones are there."""
        if agent is None:
            self._say(
                tr("No agent is shown."), "", tr("Create an agent to see its Request with this layout.")
            )
            return
        name = one_line(agent.name, _LONGEST_NAME)
        self.title.setText(tr("{agent}'s Request with this layout", agent=name))
        if layout is None or fault:
            why = tr("Correct the layout to see the Request.") if fault else ""
            self._say(self.title.original, why, "")
            return
        if not self.total.original:
            self.total.setText(tr("Building the Request …"))
        self._services.workspace.sides.layout(layout, self._show, self._fail)

    def _show(self, simulation: Simulation) -> None:
        after, diff = simulation.after, simulation.diff
        if diff.delta:
            text = tr(
                "{tokens}, {delta} to now",
                tokens=tokens(Count(after.tokens, after.method)),
                delta=signed(diff.delta),
            )
        else:
            text = tr("{tokens}, no change", tokens=tokens(Count(after.tokens, after.method)))
        self.total.setText(text)
        rows = previewed_sections(simulation)
        out = sum(each.is_out for each in rows)
        falls = tr_count("{count} piece is left out.", "{count} pieces are left out.", out) if out else ""
        now = tr("Preview only: compared with what is saved.")
        self.note.setText(f"{falls} {now}".strip())
        self._model.set_values(rows)

    def _fail(self, error: BaseException) -> bool:
        if isinstance(error, InspectorError):
            self._say(self.title.original, few_lines(tr_error(error)), "")
            return True
        return False

    def _say(self, title: str, total: str, note: str) -> None:
        for label, text in ((self.title, title), (self.total, total), (self.note, note)):
            label.setText(text)
        self._model.set_values(())

    def _measure(self) -> None:
        metrics = QFontMetrics(figures_font().resolve(self.view.font()))
        for column, figure in enumerate(_FIGURES, 1):
            wide = metrics.horizontalAdvance(figure) + self._services.appearance.space(4)
            self.view.setColumnWidth(column, wide)


def _columns() -> tuple[Column[PreviewedSection], ...]:
    def name(row: PreviewedSection) -> str:
        shown = one_line(row.name, _LONGEST_NAME)
        return tr("Falls out: {name}", name=shown) if row.is_out else shown

    return (
        Column("name", tr("Section"), name, tip=lambda row: row.name),
        Column("tokens", tr("Tokens"), lambda row: counted(row.tokens), right=True),
        Column("delta", tr("Change"), lambda row: signed(row.delta) if row.delta else "", right=True),
    )
