"""Words codes and parameters for the window and the command line.

A screen passes its translator; the template is translated first and filled afterwards. ``{count}`` is a value,
``{count:message|messages}`` is the word that goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from inspector.domain.errors import InspectorError, Parameter, Parameters
from inspector.shipped.words import load_words

Translate = Callable[[str], str]

MOST_CHARACTERS = 400
"""Of one name or text in a sentence."""
MOST_NAMES = 40
"""Of a list in a sentence."""


@cache
def catalogue() -> Mapping[str, str]:
    """Templates by code, in the source language."""
    return load_words()


def word(code: str, parameters: Parameters | None = None, translate: Translate = str) -> str:
    """The sentence for a code, or for the code and its parameter `why` where each reason has its own.

    A code without a template is given as it is, with its parameters.
    """
    given = parameters or {}
    template = _template(f"{code}.{given.get('why')}") or _template(code)
    if template is None:
        facts = ", ".join(f"{name} {_shown(each)}" for name, each in given.items())
        return f"{code} ({facts})" if facts else code
    return translate(template).format_map(_Values(given))


def word_error(error: InspectorError, translate: Translate = str) -> str:
    """The sentence for an error of ours."""
    return word(error.code, error.parameters, translate)


def _template(code: str) -> str | None:
    """A code's template; those of a Request's problems stand under ``problem.``, which may be said or not."""
    found = catalogue()
    return found.get(code) or found.get(f"problem.{code}") or found.get(code.removeprefix("problem."))


class _Value(str):
    """A parameter as a person reads it. Formatted with ``one|many`` it is the word that goes with its number."""

    __slots__ = ("is_one",)
    is_one: bool

    def __new__(cls, value: Parameter) -> _Value:
        made = super().__new__(cls, _shown(value))
        made.is_one = len(value) == 1 if isinstance(value, tuple) else value in (1, "1")
        return made

    def __format__(self, spec: str) -> str:
        one, separator, many = spec.partition("|")
        return (one if self.is_one else many) if separator else str(self)


class _Values(dict[str, _Value]):
    """Parameters of a template. A name that the caller did not give shows as a question mark."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__({name: _Value(value) for name, value in parameters.items()})

    def __missing__(self, key: str) -> _Value:
        return _Value("?")


def _shown(value: Parameter) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple):
        if not value:
            return "none"
        more = len(value) - MOST_NAMES
        names = [_cut(each) for each in value[:MOST_NAMES]]
        return ", ".join(names if more <= 0 else [*names, f"… (+{more:,})"])
    return "" if value is None else _cut(str(value))


def _cut(text: str) -> str:
    """A name as a sentence can hold it; what is longer shows how it begins and ends."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]} … {text[-half:]}"
