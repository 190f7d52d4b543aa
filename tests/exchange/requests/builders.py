"""Requests to export, made of any texts."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.domain.counts import Method, Tokenizer
from inspector.domain.errors import Parameters, Problem, Severity
from inspector.domain.limits import Limits
from inspector.domain.requests import Fix, LeftOut, Piece, Request, Section, Source, SourceKind, TextRun

HOSTILE = (
    "```\n# Not a heading\n````",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "</pre></body><h1>out</h1>",
    "[link](javascript:alert(1)) ![x](http://example.org/x.png)",
    "| a | b |\n|---|---|",
    "&lt;b&gt; &amp; &#60;",
    "~~~\n~~~~\n    indented",
    "\x1b]52;c;AAAA\x07 \u202egnirts\u202c \x00",
    "=cmd|' /C calc'!A0",
    "---\ntitle: x\n---",
    "- [ ] task\n1. one\n> quote\n\\",
    "https://example.org www.example.org a@example.org",
)


def word(code: str, parameters: Parameters) -> str:
    """Words with all that they were given."""
    return f"{code} {' '.join(str(value) for value in parameters.values())}".strip()


def request(texts: Sequence[str], names: Sequence[str] = ("block",)) -> Request:
    """A Request with one piece a text; names stand wherever a Request has any."""
    name = names[0]
    pieces = tuple(
        Piece(
            f"block:{number}",
            "core",
            Source(SourceKind.BLOCK, f"blk_{number}", names[number % len(names)], names[-1]),
            "core",
            (TextRun(text, sent=True, tokens=len(text), method=Method.ESTIMATE),),
        )
        for number, text in enumerate(texts)
    )
    fix = Fix("pin", None, None, {"label": name})
    left_out = LeftOut(pieces[0].source, "core", "memory_full", 5, Method.ESTIMATE, fix, {"label": name})
    return Request(
        agent_id="agt_1",
        agent_name=name,
        model=name,
        limits=Limits(8_000, 1_000, 1_000, 1_000),
        tokenizer=Tokenizer("o200k_base", Method.ESTIMATE, 0.1),
        layout=name,
        strategy="truncate",
        now="2026-11-20T12:00:00+00:00",
        zone="UTC",
        sections=(Section("core", name, pieces),),
        system="".join(texts),
        messages=(),
        tools=(),
        left_out=(left_out,),
        overheads={},
        problems=(Problem("unknown_model", Severity.WARNING, name, {"model": name}),),
        adaptations=(),
    )
