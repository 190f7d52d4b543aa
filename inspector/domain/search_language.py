"""The language of a search: words, and keys that say of which block, message or tool, as ``role:tool tokens:>500``.

What stands in quotes is looked for as it is written, keys too. What has a colon and no known key before it is a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.messages import Role
from inspector.domain.ref import RefKind
from inspector.domain.search import GROUPS, VERSION, FoundState, SearchQuery, SearchScope, TokenRange
from inspector.domain.typed_times import read_period


class SearchKey(StrEnum):
    """What can stand before a colon."""

    KIND = "kind"
    BLOCK = "block"
    TOOL = "tool"
    AGENT = "agent"
    ROLE = "role"
    IS = "is"
    TOKENS = "tokens"
    AFTER = "after"
    BEFORE = "before"
    ON = "on"


KIND_VALUES = (*(kind.value for kind in GROUPS), VERSION)
CHOICES: Mapping[SearchKey, tuple[str, ...]] = {
    SearchKey.KIND: KIND_VALUES,
    SearchKey.ROLE: tuple(role.value for role in Role),
    SearchKey.IS: tuple(state.value for state in FoundState),
    SearchKey.TOKENS: (">500", "<100"),
    SearchKey.AFTER: ("today", "7d", "30d"),
    SearchKey.BEFORE: ("today", "7d", "30d"),
    SearchKey.ON: ("today", "yesterday"),
}
"""What a key may be followed by; of tokens and times, examples."""

_ONLY_ONCE = frozenset({SearchKey.TOKENS, SearchKey.AFTER, SearchKey.BEFORE, SearchKey.ON})
_LISTED = frozenset({SearchKey.KIND, SearchKey.ROLE, SearchKey.IS})
_KEYS = "|".join(SearchKey)
_PART = re.compile(rf'(?i:(?P<key>{_KEYS})):(?:"(?P<quoted>[^"]*)"?|(?P<value>[^\s"]*))|"[^"]*"?|\S+')
_OPEN_QUOTE = re.compile(rf'(?:(?i:{_KEYS}):)?"[^"]*')
_TOKENS = re.compile(r"(?P<sign>>=|<=|>|<|=)?(?P<number>\d{1,9})(?:\.\.(?P<most>\d{1,9}))?")
LONGEST_SEARCH = 10_000
"""Characters of a search. Reading megabytes of words takes seconds, and nobody types them."""
_HALF = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class SearchPart:
    """One part of a search's text: from where to where it stands, and its key with its value, if it has one."""

    start: int
    end: int
    text: str
    key: SearchKey | None = None
    value: str = ""


@dataclass(frozen=True, slots=True)
class ReadSearch:
    """What a text asks for. Agents are named by id or name, which only a file can tell."""

    query: SearchQuery
    agents: tuple[SearchPart, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchCompletion:
    """What could stand from `start` up to `end` of a search's text instead."""

    start: int
    end: int
    text: str


def parts_of(text: str) -> tuple[SearchPart, ...]:
    """The parts of a search's text in their order."""
    return tuple(_part(match) for match in _PART.finditer(text))


def read_search(text: str, now: datetime) -> ReadSearch:
    """What a text asks for, of everything that a file holds. Days begin at midnight as in `read_period`.

    Raises:
        InputError: ``input.search_kind``, ``_role``, ``_state``, ``_tokens``, ``_no_tokens``, ``_time`` or
            ``_value``, with the value and the character ``at`` which its part begins, counted from 1.
            ``input.search_length``, it is longer than `LONGEST_SEARCH`; ``input.search_character``, it has half
            of a character, which no text holds.
    """
    if len(text) > LONGEST_SEARCH:
        raise InputError("input.search_length", length=len(text), most=LONGEST_SEARCH)
    require_whole(text)
    parts = parts_of(text)
    query = SearchQuery(" ".join(part.text for part in parts if part.key is None), scope=SearchScope.ALL)
    agents: list[SearchPart] = []
    for part in parts:
        if part.key is None:
            continue
        if not part.value:
            raise _fault("value", part)
        if part.key is SearchKey.AGENT:
            agents.append(part)
        else:
            query = _READERS[part.key](query, part, now)
    states = query.states
    return ReadSearch(query if states else replace(query, states=SearchQuery().states), tuple(agents))


def require_whole(text: str) -> None:
    """Refuse half of a character, which neither a stored text nor the index can hold.

    Raises:
        InputError: ``input.search_character``, with the character ``at`` which it stands, counted from 1.
    """
    half = _HALF.search(text)
    if half is not None:
        raise InputError("input.search_character", at=half.start() + 1)


def toggled(text: str, key: SearchKey, value: str) -> str:
    """A search's text with a key and value more, or without them where they are there."""
    parts, asked = parts_of(text), value.casefold()
    if any(each.key is key and asked in map(str.casefold, _values(each)) for each in parts):
        return " ".join(filter(None, (_without(each, key, asked) for each in parts)))
    left = [_closed(each) for each in parts if each.key is not key or key not in _ONLY_ONCE]
    return " ".join([*left, written(key, value)])


def chosen(text: str, key: SearchKey) -> frozenset[str]:
    """The values that a key has in a search's text."""
    return frozenset(value for each in parts_of(text) if each.key is key for value in _values(each))


def written(key: SearchKey, value: str) -> str:
    """A key with its value as they are typed."""
    plain = value.replace('"', "")
    return f'{key}:"{plain}"' if not plain or re.search(r"\s", plain) else f"{key}:{plain}"


def completions(
    text: str, cursor: int, names: Mapping[SearchKey, Sequence[str]]
) -> tuple[SearchCompletion, ...]:
    """What may be meant by the part that the cursor stands behind; `names` are those that the file has."""
    part = next((each for each in parts_of(text) if each.start < cursor <= each.end), None)
    if part is None or part.text.startswith('"'):
        return ()
    if part.key is None:
        begun = text[part.start : cursor].casefold()
        fits = [each for each in SearchKey if each.startswith(begun)]
        return tuple(SearchCompletion(part.start, part.end, f"{each}:") for each in fits)
    begun = part.value.casefold()
    values: Iterable[str] = (*CHOICES.get(part.key, ()), *names.get(part.key, ()))
    fits_values = [each for each in dict.fromkeys(values) if begun in each.casefold() and each != part.value]
    fits_values.sort(key=lambda each: not each.casefold().startswith(begun))
    return tuple(SearchCompletion(part.start, part.end, written(part.key, each)) for each in fits_values)


def _part(match: re.Match[str]) -> SearchPart:
    key, quoted, value = match["key"], match["quoted"], match["value"]
    if key is None:
        return SearchPart(match.start(), match.end(), match.group())
    found = SearchKey(key.lower())
    return SearchPart(match.start(), match.end(), match.group(), found, value if quoted is None else quoted)


def _fault(what: str, part: SearchPart, choices: Sequence[str] = ()) -> InputError:
    return InputError(
        f"input.search_{what}",
        key=str(part.key),
        value=part.value,
        at=part.start + 1,
        choices=tuple(choices),
    )


def _values(part: SearchPart) -> tuple[str, ...]:
    """The values of a part as they are meant: where it may have only certain ones, commas separate them."""
    if part.key not in _LISTED:
        return (part.value,)
    # People write what they would say of many.
    single = {f"{each}s": each for each in CHOICES[part.key]} | {"summaries": "summary"}
    values = (each.strip().lower() for each in part.value.split(","))
    return tuple(single.get(each, each) for each in values if each)


def _without(part: SearchPart, key: SearchKey, asked: str) -> str:
    """A part's text without a value of a key, empty where nothing is left of it."""
    values = _values(part) if part.key is key else ()
    left = [each for each in values if each.casefold() != asked]
    if len(left) == len(values):
        return part.text
    return written(key, ",".join(left)) if left else ""


def _closed(part: SearchPart) -> str:
    """A part's text, a quote that is open closed: what comes behind it is another part."""
    return part.text + '"' if _OPEN_QUOTE.fullmatch(part.text) else part.text


def _choices(part: SearchPart, what: str) -> tuple[str, ...]:
    """The values of a part, which commas separate.

    Raises:
        InputError: one of them is none that its key may have.
    """
    allowed, found = CHOICES[part.key] if part.key else (), _values(part)
    if not found or any(each not in allowed for each in found):
        raise _fault(what, part, allowed)
    return found


def _kind(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    values = _choices(part, "kind")
    kinds = query.kinds | {RefKind(each) for each in values if each != VERSION}
    return replace(query, kinds=kinds, versions=query.versions or VERSION in values)


def _role(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    return replace(query, roles=query.roles | {Role(each) for each in _choices(part, "role")})


def _state(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    before = frozenset() if query.states == SearchQuery().states else query.states
    return replace(query, states=before | {FoundState(each) for each in _choices(part, "state")})


def _block(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    return replace(query, labels=query.labels | {part.value})


def _tool(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    return replace(query, tools=query.tools | {part.value})


def _tokens(query: SearchQuery, part: SearchPart, _: datetime) -> SearchQuery:
    match = _TOKENS.fullmatch(part.value.replace(",", ""))
    if match is None or (match["sign"] and match["most"]):
        raise _fault("tokens", part)
    number = int(match["number"])
    ranges = {
        ">": TokenRange(number + 1, query.tokens.most),
        ">=": TokenRange(number, query.tokens.most),
        "<": TokenRange(query.tokens.least, number - 1),
        "<=": TokenRange(query.tokens.least, number),
    }
    most = int(match["most"]) if match["most"] else number
    found = ranges.get(match["sign"] or "", TokenRange(number, most))
    if found.most is not None and found.most < (found.least or 0):
        is_second = bool(match["sign"]) and query.tokens != TokenRange()
        # As both bounds that stand in the text have it, not the last of them alone.
        raise _fault("no_tokens", replace(part, value=f"{found.least}..{found.most}") if is_second else part)
    return replace(query, tokens=found)


def _after(query: SearchQuery, part: SearchPart, now: datetime) -> SearchQuery:
    return replace(query, since=_period(part, now)[0])


def _before(query: SearchQuery, part: SearchPart, now: datetime) -> SearchQuery:
    return replace(query, until=_period(part, now)[0])


def _on(query: SearchQuery, part: SearchPart, now: datetime) -> SearchQuery:
    since, until = _period(part, now)
    return replace(query, since=since, until=until)


def _period(part: SearchPart, now: datetime) -> tuple[datetime, datetime | None]:
    """From when to when, in UTC, a time goes that a part names: a year, month, day, moment, or so long ago.

    Raises:
        InputError: ``input.search_time``.
    """
    try:
        since, until = read_period(part.value, now)
        return since.astimezone(UTC), None if until is None else until.astimezone(UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise _fault("time", part) from error


_Reader = Callable[[SearchQuery, SearchPart, datetime], SearchQuery]
_READERS: Mapping[SearchKey, _Reader] = {
    SearchKey.KIND: _kind,
    SearchKey.BLOCK: _block,
    SearchKey.TOOL: _tool,
    SearchKey.ROLE: _role,
    SearchKey.IS: _state,
    SearchKey.TOKENS: _tokens,
    SearchKey.AFTER: _after,
    SearchKey.BEFORE: _before,
    SearchKey.ON: _on,
}
