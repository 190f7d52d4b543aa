"""One language: names are unique, module heads use the glossary, docstrings say something."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "inspector"
PAGE = ROOT / "resources" / "help" / "contributing.md"
MOST_WORDS = 60
FEWEST_WORDS = 5
BANNED = frozenset({"told", "known", "held", "things", "looking", "doors", "telling"})
SERVICES = ("Engine", "MemoryStore", "AgentStore", "ConversationStore", "ConsentStore", "LayoutStore")
"""Classes whose public methods are what the window and the command line call; so is every ``…Service``."""


@cache
def _modules() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def _glossary() -> tuple[str, ...]:
    text = PAGE.read_text(encoding="utf-8")
    rows = text.split("## Glossary", 1)[1].splitlines()
    return tuple(
        row.split("|")[1].strip() for row in rows if row.startswith("| ") and not row.startswith("| word")
    )


def _stems(term: str) -> str:
    # A plural, a past participle or a capital letter is the same word.
    words = [re.escape(word.lower().removesuffix("y")) + r"\w{0,4}" for word in term.split()]
    return r"\b" + r"\s+".join(words) + r"\b"


def test_that_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for name, tree in _modules().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_that_the_glossary_has_few_words_with_one_meaning_each() -> None:
    words = _glossary()
    assert 30 < len(words) <= MOST_WORDS
    assert len({word.lower() for word in words}) == len(words)


def _says_what_it_holds(tree: ast.Module) -> bool:
    first = (ast.get_docstring(tree) or "").partition("\n")[0]
    if len(first.split()) < FEWEST_WORDS or not first.endswith("."):
        return False
    return any(re.search(_stems(term), first.lower()) for term in _glossary())


def test_that_every_module_says_in_the_glossarys_words_what_it_holds() -> None:
    assert [name for name, tree in _modules().items() if not _says_what_it_holds(tree)] == []


def _names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno


def test_that_no_name_is_one_of_the_words_that_stood_for_everything() -> None:
    found = [
        f"{name}:{line} {word}"
        for name, tree in _modules().items()
        for word, line in _names(tree)
        if word.strip("_").lower() in BANNED
    ]
    found += [name for name in _modules() if Path(name).stem in BANNED]
    assert found == []


def _documented(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in tree.body:
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        ) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef) and (node.name in SERVICES or node.name.endswith("Service")):
                yield from (
                    each
                    for each in node.body
                    if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                    and not each.name.startswith("_")
                )


def test_that_docstrings_of_what_others_call_say_something() -> None:
    short = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in _modules().items()
        for node in _documented(tree)
        if len((ast.get_docstring(node) or "").partition("\n")[0].split()) < FEWEST_WORDS
    ]
    assert short == []


def test_that_a_docstring_which_is_there_is_more_than_a_few_words() -> None:
    empty = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in _modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if 0 < len((ast.get_docstring(node) or "").split()) < FEWEST_WORDS
    ]
    assert empty == []
