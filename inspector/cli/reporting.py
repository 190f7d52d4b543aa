"""Prints the `report` of a Request: tokens by section and piece, their accuracy, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspector.cli.terminal import format_table, write_line
from inspector.domain.counts import RequestBand
from inspector.domain.errors import Parameters
from inspector.domain.left_out import GROUPED, alike, nearest
from inspector.domain.requests import LeftOut, Piece, Request, SourceKind
from inspector.domain.usage import ReportedUsage
from inspector.runtime.wording import word

MARKS = {"exact": "=", "estimate": "~", "reconstructed": "≈", "provider": "p", "reported": "r"}
_LOOKED_AT = 500
_NAME_LENGTH = 50


def print_report(request: Request, account: dict[str, Any], *, every: bool) -> None:
    """A Request and its account; with `every` a row for each thing that is left out, else one for those alike."""
    _print_head(account)
    write_line()
    _print_pieces(request)
    _print_counting(request)
    if request.left_out:
        write_line()
        _print_left_out(request.left_out, every=every)
    for problem in (*account["problems"], *account["adaptations"]):
        write_line(f"{problem['severity']}: {problem['message']} [{problem['where']}]")


def plain_usage(usage: ReportedUsage, counted: int) -> dict[str, Any]:
    """What was charged as JSON: the whole, how far it is from what was counted, and its groups."""
    return {"charged": usage.total, "difference": usage.total - counted, "groups": usage.groups}


def print_usage(charged: dict[str, Any]) -> None:
    """What the recorded call was charged, for a person."""
    named = ((word(f"told.usage_{name}"), tokens) for name, tokens in charged["groups"].items() if tokens)
    groups = ", ".join(f"{name} {tokens:,}" for name, tokens in named)
    parameters: Parameters = {
        "charged": charged["charged"],
        "difference": f"{charged['difference']:+,}",
        "groups": groups,
    }
    write_line(word("told.report_charged", parameters))


def _print_head(account: dict[str, Any]) -> None:
    limits, total = account["limits"], account["total"]
    parameters: Parameters = {
        "agent": account["agent"],
        "model": account["model"] or "—",
        "tokens": total["tokens"],
        "usable": limits["max_tokens"] - limits["reserved_response_tokens"],
        "reserved": limits["reserved_response_tokens"],
        "tokenizer": total["tokenizer"],
        "mark": MARKS[total["method"]],
    }
    write_line(word("told.report_head", parameters))


def _print_pieces(request: Request) -> None:
    rows: list[tuple[str, ...]] = []
    for section in request.sections:
        rows.append((section.name, f"{section.tokens:,}", "", _share(section.tokens, request.tokens)))
        rows += [
            (
                f"  {_name(piece)}",
                f"{piece.tokens:,}",
                MARKS[piece.method.value],
                word(f"rule.{piece.rule}", piece.parameters),
            )
            for piece in section.pieces
        ]
    head = ("Section and piece", "Tokens", "", "Share, or why it's in")
    write_line(format_table(head, rows, frozenset({1})))


def _name(piece: Piece) -> str:
    """What tells a piece from others: a message's role and first words, the line that tells of an event."""
    source = piece.source
    label = source.label or source.id or piece.id
    if source.kind not in GROUPED:
        return label
    said = next((run.text for run in piece.runs if run.sent and not run.text.isspace()), "")
    words = " ".join(said[:_LOOKED_AT].split())
    if not words:
        return label
    reported = words if source.kind is SourceKind.EVENT else f"{label}: {words}"
    return reported if len(reported) <= _NAME_LENGTH else f"{reported[: _NAME_LENGTH - 1]}…"


def _print_counting(request: Request) -> None:
    """What the figures leave free, how far they may be off, and what earlier calls say of them."""
    tokenizer, found = request.tokenizer, request.correction
    if request.unreachable_tokens:
        write_line(word("told.report_unreachable", {"tokens": request.unreachable_tokens}))
    if request.margin_tokens:
        margin: Parameters = {"tokens": request.margin_tokens, "share": f"{100 * tokenizer.under:.2g}"}
        write_line(word("told.report_margin", margin))
    if request.band is not None:
        _print_band(request.band, request.tokens)
    if found is not None:
        parameters = {
            "runs": found.runs,
            "ratio": round(100 * found.ratio),
            "least": round(100 * found.least),
            "most": round(100 * found.most),
            "corrected": found.corrected(request.tokens),
        }
        write_line(word("told.report_calibration", parameters))


def _print_band(band: RequestBand, tokens: int) -> None:
    low, high = band.around(tokens)
    parameters: Parameters = {"low": low, "bills": band.n, "kind": word(f"told.band_{band.kind}", {})}
    if high is None:
        write_line(word("told.report_band_open", parameters))
    else:
        share = round(100 * band.covered)
        write_line(word("told.report_band", {**parameters, "high": high, "share": share}))


def _print_left_out(left_out: Sequence[LeftOut], *, every: bool) -> None:
    groups = tuple((each,) for each in left_out) if every else alike(left_out)
    rows = list(map(_group_row, groups))
    write_line(format_table(("Left out", "Tokens", "Why", "To include it"), rows, frozenset({1})))
    if len(groups) < len(left_out):
        write_line(word("told.report_grouped", {"count": sum(each.count for each in left_out)}))


def _group_row(group: Sequence[LeftOut]) -> tuple[str, ...]:
    near, first = nearest(group), group[0]
    why = word(f"left_out.{near.rule}", near.parameters)
    kind = "batch" if first.source.batch else first.source.kind.value
    several = len(group) > 1
    # There may be thousands of them, and most say the very same.
    others = (each for each in group if each.parameters != near.parameters)
    of_all = all(word(f"left_out.{each.rule}", each.parameters) == why for each in others)
    return (
        word(f"told.left_out_{kind}", {"count": len(group)})
        if several
        else first.source.label or first.source.id or first.source.kind.value,
        f"{sum(each.tokens for each in group):,}",
        why if of_all else word("told.left_out_nearest", {"why": why}),
        "" if near.fix is None else word(f"fix.{near.fix.action}", near.fix.parameters),
    )


def _share(tokens: int, total: int) -> str:
    if not total:
        return ""
    return "<0.1 %" if 0 < 100 * tokens < 0.05 * total else f"{100 * tokens / total:.1f} %"
