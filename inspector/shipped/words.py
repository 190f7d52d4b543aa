"""The catalogue of words for commands and window, one file per language, and the prompts sent to a model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from types import MappingProxyType

from inspector.domain.errors import NotFoundError
from inspector.shipped.locate import malformed, resource_path

_PLURAL = re.compile(r"[^|{}]*\|[^|{}]+")


@cache
def load_words(language: str = "en") -> Mapping[str, str]:
    """Templates with ``{named}`` parameters by code (``refused.char_limit`` …).

    Raises:
        NotFoundError: there are no words in that language.
        MalformedError: the file is no mapping of codes to templates, or a template's braces do not match or
            hold anything but a name, or a name and two words (``{count:turn|turns}``).
    """
    return read_words(resource_path("words", f"{language}.json"))


def read_words(path: Path) -> Mapping[str, str]:
    """A catalogue from any file; `load_words` for the shipped ones."""
    try:
        words = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFoundError("not_found.resource", name=path.name) from None
    except ValueError as problem:
        raise malformed(path, problem) from problem
    if not isinstance(words, dict):
        raise malformed(path, "no mapping of codes to templates - at `$`")
    for code, template in words.items():
        reason = _fault(template)
        if reason:
            raise malformed(path, f"{reason} - at `$.{code}`")
    return MappingProxyType(words)


def parameter_names(template: str) -> frozenset[str]:
    """The names that a template fills in."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def _fault(template: object) -> str:
    if not isinstance(template, str):
        return "no text"
    try:
        fields = [field for field in Formatter().parse(template) if field[1] is not None]
    except ValueError as problem:
        return str(problem)
    for _, name, form, conversion in fields:
        if not (name or "").isidentifier():
            return f"not a name: {{{name}}}"
        if conversion or (form and not _PLURAL.fullmatch(form)):
            return f"neither a name nor a name with two words, {{count:one|many}}: {{{name}}}"
    return ""


@cache
def load_prompt(name: str) -> str:
    """Load the text of a shipped prompt.

    Raises:
        NotFoundError: there is none of that name.
    """
    return resource_path("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
