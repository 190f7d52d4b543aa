"""What an edit changes in the next Requests of several agents, in words: tokens, pieces that fall out or come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.requests import Piece
from inspector.domain.sharing import AgentEffect
from inspector.ui.presentation.budget import STRUCTURE
from inspector.ui.presentation.names import name_of
from inspector.ui.safe_text import one_line
from inspector.ui.wording import counted, number, signed, tr, tr_code, tr_count

_NAMES, _TIP_NAMES, _NAME_LENGTH, _AGENTS = 3, 40, 40, 4


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One agent and what an edit changes for it; `effect` is None while that is worked out."""

    agent_id: str
    name: str
    effect: AgentEffect | None = None


def before_text(row: EffectRow) -> str:
    """The tokens of the agent's Request as it is saved."""
    effect = row.effect
    if effect is None:
        return "…"
    return "–" if effect.before is None else counted(Count(effect.before, effect.method))


def after_text(row: EffectRow) -> str:
    """The tokens of its next Request."""
    effect = row.effect
    if effect is None:
        return "…"
    return "–" if effect.after is None else counted(Count(effect.after, effect.method))


def change_text_of(row: EffectRow) -> str:
    """The difference of the two."""
    effect = row.effect
    if effect is None or effect.before is None or effect.after is None:
        return ""
    return signed(effect.delta) or "±0"


def pieces_text(row: EffectRow, *, whole: bool = False) -> str:
    """Which pieces fall out and come in, or why there is no Request; `whole` names as many as a tool tip takes."""
    effect = row.effect
    if effect is None:
        return ""
    if effect.problem is not None:
        return tr(
            "The Request can't be built: {why}", why=tr_code(effect.problem.code, effect.problem.parameters)
        )
    most = _TIP_NAMES if whole else _NAMES
    removed, added = _names(shown_pieces(effect.removed), most), _names(shown_pieces(effect.added), most)
    cut, grown = _names(resized(effect, cut=True), most), _names(resized(effect, cut=False), most)
    texts = (
        tr("Falls out: {names}", names=removed) if removed else "",
        tr("Shortened: {names}", names=cut) if cut else "",
        tr("Comes in: {names}", names=added) if added else "",
        tr("Longer: {names}", names=grown) if grown else "",
    )
    return ("\n" if whole else " · ").join(each for each in texts if each) or tr("Same pieces")


def shown_pieces(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces that are more than headings and frames."""
    return [piece for piece in pieces if piece.rule not in STRUCTURE]


def resized(effect: AgentEffect, *, cut: bool) -> list[Piece]:
    """The other pieces that are shortened for it, or that get more room."""
    return shown_pieces([piece for piece, change in effect.resized if (change < 0) is cut])


def summary_text(rows: Sequence[EffectRow]) -> str:
    """The effects on all agents as one line."""
    if any(row.effect is None for row in rows):
        return tr("Working out what saving changes for them …")
    return " · ".join((tr("Next Requests: {changes}", changes=_changes(rows)), *_consequences(rows)))


def others_text(rows: Sequence[EffectRow]) -> str:
    """The effects on further agents as a remark."""
    return " · ".join((tr("Also changes {changes}", changes=_changes(rows)), *_consequences(rows)))


def _changes(rows: Sequence[EffectRow]) -> str:
    changes = [tr("{name} {change}", name=_short(row.name), change=_change(row)) for row in rows[:_AGENTS]]
    if len(rows) > _AGENTS:
        changes.append(tr("{count} more", count=number(len(rows) - _AGENTS)))
    return ", ".join(changes)


def _consequences(rows: Sequence[EffectRow]) -> list[str]:
    effects = [row.effect for row in rows if row.effect is not None]
    removed = sum(len(shown_pieces(each.removed)) for each in effects)
    cut = sum(len(resized(each, cut=True)) for each in effects)
    added = sum(len(shown_pieces(each.added)) for each in effects)
    return [
        tr_count(one, many, count)
        for one, many, count in (
            ("{count} piece falls out", "{count} pieces fall out", removed),
            ("{count} piece shortened", "{count} pieces shortened", cut),
            ("{count} piece comes in", "{count} pieces come in", added),
        )
        if count
    ]


def effect_rows(
    agent_ids: Sequence[str], names: Mapping[str, str], effects: Mapping[str, AgentEffect]
) -> list[EffectRow]:
    """A row for each agent, in order."""
    return [EffectRow(each, names.get(each, each), effects.get(each)) for each in agent_ids]


def is_trouble(rows: Sequence[EffectRow]) -> bool:
    """Whether some agent loses a piece or a part of one, or can get no Request."""
    effects = [row.effect for row in rows if row.effect is not None]
    return any(
        each.problem is not None or shown_pieces(each.removed) or resized(each, cut=True) for each in effects
    )


def _change(row: EffectRow) -> str:
    if row.effect is not None and row.effect.problem is not None:
        return tr("(no Request)")
    return change_text_of(row)


def _short(name: str) -> str:
    return one_line(name, _NAME_LENGTH)


def _names(pieces: Sequence[Piece], most: int) -> str:
    shown = [one_line(name_of(piece), _NAME_LENGTH) for piece in pieces[:most]]
    if len(pieces) > most:
        shown.append(tr("{count} more", count=number(len(pieces) - most)))
    return ", ".join(shown)
