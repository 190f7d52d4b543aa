"""The prompt cache in words: where two Requests begin to differ, what that costs, and what caused it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from inspector.domain.caching import CacheAccount, Miss, MissKind
from inspector.domain.request_comparison import ComparedRequests
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.ui.presentation.budget import piece_name
from inspector.ui.presentation.what_if_difference import dollars
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, tr, tr_code, tr_count

_NAME = 60
_SAME_PIECE = {
    "changed": lambda: tr("The text of that piece changed."),
    "added": lambda: tr("That piece was added."),
    "removed": lambda: tr("That piece was removed."),
}


def place_text(compared: ComparedRequests) -> str:
    """Where the two begin to differ: the token, the piece and its section."""
    place = compared.cache.difference
    if place is None:
        return tr("Both send the same text.")
    piece = _piece(compared, place.piece_id)
    token, total = compared.first_token or 0, compared.before.tokens
    facts = {
        "token": number(token + 1),
        "total": number(total),
        "name": _named(piece) if piece is not None else place.section or "",
    }
    if token >= total:
        return tr("First difference: after all {total} tokens of the left Request, in {name}.", **facts)
    return tr("First difference: token {token} of {total}, in {name}.", **facts)


def cost_text(compared: ComparedRequests) -> str:
    """What of the prompt cache the difference costs; why nothing can be said where nothing can."""
    cache = compared.cache
    if cache.plan.rules is None:
        return tr("Cache cost unknown: how this provider caches isn't known.")
    if cache.lost_tokens:
        lost = tr_count("{count} cached token lost", "{count} cached tokens lost", cache.lost_tokens)
        if compared.lost_cost is not None:
            lost = tr("{lost}, {cost} more for one call", lost=lost, cost=dollars(compared.lost_cost))
        return tr("{lost}. {cause}", lost=lost, cause=cause_text(compared)).strip()
    if cache.cause is not None:
        return cause_text(compared)
    return tr_count(
        "No cached token is lost: {count} read from the cache.",
        "No cached tokens are lost: {count} read from the cache.",
        cache.read_tokens,
    )


def cause_text(compared: ComparedRequests) -> str:
    """Why less is read from the cache than was kept; nothing where that isn't certain."""
    cache, cause = compared.cache, compared.cache.cause
    if cause is None:
        return ""
    if cause.kind is MissKind.MODEL_CHANGED:
        before, after = compared.before.model, compared.after.model
        return tr("The model changed from {before} to {after}.", before=before, after=after)
    if cause.kind is MissKind.BELOW_MINIMUM:
        code = f"cache.{cause.kind.value}"
        found = next((each.parameters for each in cache.plan.problems if each.code == code), None)
        return tr_code(code, found) if found is not None else tr("The part that stays the same is too short.")
    return _of_piece(compared, cause) or tr_code(f"cache.{cause.kind.value}")


def cache_marks(request: Request, cache: CacheAccount) -> dict[str, str]:
    """What the prompt cache does with each piece and section, by id: ``read``, ``written``, ``part`` or ``new``."""
    found: dict[str, str] = {}
    at = 0
    read, kept = cache.read_tokens, cache.read_tokens + cache.written_tokens
    for section in request.sections:
        start = at
        for piece in section.pieces:
            found[piece.id] = _mark((at, at + piece.tokens), read, kept)
            at += piece.tokens
        found[f"section:{section.name}"] = _mark((start, at), read, kept)
    return found


def mark_words(mark: str) -> tuple[str, str]:
    """A cache mark as a cell and as its tool tip."""
    words = {
        "read": (tr("read"), tr("Read from the prompt cache that the last sent Request left")),
        "part": (tr("part"), tr("Only its beginning is read from the prompt cache")),
        "written": (tr("written"), tr("Not in the prompt cache, written to it by this call")),
        "new": (tr("new"), tr("Not in the prompt cache: full price")),
    }
    return words.get(mark, ("", ""))


def _mark(span: tuple[int, int], read: int, kept: int) -> str:
    start, end = span
    if end <= read:
        return "read"
    if start < read:
        return "part"
    return "written" if end <= kept else "new"


def _of_piece(compared: ComparedRequests, cause: Miss) -> str:
    piece = _piece(compared, cause.piece_id)
    if piece is None or cause.change is None:
        return ""
    part = "" if cause.change != "changed" else _tool_part(compared, piece)
    place = compared.cache.difference
    if place is not None and place.piece_id == cause.piece_id:
        # What begins to differ is named right above.
        said = _SAME_PIECE.get(cause.change)
        return tr("{part} of that tool changed.", part=part) if part else said() if said else ""
    name = _named(piece)
    if part:
        return tr("{part} of {name} changed.", part=part, name=name)
    sentences = {
        "changed": tr("The text of {name} changed.", name=name),
        "added": tr("{name} was added.", name=_capital(name)),
        "removed": tr("{name} was removed.", name=_capital(name)),
    }
    return sentences.get(cause.change, "")


def _tool_part(compared: ComparedRequests, piece: Piece) -> str:
    """Which part of a tool's definition differs, if it is one part."""
    if piece.source.kind is not SourceKind.TOOL:
        return ""
    texts = [_definition(each.pieces_by_id.get(piece.id)) for each in (compared.before, compared.after)]
    names = {name for text in texts for name in text if texts[0].get(name) != texts[1].get(name)}
    words = {"description": tr("The description"), "parameters": tr("The parameters"), "name": tr("The name")}
    return words.get(next(iter(names)), "") if len(names) == 1 else ""


def _definition(piece: Piece | None) -> dict[str, object]:
    text = "" if piece is None else "".join(run.text for run in piece.runs if run.sent)
    try:
        found = json.loads(text.strip())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _piece(compared: ComparedRequests, piece_id: str | None) -> Piece | None:
    found = (each.pieces_by_id.get(piece_id) for each in _both(compared) if piece_id is not None)
    return next((piece for piece in found if piece is not None), None)


def _both(compared: ComparedRequests) -> Iterator[Request]:
    yield compared.before
    yield compared.after


def _named(piece: Piece) -> str:
    """A piece with its kind: ``tool git``, ``block notes``."""
    name = one_line(piece_name(piece), _NAME)
    kinds = {
        SourceKind.BLOCK: tr("block {name}", name=name),
        SourceKind.TOOL: tr("tool {name}", name=name),
        SourceKind.MESSAGE: tr("message “{name}”", name=name),
        SourceKind.EVENT: tr("event “{name}”", name=name),
        SourceKind.SUMMARY: tr("summary {name}", name=name),
        SourceKind.ARCHIVAL: tr("archival entry {name}", name=name),
    }
    return kinds.get(piece.source.kind, tr("the {name}", name=name))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
