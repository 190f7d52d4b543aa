"""Finds images of a Request whose size or token rule is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inspector.context.history.history_writer import SentHistory
from inspector.context.identity import IdentityCache
from inspector.context.plan import BuildPlan
from inspector.domain.counts import Method
from inspector.domain.errors import Problem, Severity
from inspector.domain.requests import Piece, TextRun

_FRAME = "=== image "


def image_problems(run: SentHistory, plan: BuildPlan, cache: IdentityCache) -> tuple[Problem, ...]:
    """A problem for each message with images of unknown size, and one where the model's own rule is not known."""
    if run.section is None:
        return ()
    pieces = run.section.pieces
    return cache.get(run, ("images", plan.costs.images), lambda: tuple(_problems(pieces, plan)))


def _problems(pieces: Iterable[Piece], plan: BuildPlan) -> Iterator[Problem]:
    shown = 0
    for piece in pieces:
        # Images are estimates, so that most pieces of a counted history need no further look.
        if all(run.method is not Method.ESTIMATE for run in piece.runs):
            continue
        frames = _frames(piece)
        unsized = [run for run in frames if _is_unsized(run.text)]
        shown += len(frames)
        if unsized:
            parameters = {"count": len(unsized), "tokens": sum(run.tokens for run in unsized)}
            yield Problem("image_size_unknown", Severity.WARNING, f"message:{piece.source.id}", parameters)
    if shown and plan.costs.images.is_assumed:
        yield Problem("image_cost_assumed", Severity.INFO, f"model:{plan.model}", {"model": plan.model})


def has_unsized_images(piece: Piece) -> bool:
    """Whether a message has an image of unknown size."""
    return any(_is_unsized(run.text) for run in _frames(piece))


def _frames(piece: Piece) -> list[TextRun]:
    return [run for run in piece.runs if not run.sent and run.text.startswith(_FRAME)]


def _is_unsized(frame: str) -> bool:
    """Whether an image's frame tells no size: it ends in its width, an x, its height and the mark."""
    width, _, height = frame.rsplit(" ", 2)[1].partition("x")
    return not (width.isdigit() and height.isdigit() and int(width) and int(height))
