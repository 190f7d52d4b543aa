"""The budget as values: a row for each section and piece, and what is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inspector.domain.counts import Method
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import LeftOut, Piece, Request, Section, SourceKind
from inspector.ui.models.tree import Row
from inspector.ui.wording import number, tr, tr_code, tr_count


@dataclass(frozen=True, slots=True)
class BudgetRow:
    """A section or a piece. `change` is against the saved state, None when nothing is unsaved."""

    key: str
    name: str
    section: str
    tokens: int
    method: Method
    window: int
    change: int
    ref: Ref | None
    is_section: bool
    rule: str = ""


@dataclass(frozen=True, slots=True)
class OutRow:
    """One candidate, or several alike, that did not go in."""

    key: str
    name: str
    tokens: int
    why: str
    ref: Ref | None
    left_out: LeftOut
    count: int = 1


def budget_rows(request: Request, saved: Request | None) -> tuple[Row, ...]:
    """Sections with their pieces below them; structure (headings, joins, frames) is one row a section."""
    before = _tokens_by_id(saved)
    window = request.limits.max_tokens
    return tuple(_section_row(section, before, window) for section in request.sections)


def piece_name(piece: Piece) -> str:
    """What a person calls a piece."""
    if piece.source.label:
        return piece.source.label
    if piece.source.kind is SourceKind.LITERAL:
        return tr_code(f"piece.{piece.rule}")
    return piece.source.id or piece.id


def out_rows(request: Request) -> tuple[OutRow, ...]:
    """What is left out: batches that one rule left out stand together, everything else by itself."""
    rows: list[OutRow] = []
    groups: dict[str, list[LeftOut]] = {}
    for each in request.left_out:
        if each.source.batch:
            groups.setdefault(each.rule, []).append(each)
        else:
            rows.append(_out_row(each))
    rows.extend(_group_row(rule, group) for rule, group in groups.items())
    return tuple(sorted(rows, key=lambda row: -row.tokens))


def _section_row(section: Section, before: Mapping[str, int] | None, window: int) -> Row:
    was = None if before is None else before.get(f"section:{section.name}", 0)
    value = BudgetRow(
        key=f"section:{section.name}",
        name=section.title or section.name,
        section=section.name,
        tokens=section.tokens,
        method=section.method,
        window=window,
        change=0 if was is None else section.tokens - was,
        ref=Ref(RefKind.SECTION, section.name),
        is_section=True,
    )
    children = tuple(
        Row(piece.id, _piece_row(piece, before, window))
        for piece in section.pieces
        if piece.source.kind is not SourceKind.LITERAL or piece.source.id is not None
    )
    structure = [piece for piece in section.pieces if piece.source.kind is SourceKind.LITERAL and piece.source.id is None]
    if structure and children:
        children = (*children, Row(f"structure:{section.name}", _structure_row(section, structure, window)))
    return Row(value.key, value, children)


def _piece_row(piece: Piece, before: Mapping[str, int] | None, window: int) -> BudgetRow:
    was = None if before is None else before.get(piece.id, 0)
    return BudgetRow(
        key=piece.id,
        name=piece_name(piece),
        section=piece.section,
        tokens=piece.tokens,
        method=piece.method,
        window=window,
        change=0 if was is None else piece.tokens - was,
        ref=piece.source.ref,
        is_section=False,
        rule=piece.rule,
    )


def _structure_row(section: Section, pieces: list[Piece], window: int) -> BudgetRow:
    exact = all(piece.method is Method.EXACT for piece in pieces)
    return BudgetRow(
        key=f"structure:{section.name}",
        name=tr("headings and frames"),
        section=section.name,
        tokens=sum(piece.tokens for piece in pieces),
        method=Method.EXACT if exact else Method.ESTIMATE,
        window=window,
        change=0,
        ref=None,
        is_section=False,
    )


def _tokens_by_id(request: Request | None) -> dict[str, int] | None:
    if request is None:
        return None
    found = {f"section:{section.name}": section.tokens for section in request.sections}
    found.update((piece.id, piece.tokens) for section in request.sections for piece in section.pieces)
    return found


def _out_row(each: LeftOut) -> OutRow:
    name = each.source.label or each.source.id or tr(each.source.kind.value)
    why = tr_code(f"left_out.{each.rule}", each.parameters)
    return OutRow(f"{each.source.kind}:{each.source.id}:{each.rule}", name, each.tokens, why, each.source.ref, each)


def _group_row(rule: str, group: list[LeftOut]) -> OutRow:
    name = tr_count("{count} batch", "{count} batches", len(group))
    tokens = sum(each.tokens for each in group)
    newest = group[-1]
    why = tr_code(f"left_out.{rule}", newest.parameters)
    return OutRow(f"batches:{rule}", name, tokens, why, newest.source.ref, newest, len(group))


def spoken_tokens(row: BudgetRow) -> str:
    """A figure with its method, for a screen reader."""
    return tr("{tokens} tokens, {method}", tokens=number(row.tokens), method=tr(row.method.value))
