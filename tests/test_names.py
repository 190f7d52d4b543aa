"""Every name that a function uses is there: nothing is called that nobody has written or imported."""

from __future__ import annotations

import ast
import builtins
import dis
import importlib
import inspect
import pkgutil
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import inspector

_SKIPPED = ("inspector.ui", "inspector.__main__", "inspector.entry")
"""These need a screen, or run a program; the window has tests that call it."""


def modules() -> Iterator[ModuleType]:
    """All modules below the window."""
    for found in pkgutil.walk_packages(inspector.__path__, "inspector."):
        if not found.name.startswith(_SKIPPED):
            yield importlib.import_module(found.name)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that a module defines."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        for each in [value, *vars(value).values()] if inspect.isclass(value) else [value]:
            bare = inspect.unwrap(getattr(each, "fget", None) or getattr(each, "func", None) or each)
            bare = getattr(bare, "__func__", bare)
            if isinstance(bare, FunctionType) and bare.__module__ == module.__name__:
                yield bare


def codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code, and that of what is defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def missing_names(function: FunctionType) -> set[str]:
    """The globals that a function would look for in vain."""
    known = {**vars(builtins), **function.__globals__}
    return {
        str(step.argval)
        for code in codes(function.__code__)
        for step in dis.get_instructions(code)
        if step.opname == "LOAD_GLOBAL" and step.argval not in known
    }


def missing_attributes(kind: type) -> set[str]:
    """What a class's methods ask of ``self`` and nobody gives it."""
    given: set[str] = set()
    asked: set[str] = set()
    for base in kind.__mro__:
        given |= {*vars(base), *getattr(base, "__annotations__", {}), *getattr(base, "__slots__", ())}
        if base.__module__.startswith("inspector."):
            uses, sets = self_names(textwrap.dedent(inspect.getsource(base)))
            asked |= uses
            given |= sets
    return asked - given


def self_names(source: str) -> tuple[set[str], set[str]]:
    """What a class's source reads of ``self``, and what it sets there."""
    asked: set[str] = set()
    given: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id == "self":
            (given if isinstance(node.ctx, ast.Store) else asked).add(node.attr)
    return asked, given


def classes(module: ModuleType) -> Iterator[type]:
    """The classes that a module defines."""
    for value in vars(module).values():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            yield value


def test_that_no_function_uses_a_name_that_nobody_has_imported() -> None:
    found = list(modules())
    seen = [function for module in found for function in functions(module)]
    assert len(found) > 200
    assert len(seen) > 2000
    assert {
        f"{each.__module__}.{each.__qualname__}": names for each in seen if (names := missing_names(each))
    } == {}


def test_that_no_method_calls_one_that_its_class_does_not_have() -> None:
    seen = [kind for module in modules() for kind in classes(module)]
    assert len(seen) > 500
    assert {
        f"{each.__module__}.{each.__name__}": names for each in seen if (names := missing_attributes(each))
    } == {}


_WRONG = """
class Wrong:
    limit: int

    def __init__(self) -> None:
        self.other = 1

    def call(self) -> object:
        return self.get_block_rendered(self.limit, self.other, self.call)
"""


def test_that_both_would_be_seen() -> None:
    scope: dict[str, Any] = {"__name__": __name__}
    exec("def wrong():\n    return [lambda: ParameterDescription(len(str(n))) for n in ()]", scope)
    assert missing_names(scope["wrong"]) == {"ParameterDescription"}
    asked, given = self_names(_WRONG)
    assert asked - given - {"call", "limit"} == {"get_block_rendered"}
