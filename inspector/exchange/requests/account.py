"""What is said of a Request in its exports: figures and reasons as rows of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.domain.errors import Parameters
from inspector.domain.health import Problem
from inspector.domain.requests import Piece, Placed, Request, Section

Word = Callable[[str, Parameters], str]
Clean = Callable[[str], str]

PIECE_COLUMNS = (
    "section",
    "piece",
    "kind",
    "label",
    "owner",
    "rule",
    "tokens",
    "method",
    "start",
    "end",
)


@dataclass(frozen=True)
class Account:
    """A Request's account in words. Every text goes through `clean`, which a report takes its secrets out with."""

    request: Request
    word: Word
    clean: Clean = str

    @property
    def title(self) -> str:
        """What it is."""
        return self.clean(f"Request of {self.request.agent_name or self.request.agent_id}")

    def head(self) -> Iterator[tuple[str, str]]:
        """What it was built by, and its totals."""
        request = self.request
        limits = request.limits
        yield "Model", self.clean(request.model) or "—"
        yield "Built as of", f"{request.now} ({request.zone})"
        yield "Layout", self.clean(request.layout)
        yield "Strategy", request.strategy
        tokenizer = f"{request.tokenizer.name}, {request.method.value}"
        yield "Tokens", f"{request.tokens:,} of {limits.usable:,} ({tokenizer})"
        yield "Reserved for the reply", f"{limits.reserved_response_tokens:,}"
        if request.margin_tokens:
            yield "Kept free as counts are estimates", f"{request.margin_tokens:,}"

    def sections(self) -> Iterator[Section]:
        """The sections that there are."""
        return iter(self.request.sections)

    def section_title(self, section: Section) -> str:
        """A section's heading with its tokens."""
        return self.clean(f"{section.title} ({section.tokens:,})")

    def piece_title(self, piece: Piece) -> str:
        """A piece's name, reason and tokens."""
        name = piece.source.label or piece.source.id or piece.id
        rule = self.word(f"rule.{piece.rule}", piece.parameters)
        return self.clean(f"{name} · {rule} · {piece.tokens:,} ({piece.method.value})")

    def piece_row(self, placed: Placed) -> tuple[str, ...]:
        """A piece's figures, by `PIECE_COLUMNS`."""
        piece = placed.piece
        source = piece.source
        told = (
            piece.section,
            piece.id,
            source.kind.value,
            source.label or "",
            source.owner or "",
            piece.rule,
        )
        figures = (str(piece.tokens), piece.method.value, str(placed.start), str(placed.end))
        return (*map(self.clean, told), *figures)

    def left_out(self) -> Iterator[tuple[str, str, str, str]]:
        """What did not go in: its name, tokens, why, and what would help."""
        for row in self.request.left_out:
            name = row.source.label or row.source.id or ""
            fix = "" if row.fix is None else self.word(f"fix.{row.fix.action}", row.fix.parameters)
            why = self.word(f"left_out.{row.rule}", row.parameters)
            yield self.clean(name), f"{row.tokens:,}", self.clean(why), self.clean(fix)

    def problems(self) -> Iterator[str]:
        """Problems and adaptations, one line each."""
        for problem in (*self.request.problems, *self.request.adaptations):
            yield self.clean(self._told(problem))

    def _told(self, problem: Problem) -> str:
        words = self.word(f"problem.{problem.code}", problem.parameters)
        return f"{problem.severity.value}: {words} [{problem.where}]"
