"""The dataclasses that write their constructors late are the library's in all that a caller sees."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import field, fields, replace
from typing import Any, ClassVar

import pytest

from inspector.domain.dataclass import define


def _classes(dataclass: Callable[..., Any]) -> dict[str, Any]:
    @dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        kind: ClassVar[str] = "point"
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        cache: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @dataclass(frozen=True, slots=True)
    class Point3(Point):
        """A point in space."""

        z: int = field(default=3, kw_only=True)

    @dataclass(frozen=True, slots=True, order=True)
    class Single:
        value: float

    @dataclass
    class Loose:
        size: int = 1
        double: int = field(init=False)

        def __post_init__(self) -> None:
            self.double = self.size * 2

    @dataclass(frozen=True)
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True, slots=True)
    class Alike:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

    @dataclass(eq=False)
    class Same:
        name: str

    @dataclass(frozen=True, slots=True)
    class Empty:
        pass

    every = (Point, Point3, Single, Loose, Own, Alike, Same, Empty)
    return {kind.__name__: kind for kind in every}


NAN = float("nan")
LIBRARY = _classes(dataclasses.dataclass)
CASES: dict[str, Callable[[dict[str, Any]], object]] = {
    "shown": lambda of: repr(of["Point"](1, tags=["a"])).replace("_classes.<locals>.", ""),
    "shown below": lambda of: repr(of["Point3"](1, z=4)),
    "equal": lambda of: of["Point3"](1, z=4) == of["Point3"](1, 2, [], z=4),
    "another kind": lambda of: of["Point"](1) == of["Point3"](1),
    "left out of comparing": lambda of: of["Point"](1, cache={"a": 1}) == of["Point"](1),
    "unequal": lambda of: of["Point"](1) != of["Point"](2),
    "a list has no hash": lambda of: _error(lambda: hash(of["Point"](1))),
    "hash": lambda of: hash(of["Single"](1.5)),
    "what is no number is itself": lambda of: of["Single"](NAN) == of["Single"](NAN),
    "order": lambda of: (
        sorted(map(of["Single"], (3.0, 1.0, 2.0))) == [of["Single"](each) for each in (1, 2, 3)]
    ),
    "order of other kinds": lambda of: _error(lambda: of["Single"](1) < 2),
    "assigned": lambda of: _error(lambda: setattr(of["Point"](1), "x", 2)),
    "deleted": lambda of: _error(lambda: delattr(of["Point"](1), "x")),
    "no value": lambda of: _error(lambda: of["Point"]()),
    "one too many": lambda of: _error(lambda: of["Single"](1, 2)),
    "given twice": lambda of: _error(lambda: of["Single"](1, value=2)),
    "of another name": lambda of: _error(lambda: of["Point"](1, size=2)),
    "all by name": lambda of: repr(of["Own"](name="a")) + str(of["Point"](y=1, x=3).x),
    "defaults of their own": lambda of: of["Point"](1).tags is of["Point"](1).tags,
    "by position": lambda of: _error(lambda: of["Point3"](1, 2, [], {}, 5)),
    "replaced": lambda of: repr(replace(of["Point3"](1), x=9, z=8)),
    "fields": lambda of: [(each.name, each.type, each.kw_only) for each in fields(of["Point3"])],
    "slots": lambda of: (of["Point"].__slots__, of["Point3"].__slots__, hasattr(of["Point"](1), "__dict__")),
    "pattern": lambda of: (of["Point"].__match_args__, of["Point3"].__match_args__),
    "after it is made": lambda of: of["Loose"](4).double,
    "may change": lambda of: _error(lambda: hash(of["Loose"]())),
    "own methods": lambda of: (of["Own"]("a") == of["Own"]("b"), hash(of["Own"]("a")), repr(of["Own"]("a"))),
    "own comparison": lambda of: (of["Alike"]("a") == of["Alike"]("b"), hash(of["Alike"]("a"))),
    "compared by identity": lambda of: of["Same"]("a") == of["Same"]("a"),
    "empty": lambda of: (of["Empty"]() == of["Empty"](), hash(of["Empty"]()), repr(of["Empty"]())),
    "copied": lambda of: repr(copy.copy(of["Own"]("a"))),
    "parameters": lambda of: list(inspect.signature(of["Point3"]).parameters),
}


def _error(act: Callable[[], object]) -> str:
    with pytest.raises((TypeError, AttributeError)) as caught:
        act()
    return caught.type.__name__


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_a_class_behaves_as_the_library_makes_it(case: str, is_written: bool) -> None:
    ours = _classes(define)
    if is_written:
        assert all(inspect.isfunction(kind.__init__) for kind in ours.values())
    assert CASES[case](ours) == CASES[case](LIBRARY)


def test_the_constructor_is_written_once_many_values_are_made_and_stays() -> None:
    kind = _classes(define)["Point"]
    kind(1)
    assert not inspect.isfunction(vars(kind)["__init__"])

    values = [kind(at) for at in range(1000)]
    written = vars(kind)["__init__"]
    kind(2)

    assert inspect.isfunction(written)
    assert vars(kind)["__init__"] is written
    assert [value.x for value in values] == list(range(1000))


def test_a_class_below_that_calls_the_constructor_above_it_gets_that_one() -> None:
    base = _classes(define)["Loose"]

    def constructor(self: object) -> None:
        base.__init__(self, 5)

    assert type("Below", (base,), {"__init__": constructor})().double == 10


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(ValueError, match="mutable default"):

        @define
        class _Shared:
            names: list[str] = field(default=[])
