"""Dataclasses for values such as blocks and messages, whose constructors are written once many values are made.

The library compiles six functions for each frozen class, which takes half a millisecond on Python 3.11. For five
hundred classes this was most of the time that a command took to start, and a command makes values of few of them.
Fields, slots, `fields` and `replace` are the library's own.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from functools import partial
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn

_UNWRITTEN = 64
"""Values that a class has made before its constructor is written, which takes as long as making hundreds."""
_ORDER = {f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge")}


def define(
    given: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    order: bool = False,
) -> Any:
    """Do what the library's decorator does, with the options that this program uses."""

    def wrap(given: type) -> type:
        # Else the library writes the signature there, which needs the constructor.
        given.__doc__ = given.__doc__ or given.__name__
        own = frozenset(given.__dict__)
        made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(given)
        for name, method in _methods(made, frozen=frozen, eq=eq, order=order).items():
            # Python gives a class that writes its own `__eq__` a `__hash__` of None.
            if name not in own or (name == "__hash__" and given.__hash__ is None and "__eq__" in own):
                setattr(made, name, method)
        return made

    return wrap if given is None else wrap(given)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = define


def _methods(kind: type, *, frozen: bool, eq: bool, order: bool) -> dict[str, object]:
    methods: dict[str, object] = {"__init__": _Constructor(kind, frozen), "__repr__": _represent}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
        # Copies and pickles set the fields of a value that allows nobody else to.
        methods |= {"__getstate__": _state, "__setstate__": _set_state}
    values = _values_of([field.name for field in dataclasses.fields(kind) if field.compare])
    if eq:
        methods["__eq__"] = _comparison(operator.eq, values)
        methods["__hash__"] = (lambda self: hash(values(self))) if frozen else None
    if order:
        methods |= {name: _comparison(compare, values) for name, compare in _ORDER.items()}
    return methods


def _values_of(names: list[str]) -> Callable[[Any], Any]:
    if not names:
        return lambda value: ()
    read = operator.attrgetter(*names)
    return read if len(names) > 1 else lambda value: (read(value),)


def _comparison(
    compare: Callable[[Any, Any], Any], values: Callable[[Any], Any]
) -> Callable[[Any, Any], Any]:
    def method(self: object, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(values(self), values(other))

    return method


@recursive_repr()
def _represent(self: Any) -> str:
    shown = (
        f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr
    )
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse(self: object, name: str, value: object = None) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


class _Constructor:
    """Stands in for a constructor until so many values were made that to have it written is worth its time."""

    __slots__ = ("_fields", "_frozen", "_kind", "_left", "_post_init")

    def __init__(self, kind: type, frozen: bool) -> None:
        self._kind = kind
        self._frozen = frozen
        self._fields = dataclasses.fields(kind)
        self._post_init = hasattr(kind, "__post_init__")
        plain = all(field.init and not field.kw_only for field in self._fields)
        self._left = _UNWRITTEN if plain else 0

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is not None and self._left > 0:
            self._left -= 1
            return partial(self._fill, instance)
        written = _write_constructor(self._kind, self._frozen)
        type.__setattr__(self._kind, "__init__", written)
        return written if instance is None else written.__get__(instance)

    def _fill(self, instance: Any, /, *given: object, **named: object) -> None:
        values = dict(zip((field.name for field in self._fields), given, strict=False))
        if len(values) < len(given) or values.keys() & named.keys():
            self._refuse(instance, given, named)
        values |= named
        for field in self._fields:
            if field.name in values:
                value = values.pop(field.name)
            elif field.default is not dataclasses.MISSING:
                value = field.default
            elif field.default_factory is not dataclasses.MISSING:
                value = field.default_factory()
            else:
                self._refuse(instance, given, named)
            object.__setattr__(instance, field.name, value)
        if values:
            self._refuse(instance, given, named)
        if self._post_init:
            instance.__post_init__()

    def _refuse(self, instance: object, given: tuple[object, ...], named: dict[str, object]) -> NoReturn:
        """Let the written one say what is wrong with its arguments."""
        self._left = 0
        self.__get__(instance)(*given, **named)
        raise AssertionError(self._kind)


def _write_constructor(kind: Any, frozen: bool) -> Any:
    """The constructor that the library would write for the class: it can be asked for that alone only with others."""
    missing = dataclasses.MISSING
    names: dict[str, Any] = {"missing_": missing, "set_": object.__setattr__}
    plain: list[str] = []
    named: list[str] = []
    body: list[str] = []
    for number, each in enumerate(dataclasses.fields(kind)):
        name, default, factory = each.name, f"default{number}_", f"factory{number}_"
        value = given = name
        if each.default is not missing:
            names[default], given = each.default, f"{name}={default}"
            value = name if each.init else default
        elif each.default_factory is not missing:
            names[factory], given = each.default_factory, f"{name}=missing_"
            value = f"{factory}() if {name} is missing_ else {name}" if each.init else f"{factory}()"
        elif not each.init:
            continue
        if each.init:
            (named if each.kw_only else plain).append(given)
        body.append(f"set_(self_, {name!r}, {value})" if frozen else f"self_.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        body.append("self_.__post_init__()")
    taken = ", ".join(("self_", *plain, *(("*", *named) if named else ())))
    # Every name is a field's, which Python itself has let be one.
    exec(f"def __init__({taken}):\n  " + "\n  ".join(body or ["pass"]), names)
    written = names["__init__"]
    written.__qualname__ = f"{kind.__qualname__}.__init__"
    written.__module__ = kind.__module__
    return written
