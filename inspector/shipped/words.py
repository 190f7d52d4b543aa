"""The catalogue of words: templates by code, in one file per language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType

from inspector.shipped.checked import malformed, read_json
from inspector.shipped.locate import resource_path


@cache
def load_words(language: str = "en") -> Mapping[str, str]:
    """Templates with ``{named}`` parameters by code (``refused.char_limit`` …).

    Raises:
        NotFoundError: there are no words in that language.
        MalformedError: the file is no mapping of codes to templates, or a template's braces do not match or
            hold anything but a name.
    """
    return read_words(resource_path("words", f"{language}.json"))


def read_words(path: Path) -> Mapping[str, str]:
    """A catalogue from any file; `load_words` for the shipped ones."""
    words = read_json(path, dict[str, str])
    for code, template in words.items():
        reason = _fault(template)
        if reason:
            raise malformed(path, f"{reason} - at `$.{code}`")
    return MappingProxyType(words)


def parameter_names(template: str) -> frozenset[str]:
    """The names that a template fills in."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def _fault(template: str) -> str:
    try:
        fields = [field for field in Formatter().parse(template) if field[1] is not None]
    except ValueError as problem:
        return str(problem)
    for _, name, form, conversion in fields:
        if not (name or "").isidentifier():
            return f"not a name: {{{name}}}"
        if form or conversion:
            return f"a parameter is only named: {{{name}}}"
    return ""
