"""The account of a Request in an export: figures and reasons as rows of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Problem
from inspector.domain.requests import Piece, PlacedPiece, Request, Section
from inspector.domain.secrets import find_secrets, replace_values, secret_kinds

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
class RequestAccount:
    """A Request's account in words. Every text goes through `clean`, which a report takes its secrets out with."""

    request: Request
    word: Word
    clean: Clean = str

    @property
    def title(self) -> str:
        return self.clean(f"Request of {self.request.agent_name or self.request.agent_id}")

    def head(self) -> Iterator[tuple[str, str]]:
        request = self.request
        limits = request.limits
        yield "Model", self.clean(request.model) or "—"
        yield "Built as of", f"{request.now} ({request.zone})"
        yield "Layout", self.clean(request.layout)
        yield "Strategy", request.strategy
        tokenizer = f"{request.tokenizer.name}, {request.method.value}"
        yield "Tokens", f"{request.tokens:,} of {limits.usable:,} ({tokenizer})"
        yield "Reply reserve", f"{limits.reserved_response_tokens:,}"
        if request.margin_tokens:
            yield "Safety margin", f"{request.margin_tokens:,}"

    def sections(self) -> Iterator[Section]:
        return iter(self.request.sections)

    def section_title(self, section: Section) -> str:
        return self.clean(f"{section.title} ({section.tokens:,})")

    def piece_title(self, piece: Piece) -> str:
        name = piece.source.label or piece.source.id or piece.id
        rule = self.word(f"rule.{piece.rule}", piece.parameters)
        return self.clean(f"{name} · {rule} · {piece.tokens:,} ({piece.method.value})")

    def piece_row(self, placed: PlacedPiece) -> tuple[str, ...]:
        """A piece's figures, by `PIECE_COLUMNS`."""
        piece = placed.piece
        source = piece.source
        reported = (
            piece.section,
            piece.id,
            source.kind.value,
            source.label or "",
            source.owner or "",
            piece.rule,
        )
        figures = (str(piece.tokens), piece.method.value, str(placed.start), str(placed.end))
        return (*map(self.clean, reported), *figures)

    def left_out(self) -> Iterator[tuple[str, str, str, str]]:
        for row in self.request.left_out:
            name = row.source.label or row.source.id or ""
            fix = "" if row.fix is None else self.word(f"fix.{row.fix.action}", row.fix.parameters)
            why = self.word(f"left_out.{row.rule}", row.parameters)
            yield self.clean(name), f"{row.tokens:,}", self.clean(why), self.clean(fix)

    def problems(self) -> Iterator[str]:
        for problem in (*self.request.problems, *self.request.adaptations):
            yield self.clean(self._sentence(problem))

    def _sentence(self, problem: Problem) -> str:
        words = self.word(f"problem.{problem.code}", problem.parameters)
        return f"{problem.severity.value}: {words} [{problem.where}]"


class Redactor:
    """Replaces secrets and counts them. One secret is counted wherever it stands.

    What is found in one of `texts` is replaced everywhere, also where nothing around it says that it is a secret.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.count = 0
        self._kinds = {value: kind for text in texts for value, kind in secret_kinds(text).items()}

    def clean(self, text: str) -> str:
        """The text with each secret replaced by its kind and nothing of it."""
        parts: list[str] = []
        at = 0
        for secret in find_secrets(text):
            parts += (self._without_values(text[at : secret.start]), self._redacted(secret.kind))
            at = secret.end
        parts.append(self._without_values(text[at:]))
        return "".join(parts)

    def _without_values(self, text: str) -> str:
        return replace_values(text, self._kinds, lambda value: self._redacted(self._kinds[value]))

    def _redacted(self, kind: str) -> str:
        self.count += 1
        return f"[redacted: {kind}]"
