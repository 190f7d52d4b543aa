"""Recognises the many spellings of a model: routes, regions, dates and tags."""

from __future__ import annotations

from collections.abc import Iterator

_MARKERS = "-@:"
_WORDS = frozenset(
    {"latest", "preview", "beta", "exp", "stable", "it", "instruct", "chat", "default", "free"}
)
_SHORTEST_DATE = 4
FINE_TUNED = "ft:"


def spellings(model_id: str, vendors: tuple[str, ...]) -> Iterator[str]:
    """The id in lower case, then without the route before a slash, then without a vendor's prefix.

    Args:
        model_id: As asked for, for example ``bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0``.
        vendors: Prefixes with their dot (``anthropic.``); what stands before one is a region.
    """
    whole = model_id.strip().lower()
    yield whole
    bare = whole.rpartition("/")[2]
    if bare != whole:
        yield bare
    for vendor in vendors:
        at = bare.find(vendor)
        if at == 0 or (at > 0 and bare[at - 1] == "."):
            yield bare[at + len(vendor) :]
            return


def is_variant(rest: str) -> bool:
    """Whether what follows a known id only dates, tags or marks it, so that the same facts hold.

    ``-20250929``, ``-2024-08-06``, ``@20250514``, ``-latest``, ``:8b`` and ``-20250929-v1:0`` do; ``-9``, ``.5``
    and ``-mini`` name another model.
    """
    if not rest:
        return True
    if rest[0] not in _MARKERS:
        return False
    if rest[0] in "@:":
        return True
    parts = rest[1:].partition(":")[0].partition("@")[0].split("-")
    return _is_first_mark(parts[0]) and all(part.isdigit() or _is_first_mark(part) for part in parts[1:])


def prefixes_of(model_id: str) -> Iterator[tuple[str, str]]:
    """Every way to cut the id before a marker, the longest first part first, and what follows it."""
    for at in range(len(model_id), 0, -1):
        if at == len(model_id) or model_id[at] in _MARKERS:
            yield model_id[:at], model_id[at:]


def fine_tuned_base(model_id: str) -> str | None:
    """The model that a fine-tuned one (``ft:gpt-4o-2024-08-06:team::id``) was made from, or None."""
    if not model_id.startswith(FINE_TUNED):
        return None
    return model_id.removeprefix(FINE_TUNED).partition(":")[0]


def _is_first_mark(part: str) -> bool:
    return (
        part in _WORDS
        or (part.isdigit() and len(part) >= _SHORTEST_DATE)
        or (part.endswith("b") and part[:-1].isdigit())
        or (part.startswith("v") and part[1:].isdigit())
    )
