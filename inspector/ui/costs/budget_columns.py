"""The columns of the budget's table: names, tokens, shares and changes, with their tool tips."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from inspector.domain.counts import Method
from inspector.domain.requests import Request
from inspector.ui.appearance import TextSize
from inspector.ui.models.columns import VALUE_ROLE, Column
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.budget import BudgetRow, spoken_tokens
from inspector.ui.presentation.budget_order import FAINT
from inspector.ui.presentation.cache_words import mark_words
from inspector.ui.widgets.badged_rows import BadgedRow
from inspector.ui.widgets.request_canvas import METHOD_MARKS
from inspector.ui.wording import number, share, signed, tr, tr_code

Index = QModelIndex | QPersistentModelIndex


class BudgetColumns:
    """Makes the columns; colours and tool tips follow the Request that is shown."""

    def __init__(self, services: PanelServices) -> None:
        self._services = services
        self.is_flat = False
        """Whether pieces stand without their sections, and each has its section's mark."""

    def make(self) -> list[Column[BudgetRow]]:
        """The columns, in their order."""
        look = self._services.appearance
        font, colour = int(Qt.ItemDataRole.FontRole), int(Qt.ItemDataRole.ForegroundRole)

        def small(row: BudgetRow) -> QFont:
            return look.font(TextSize.NORMAL if row.is_section else TextSize.SMALL, figures=True)

        def quiet(row: BudgetRow) -> object:
            return look.theme.muted if self.is_faint(row) else None

        def changed(row: BudgetRow) -> object:
            return look.theme.warning if row.change > 0 else look.theme.ok

        def grown(row: BudgetRow) -> object:
            return look.theme.warning if row.since > 0 else look.theme.ok

        muted = {font: small, colour: lambda _: look.theme.muted}
        return [
            Column("piece", tr("Piece"), lambda row: row.name, tip=_why),
            Column(
                "tokens",
                tr("Tokens"),
                lambda row: number(row.tokens),
                right=True,
                spoken=spoken_tokens,
                roles={font: small, colour: quiet},
            ),
            Column("method", "", lambda row: METHOD_MARKS[row.method], tip=self._method_tip, roles=muted),
            Column(
                "share",
                tr("Share"),
                lambda row: share(row.tokens, row.window),
                right=True,
                tip=_share_tip,
                roles=muted,
            ),
            Column(
                "change",
                tr("Draft"),
                lambda row: signed(row.change),
                right=True,
                tip=lambda row: tr("What your drafts change here") if row.change else "",
                roles={font: small, colour: changed},
            ),
            Column(
                "since",
                tr("Since sent"),
                lambda row: signed(row.since),
                right=True,
                tip=lambda row: tr("Against what was sent last") if row.since else "",
                roles={font: small, colour: grown},
            ),
            Column(
                "cache",
                tr("Cache"),
                lambda row: mark_words(row.cache)[0],
                tip=lambda row: mark_words(row.cache)[1],
                roles=muted,
            ),
        ]

    def is_faint(self, row: BudgetRow) -> bool:
        """Whether a row is too small a part of the Request to matter."""
        request = self._request
        return request is not None and row.tokens < FAINT * request.tokens

    def described(self, index: Index) -> BadgedRow | None:
        """How the name of a row is painted."""
        row = index.data(VALUE_ROLE)
        if not isinstance(row, BudgetRow):
            return None
        section = row.section if row.is_section or self.is_flat else ""
        return BadgedRow(row.name, section=section, quiet=self.is_faint(row), small=not row.is_section)

    @property
    def _request(self) -> Request | None:
        return self._services.workspace.file.request

    def _method_tip(self, row: BudgetRow) -> str:
        request = self._request
        if request is None:
            return ""
        name, band = request.tokenizer.name, request.tokenizer.band
        if row.method is Method.EXACT:
            return tr("Exact, counted with {tokenizer}", tokenizer=name)
        if request.tokenizer.method is Method.EXACT:
            return tr("Estimate: how the provider counts this part is unknown")
        if request.tokenizer.method is Method.RECONSTRUCTED and row.method is Method.ESTIMATE:
            return tr("Estimate: not counted by {tokenizer}", tokenizer=name)
        if row.method is Method.RECONSTRUCTED:
            return tr(
                "Reconstructed with {tokenizer}, ±{band} % for 95 % of texts",
                tokenizer=name,
                band=f"{100 * band:.2g}",
            )
        return tr(
            "Estimated with {tokenizer}, ±{band} % for 95 % of texts",
            tokenizer=name,
            band=round(band * 100),
        )


def _share_tip(row: BudgetRow) -> str:
    return tr(
        "{share} of the context window ({tokens} tokens)",
        share=share(row.tokens, row.window),
        tokens=number(row.window),
    )


def _why(row: BudgetRow) -> str:
    return f"{row.name}\n{tr_code(f'rule.{row.rule}', row.facts)}" if row.rule else row.name
