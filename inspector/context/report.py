"""Writes the account of a Request as the JSON that the command line promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.domain.calibration import Correction
from inspector.domain.counts import Method
from inspector.domain.errors import Parameters, Problem
from inspector.domain.requests import Fix, LeftOut, Piece, Request, Section, Source

Plain = dict[str, Any]
Word = Callable[[str, Parameters], str]
"""Words a code with its parameters (``fix.pin``, ``problem.unknown_model``)."""


def report(request: Request, word: Word) -> Plain:
    """The document that ``report --json`` writes.

    Args:
        request: The Request.
        word: Words fixes and problems; everything else is ids and figures.
    """
    limits = request.limits
    account: Plain = {
        "agent": request.agent_name,
        "model": request.model,
        "limits": {
            "max_tokens": limits.max_tokens,
            "memory_tokens": limits.memory_tokens,
            "history_tokens": limits.history_tokens,
            "reserved_response_tokens": limits.reserved_response_tokens,
        },
        "total": {
            "tokens": request.tokens,
            "exact_tokens": request.exact_tokens,
            "method": request.method.value,
            "tokenizer": request.tokenizer.name,
            **_range(request),
        },
        "sections": _sections(request),
        "left_out": [_left_out(row, word) for row in request.left_out],
        "overheads": dict(request.overheads),
        "problems": [_problem(each, word) for each in request.problems],
        "adaptations": [_problem(each, word) for each in request.adaptations],
    }
    if request.correction is not None:
        # Beside the figures and in none of them; absent where no call of the model was ever reported.
        account["calibration"] = _calibration(request, request.correction)
    return account


def _range(request: Request) -> Plain:
    """Where the bill of such a Request likely lies, and how that is known; null where nothing says so."""
    band = request.band
    if band is None:
        exact = request.tokens if request.method is Method.EXACT else None
        return {"low": exact, "high": exact, "range": None}
    low, high = band.around(request.tokens)
    basis = {
        "class": band.kind,
        "group": band.group,
        "n": band.n,
        "covered": band.covered,
        "source": band.source,
    }
    return {"low": low, "high": high, "range": basis}


def _calibration(request: Request, found: Correction) -> Plain:
    return {
        "runs": found.runs,
        "ratio": round(found.ratio, 4),
        "least": round(found.least, 4),
        "most": round(found.most, 4),
        "corrected_tokens": found.corrected(request.tokens),
    }


def _sections(request: Request) -> list[Plain]:
    found: list[Plain] = []
    start = 0
    for section in request.sections:
        found.append(_section(section, start))
        start += section.length
    return found


def _section(section: Section, start: int) -> Plain:
    pieces: list[Plain] = []
    for piece in section.pieces:
        pieces.append(_piece(piece, start))
        start += piece.length
    return {"name": section.name, "tokens": section.tokens, "pieces": pieces}


def _piece(piece: Piece, start: int) -> Plain:
    runs: list[Plain] = []
    at = start
    for run in piece.runs:
        end = at + len(run.text)
        runs.append(
            {"span": [at, end], "sent": run.sent, "tokens": run.tokens, "method": Method(run.method).value}
        )
        at = end
    return {
        "id": piece.id,
        "source": _source(piece.source),
        "rule": piece.rule,
        "tokens": piece.tokens,
        "method": piece.method.value,
        "span": [start, at],
        "runs": runs,
    }


def _source(source: Source) -> Plain:
    return {"kind": source.kind.value, "id": source.id, "label": source.label, "owner": source.owner}


def _left_out(row: LeftOut, word: Word) -> Plain:
    return {
        "source": _source(row.source),
        "rule": row.rule,
        "tokens": row.tokens,
        "fix": None if row.fix is None else _fix(row.fix, word),
    }


def _fix(fix: Fix, word: Word) -> Plain:
    return {
        "action": fix.action,
        "target": None if fix.target is None else str(fix.target),
        "value": fix.value,
        "text": word(f"fix.{fix.action}", fix.parameters),
    }


def _problem(problem: Problem, word: Word) -> Plain:
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "where": problem.where,
        "message": word(f"problem.{problem.code}", problem.parameters),
    }
