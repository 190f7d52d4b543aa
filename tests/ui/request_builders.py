"""Requests made up of a few texts, for views that show any Request."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from inspector.domain.counts import Method
from inspector.domain.requests import Mark, Piece, Request, Section, Source, SourceKind, TextRun
from tests.ui import values


def made_piece(
    id_: str,
    text: str,
    *,
    section: str = "core",
    rule: str = "core_always",
    tokens: int | None = None,
    marks: tuple[Mark, ...] = (),
) -> Piece:
    """A block's piece with that text."""
    run = TextRun(text, True, max(1, len(text) // 4) if tokens is None else tokens, Method.EXACT)
    source = Source(SourceKind.BLOCK, id_, id_, values.ADA)
    return Piece(id_, section, source, rule, (run,), marks)


def made_request(sections: Mapping[str, Sequence[Piece | str]]) -> Request:
    """A Request of sections of pieces; a text is a piece ``SECTION/NUMBER``."""
    made = []
    for name, pieces in sections.items():
        whole = (
            replace(each, section=name)
            if isinstance(each, Piece)
            else made_piece(f"{name}/{number}", each, section=name)
            for number, each in enumerate(pieces)
        )
        made.append(Section(name, name.capitalize(), tuple(whole)))
    return replace(values.request(), sections=tuple(made), left_out=())
