"""Codes and parameters into words: one catalogue that the window and the command line share.

A screen passes its translator; the template is translated first and filled afterwards.
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
    """The sentence for a code. A code without a template is given as it is, with its parameters."""
    told = parameters or {}
    template = _template(code)
    if template is None:
        return (
            code
            if not told
            else f"{code} ({', '.join(f'{name} {_shown(each)}' for name, each in told.items())})"
        )
    return translate(template).format_map(_Shown(told))


def word_error(error: InspectorError, translate: Translate = str) -> str:
    """The sentence for an error of ours."""
    return word(error.code, error.parameters, translate)


def _template(code: str) -> str | None:
    """A code's template; those of a Request's problems stand under ``problem.``, which may be said or not."""
    found = catalogue()
    return found.get(code) or found.get(f"problem.{code}") or found.get(code.removeprefix("problem."))


class _Shown(dict[str, str]):
    """Parameters as a person reads them; a name that the caller did not give shows as a question mark."""

    def __init__(self, parameters: Parameters) -> None:
        super().__init__({name: _shown(value) for name, value in parameters.items()})

    def __missing__(self, key: str) -> str:
        return "?"


def _shown(value: Parameter) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, tuple):
        if not value:
            return "none"
        more = len(value) - MOST_NAMES
        told = [_cut(each) for each in value[:MOST_NAMES]]
        return ", ".join(told if more <= 0 else [*told, f"… (+{more:,})"])
    return "" if value is None else _cut(str(value))


def _cut(text: str) -> str:
    """A name as a sentence can hold it; what is longer shows how it begins and ends."""
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]} … {text[-half:]}"
