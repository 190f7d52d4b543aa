from __future__ import annotations

import unicodedata
from pathlib import PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.exchange.constellation.names import LONGEST, file_name

HOSTILE_LABELS = [
    *(
        "",
        " ",
        ".",
        "..",
        "...",
        "/",
        "//",
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\windows",
        "C:\\x",
        "C:",
    ),
    *(
        "con",
        "CON",
        "Con.txt",
        "prn",
        "aux.json",
        "nul",
        "NUL.",
        "com1",
        "COM9.log",
        "lpt1",
        "conin$",
        "com¹",
    ),
    *(
        "name.",
        "name ",
        " name",
        "-rf",
        "~",
        "~user",
        "a/b",
        "a\\b",
        "a:b",
        "a*b",
        "a?b",
        'a"b',
        "a<b>c",
        "a|b",
    ),
    *("a\x00b", "a\nb", "a\x7fb", "\u202ejson.exe", "a\u200bb", "\ufeffa", "%2f", "+a", "#", "é", "e\u0301"),
    *(
        "Straße",
        "STRASSE",
        "ﬁ",
        "fi",
        "\u0131",
        "I",
        "i",
        "K",
        "k",
        "\u212a",
        "日本語",
        "한국",
        "\u1112\u1161\u11ab",
    ),
    *(
        "x" * 300,
        "X" * 300,
        "語" * 300,
        "." * 300,
        "😀",
        "\ud800",
        "$(reboot)",
        "`id`",
        "a;b",
        "a&b",
        "$HOME",
    ),
]

DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"
}


def as_the_strictest_system_sees_it(name: str) -> str:
    """Names that are one and the same where neither case nor spelling counts."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold().upper())


@pytest.mark.parametrize("label", HOSTILE_LABELS)
def test_that_a_hostile_label_makes_a_name_that_is_safe_everywhere(label: str) -> None:
    name = file_name(label)
    assert name
    assert name not in (".", "..")
    assert not set(name) & set('/\\:*?"<>|~')
    assert all(unicodedata.category(each)[0] != "C" for each in name)
    assert name[-1] not in ". "
    assert name[0] not in ". -"
    assert len(name.encode()) <= LONGEST
    for suffix in ("", ".json", ".updates.jsonl"):
        assert (name + suffix).partition(".")[0].strip().lower() not in DEVICES
        assert PureWindowsPath(name + suffix).name == name + suffix


def test_that_hostile_labels_have_fifty_and_more_different_names_on_the_strictest_system() -> None:
    names = {as_the_strictest_system_sees_it(file_name(label)) for label in HOSTILE_LABELS}
    assert len(names) == len(set(HOSTILE_LABELS)) > 50


@given(st.text(max_size=40), st.text(max_size=40))
def test_that_different_labels_have_different_names_where_case_and_spelling_do_not_count(
    one: str, other: str
) -> None:
    seen = [as_the_strictest_system_sees_it(file_name(each)) for each in (one, other)]
    assert (seen[0] == seen[1]) == (one == other)


@given(st.text(min_size=100, max_size=400), st.text(min_size=1, max_size=3))
def test_that_long_labels_that_begin_alike_have_different_names(label: str, more: str) -> None:
    assert file_name(label) != file_name(label + more)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("human", "human"),
        ("Partner Profile", "+partner +profile"),
        ("/note_directory", "%2fnote_directory"),
        ("system/human/work", "system%2fhuman%2fwork"),
        ("日本語", "日本語"),
        ("Ägypten", "+ägypten"),
        ("", "%"),
    ],
)
def test_that_a_name_can_be_read(label: str, name: str) -> None:
    assert file_name(label) == name


def test_that_no_two_characters_are_written_alike_on_the_strictest_system() -> None:
    written: dict[str, str] = {}
    for code in (*range(0xD800), *range(0xE000, 0x20000)):
        seen = as_the_strictest_system_sees_it(file_name(f"a{chr(code)}a"))
        assert written.setdefault(seen, chr(code)) == chr(code), hex(code)
