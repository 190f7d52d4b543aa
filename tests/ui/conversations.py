"""Messages, calls, results and tools as pieces of a Request, for views that show them."""

import json

from inspector.domain.counts import Method
from inspector.domain.requests import Mark, Piece, Request, Source, SourceKind, TextRun
from tests.ui.values import ADA, made_request

ARGUMENTS = '{"ref":"v4.2","targets":["linux","arm64"],"dry":{}}'
RESULT = '{"state": "passed", "seconds": 404}'


def _piece(id_: str, parts: list[tuple[str, bool]], *, batch: str, marks: tuple[Mark, ...] = ()) -> Piece:
    runs = tuple(TextRun(text, sent, 3, Method.EXACT) for text, sent in parts)
    source = Source(SourceKind.MESSAGE, id_, "user", ADA)
    return Piece(f"message:{id_}", "messages", source, "history_recent", runs, marks, {"batch": batch})


def said(id_: str, role: str, text: str, batch: str = "b1") -> Piece:
    """A message of one text."""
    return _piece(id_, [(f"=== {role} ===\n", False), (text, True), ("\n", False)], batch=batch)


def called(id_: str, name: str, arguments: str = ARGUMENTS, batch: str = "b1") -> Piece:
    """A message of the assistant that calls a tool; the call's id is ``call_`` and its own."""
    head, frame = "=== assistant ===\n", f"=== call {name} call_{id_} ===\n"
    end = len(head) + len(frame) + len(arguments) + 1
    marks = (Mark("tool_call", f"call_{id_}", len(head), end),)
    parts = [(head, False), (frame, False), (arguments, True), ("\n", False)]
    return _piece(id_, parts, batch=batch, marks=marks)


def answered(id_: str, call: str, text: str = RESULT, batch: str = "b1") -> Piece:
    """The result of the call that a message made."""
    frame = f"=== result call_{call} ===\n"
    marks = (Mark("tool_result", f"call_{call}", 0, len(frame) + len(text) + 1),)
    return _piece(id_, [(frame, False), (text, True), ("\n", False)], batch=batch, marks=marks)


def tool(name: str, description: str = "Runs it.") -> Piece:
    """A tool's definition."""
    plain = {"description": description, "name": name, "parameters": {"type": "object"}}
    runs = (
        TextRun(json.dumps(plain, separators=(",", ":")), True, 9, Method.EXACT),
        TextRun("\n", False, 0, Method.EXACT),
    )
    return Piece(f"tool:{name}", "tools", Source(SourceKind.TOOL, name, name, ADA), "tool", runs)


def conversation() -> Request:
    """Two turns: one with a call and its result, one of a question; and a tool."""
    messages = [
        said("m1", "user", "Is it green?"),
        called("m2", "run_ci"),
        answered("m3", "m2"),
        said("m4", "assistant", "Yes.\nAll of it."),
        said("m5", "user", "Then tag it.", "b2"),
    ]
    return made_request({"core": ["words\n"], "tools": [tool("run_ci")], "messages": messages})
