import pytest

from inspector.ui.widgets.palette import PaletteEntry, rank

TITLES = (
    "Open …",
    "Go to source",
    "Reset layout",
    "release_checklist",
    "persona",
    "harbor/glossary",
    "Pin",
    "Unpin",
)


def entry(title: str, why_not: str = "") -> PaletteEntry:
    return PaletteEntry(title, title, lambda: None, why_not=why_not)


ENTRIES = [entry(title) for title in TITLES]


def best(words: str, recent: tuple[str, ...] = ()) -> str:
    return rank(ENTRIES, words, recent)[0].title


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("pers", "persona"),
        ("relchk", "release_checklist"),
        ("glosary", "harbor/glossary"),
        ("pin", "Pin"),
        ("RESET", "Reset layout"),
        ("layout", "Reset layout"),
    ],
)
def test_that_a_few_letters_find_it(words: str, title: str) -> None:
    assert best(words) == title


def test_that_what_was_used_lately_comes_first_among_equals() -> None:
    copies = [entry("Copy the text"), entry("Copy the name")]
    assert rank(copies, "copy", ("Copy the name",))[0].title == "Copy the name"
    assert rank(ENTRIES, "", ("Pin",))[0].title == "Pin"


def test_that_what_holds_all_words_comes_before_what_only_resembles_them() -> None:
    titles = (
        "Fold all sections of the Request",
        "Unfold all sections of the Request",
        "assistant: Run 4219: green on all four, no retry, and the smoke test is in the notes of today",
    )
    lines = [PaletteEntry(title, title, lambda: None) for title in titles]
    assert rank(lines, "smoke all four")[0].title == titles[2]


def test_that_nothing_similar_finds_nothing() -> None:
    assert rank(ENTRIES, "zzzzqqqq") == []


def test_that_what_cannot_be_done_comes_after_its_equal() -> None:
    found = rank([entry("Save", "nothing to save"), PaletteEntry("other", "Save", lambda: None)], "save")
    assert [bool(each.why_not) for each in found] == [False, True]


@pytest.mark.parametrize("words", ["", "  ", "<b>", "%", "\\", "'; drop", "a" * 10_000])
def test_that_any_words_are_legal(words: str) -> None:
    rank(ENTRIES, words)
