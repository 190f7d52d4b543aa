"""Reads untrusted JSON objects of an import, with a place for every problem and nothing lost.

A `FieldReader` hands out its fields by type. What nobody took, or what had another type than asked for, is left
over, and `rest` gives it as metadata: a reader therefore keeps by default what it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from itertools import chain

from inspector.domain.codec import kind_of, read_time
from inspector.domain.errors import MalformedError, Parameter, Problem, Severity
from inspector.domain.secrets import find_secrets
from inspector.domain.wire.objects import SPELLINGS
from inspector.exchange.json_guard import Json

_MOST_PROBLEMS = 1000
_MOST_KEPT = 2000
_INDEX = re.compile(r"\[\d+\]")
_YEARS = range(1970, 2262)
_EMPTY: tuple[Json, ...] = (None, "", [], {})
# Containers whose whole content is secret, and fields that hold one secret text.
_SECRET_HOLDERS = frozenset(
    {"tool_exec_environment_variables", "environment_variables", "secrets", "env", "headers", "cookies"}
)
_HEADERS = re.compile(r"headers$", re.IGNORECASE)
# Each as a word of its own: behind the beginning, a sign, or a small letter before a capital one.
_SECRET_FIELD = re.compile(
    r"(?:^|[^A-Za-z0-9]|(?<=[a-z0-9])(?=[A-Z]))(?i:secrets?|token|password|passwd|authorization|credentials?|bearer"
    r"|(?:set-)?cookie|(?:api|private|access|secret|subscription)[-_ ]?key)(?i:[-_]enc|[-_]encrypted)?$"
)
_QUERIES = frozenset({"query", "extra_query", "default_query", "params", "query_params", "queryString"})
_SECRET_IN_QUERY = frozenset({"key", "sig", "signature", "code", "auth"})
_LOGIN = re.compile(r"(?<=://)([^\s/?#:]*):[^\s/?#]*@")
_ADDRESS = re.compile(r"\s*[A-Za-z][A-Za-z0-9+.-]*://\S+\s*")
_LEFT_OUT = "REMOVED"
# A schema's property may be called `password` without holding one.
_SCHEMAS = frozenset({"json_schema", "args_json_schema", "parameters"})


class ImportLog:
    """What a reader has to say besides its plan. Of very many problems the first thousand are told."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []
        self._kept: dict[str, None] = {}
        self._untold = 0
        self._more_kept = 0

    def say(self, severity: Severity, code: str, where: str, **parameters: Parameter) -> None:
        if len(self._problems) < _MOST_PROBLEMS:
            self._problems.append(Problem(code, severity, where, parameters))
        else:
            self._untold += 1

    def info(self, code: str, where: str, **parameters: Parameter) -> None:
        self.say(Severity.INFO, code, where, **parameters)

    def warn(self, code: str, where: str, **parameters: Parameter) -> None:
        self.say(Severity.WARNING, code, where, **parameters)

    def keep(self, where: str) -> None:
        """Note a field kept as metadata; the same field of neighbours is named once, as ``blocks[].x``."""
        if len(self._kept) < _MOST_KEPT:
            self._kept[_INDEX.sub("[]", where)] = None
        elif _INDEX.sub("[]", where) not in self._kept:
            self._more_kept += 1

    @property
    def problems(self) -> tuple[Problem, ...]:
        reported = list(self._problems)
        if self._more_kept:
            reported.append(Problem("import.more_kept", Severity.INFO, "", {"count": self._more_kept}))
        if self._untold:
            reported.append(Problem("import.more_problems", Severity.WARNING, "", {"count": self._untold}))
        return tuple(reported)

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(self._kept)


class FieldReader:
    """One JSON object of the source, and which of its fields were taken."""

    def __init__(self, value: Json, where: str, notes: ImportLog) -> None:
        if not isinstance(value, dict):
            raise MalformedError(
                "import.malformed", where=where, why=f"an object is needed, not {kind_of(value)}"
            )
        self.where = where
        self.notes = notes
        self._value: dict[str, Json] = value
        self._taken: set[str] = set()
        self._left: dict[str, Json] = {}

    def spelled(self, names: Mapping[str, str]) -> FieldReader:
        """The same object, whose fields of other names are read under the names given for them.

        A field that comes under both names keeps the other one.
        """
        value = self.whole()
        renamed = {key: names[key] for key in value if key in names and names[key] not in value}
        reader = FieldReader(
            {renamed.get(key, key): each for key, each in value.items()}, self.where, self.notes
        )
        reader.leave(SPELLINGS, {name: key for key, name in renamed.items()})
        return reader

    def path(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def has(self, key: str) -> bool:
        return self._value.get(key) is not None

    def take(self, key: str) -> Json:
        self._taken.add(key)
        return self._value.get(key)

    def peek(self, key: str) -> Json:
        """The field as it is, or None; it stays among what is left over."""
        return self._value.get(key)

    def whole(self) -> dict[str, Json]:
        """The object as it is; all of its fields count as taken."""
        self._taken.update(self._value)
        return self._value

    def drop(self, *keys: str) -> None:
        """Count fields as taken: their content stands elsewhere in the plan."""
        self._taken.update(keys)

    def leave(self, key: str, value: Json) -> None:
        """Put what is left of a field, if anything, back among what is left over."""
        if value not in _EMPTY:
            self._left[key] = value

    def text(self, key: str) -> str:
        """A text; absent, null or another type: empty, the last with a problem."""
        found = self._typed(key, str, "a text")
        return "" if found is None else str(found)

    def flag(self, key: str) -> bool:
        """A boolean; absent, null or another type: False, the last with a problem."""
        return bool(self._typed(key, bool, "true or false"))

    def natural(self, key: str) -> int | None:
        """A whole number that is not negative, or None."""
        found = self._typed(key, int, "a whole number")
        if found is not None and found < 0:
            self._complain(key, "a number that is not negative", found)
            return None
        return None if found is None else int(found)

    def number(self, key: str) -> int | float | None:
        found: int | float | None = self._typed(key, (int, float), "a number")
        return found

    def time(self, key: str) -> datetime | None:
        """A moment, or None; one that cannot be read is left over, with a problem."""
        found = self._typed(key, str, "a time")
        if found is None:
            return None
        try:
            moment = read_time(found)
        except (ValueError, OverflowError):
            moment = None
        if moment is None or moment.year not in _YEARS:
            self._taken.discard(key)
            self.notes.warn("import.bad_time", self.path(key), value=found[:40])
            return None
        return moment

    def texts(self, key: str) -> list[str]:
        """A list of texts; absent or null: empty. Members of another type are left out, with a problem."""
        texts = []
        for index, each in enumerate(self._list(key)):
            if isinstance(each, str):
                texts.append(each)
            else:
                self.notes.warn(
                    "import.wrong_type", f"{self.path(key)}[{index}]", needed="a text", found=kind_of(each)
                )
        return texts

    def record(self, key: str) -> FieldReader | None:
        found = self._typed(key, dict, "an object")
        return None if found is None else FieldReader(found, self.path(key), self.notes)

    def records(self, key: str) -> list[FieldReader]:
        """A list of objects; absent or null: empty.

        Raises:
            MalformedError: it is no list, or a member is no object.
        """
        where = self.path(key)
        return [
            FieldReader(each, f"{where}[{index}]", self.notes) for index, each in enumerate(self._list(key))
        ]

    def rest(self) -> dict[str, Json]:
        """What was not taken and holds something, secrets left out; each field is noted as kept."""
        kept = self.untaken()
        for key in kept:
            self.notes.keep(self.path(key))
        return kept

    def untaken(self, *, with_empty: bool = False) -> dict[str, Json]:
        """What was not taken and holds something, secrets left out, for a place where it is used as it is.

        Args:
            with_empty: Also what is empty, taken or not: no value of ours says how.
        """
        kept: dict[str, Json] = {}
        untaken = (
            (key, value)
            for key, value in self._value.items()
            if key not in self._taken or (with_empty and not value and value in _EMPTY)
        )
        for key, value in chain(untaken, self._left.items()):
            if value in _EMPTY:
                if with_empty:
                    kept[key] = value
                continue
            cleaned = self._without_secrets(key, value, self.path(key))
            if cleaned in _EMPTY:
                continue
            kept[key] = cleaned
        return kept

    def as_it_came(self) -> dict[str, Json]:
        """All of it with empty fields, under its own names, secrets left out; every field counts as taken."""
        found = {
            key: self._without_secrets(key, value, self.path(key)) for key, value in self.whole().items()
        }
        names = self._left.get(SPELLINGS)
        names = names if isinstance(names, dict) else {}
        return {
            str(names.get(key, key)): value
            for key, value in found.items()
            if value is not None or self._value[key] is None
        }

    def _list(self, key: str) -> list[Json]:
        found = self.take(key)
        if found is None:
            return []
        if not isinstance(found, list):
            raise MalformedError(
                "import.malformed", where=self.path(key), why=f"a list is needed, not {kind_of(found)}"
            )
        return found

    def _typed(self, key: str, kind: type | tuple[type, ...], needed: str) -> Json:
        found = self._value.get(key)
        if found is None:
            self._taken.add(key)
            return None
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            self._complain(key, needed, found)
            return None
        self._taken.add(key)
        return found

    def _complain(self, key: str, needed: str, found: Json) -> None:
        self._taken.discard(key)
        self.notes.warn("import.wrong_type", self.path(key), needed=needed, found=kind_of(found))

    def _without_secrets(self, key: str, value: Json, where: str) -> Json:
        if _is_secret(key, value):
            self.notes.warn("import.secret_left_out", where)
            return None
        # Plain loops: one frame for each level of a nesting that is deep by right.
        if isinstance(value, dict) and key not in _SCHEMAS:
            cleaned = {}
            for name, each in value.items():
                kept = self._without_secrets(_called(key, name, value), each, f"{where}.{name}")
                if kept is not None or each is None:
                    cleaned[name] = kept
            return cleaned
        if isinstance(value, list):
            members = []
            for index, each in enumerate(value):
                holder = key if key in _QUERIES else ""
                members.append(self._without_secrets(holder, each, f"{where}[{index}]"))
            return members
        if isinstance(value, str) and _ADDRESS.fullmatch(value):
            plain = plain_address(value)
            if plain != value:
                self.notes.warn("import.secret_left_out", where)
            return plain
        return value


def plain_address(address: str) -> str:
    """An address without keys in its query and passwords before its host."""
    address = _LOGIN.sub(rf"\1:{_LEFT_OUT}@", address)
    parts: list[str] = []
    at = 0
    for secret in find_secrets(address):
        parts += (address[at : secret.start], _LEFT_OUT)
        at = secret.end
    return "".join((*parts, address[at:]))


def _called(key: str, name: str, holder: dict[str, Json]) -> str:
    """What a field is called. In an address's query, written as pairs of a name and a value, a value is its name's."""
    if key not in _QUERIES:
        return name
    if name == "value" and isinstance(stated := holder.get("name"), str):
        name = stated
    return "secret" if name.lower() in _SECRET_IN_QUERY else name


def _is_secret(key: str, value: Json) -> bool:
    if value in _EMPTY:
        return False
    if key.lower() in _SECRET_HOLDERS or (_HEADERS.search(key) and _holds_headers(value)):
        return True
    return (
        isinstance(value, str | int | float)
        and not isinstance(value, bool)
        and bool(_SECRET_FIELD.search(key))
    )


def _holds_headers(value: Json) -> bool:
    """Whether a value may be the headers of a request; plain texts are those of a table."""
    if isinstance(value, list):
        return any(not isinstance(each, str) or ":" in each for each in value)
    return isinstance(value, dict) or (isinstance(value, str) and ":" in value)
