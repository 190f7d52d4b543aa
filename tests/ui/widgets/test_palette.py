import pytest

from inspector.ui.widgets.palette import PaletteEntry, by_kind, matched, rank

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


def test_that_only_what_has_the_words_is_listed_those_at_the_beginning_of_a_word_first() -> None:
    titles = ("About Context Inspector", "Quit", "Relayout", "Reset layout", "Pin", "Timeline", "Layout")
    lines = [PaletteEntry(each, each, lambda: None) for each in titles]
    assert {each.title for each in rank(lines, "layout")} == {"Relayout", "Reset layout", "Layout"}
    assert rank(lines, "layout")[-1].title == "Relayout"
    assert [each.title for each in rank(lines, "timeline")] == ["Timeline"]
    assert [each.title for each in rank(lines, "layout reset")] == ["Reset layout"]
    # A word in the note is one, too.
    noted = PaletteEntry("persona", "persona", lambda: None, "block of Ada")
    assert rank([noted, *lines], "ada") == [noted]


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


def test_that_what_cannot_be_done_stands_last_under_its_head() -> None:
    lines = [entry("Save", "nothing to save"), entry("Save a copy"), entry("Save all", "no drafts")]
    assert [each.title for _, each in by_kind(lines)] == ["Save a copy", "Save", "Save all"]


def test_that_entries_stand_under_their_kind_the_best_ones_kind_first() -> None:
    def of(title: str, kind: str) -> PaletteEntry:
        return PaletteEntry(title, title, lambda: None, kind=kind)

    lines = [of("persona", "Blocks"), of("Pin", "Actions"), of("human", "Blocks")]
    assert [(head, each.title) for head, each in by_kind(lines)] == [
        ("Blocks", "persona"),
        ("Blocks", "human"),
        ("Actions", "Pin"),
    ]
    assert [head for head, _ in by_kind(rank(lines, "", ("Pin",)), ("Pin",))] == [
        "Recent",
        "Blocks",
        "Blocks",
    ]


def test_that_what_can_not_be_done_comes_last() -> None:
    lines = [entry("Save block", "nothing was changed"), entry("Save a copy"), entry("persona")]
    assert [each.title for each in rank(lines, "")][-1] == "Save block"
    assert [each.title for each in rank(lines, "save")] == ["Save a copy", "Save block"]


@pytest.mark.parametrize(
    ("title", "words", "spans"),
    [
        ("Reset layout", "lay res", [(0, 3), (6, 9)]),
        ("Unpin", "pin", [(2, 5)]),
        ("spin and pin", "pin", [(9, 12)]),
        ("release_checklist", "relchk", [(0, 3), (8, 10), (12, 13)]),
        ("persona", "xyz", []),
        ("persona", "", []),
        ("Straße İ", "s", []),
    ],
)
def test_that_the_letters_that_were_typed_are_marked(
    title: str, words: str, spans: list[tuple[int, int]]
) -> None:
    assert matched(title, words) == spans


def test_that_words_that_are_not_shown_find_an_entry() -> None:
    larger = PaletteEntry("a", "Increase text size", lambda: None, words="font zoom scale")
    assert rank([*ENTRIES, larger], "zoom")[0] is larger
