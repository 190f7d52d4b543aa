import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.domain.losses import decisions_in, losses_of, names, numbers, paths, sentences
from inspector.domain.messages import BatchType, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart
from inspector.domain.summaries import Summary, SummaryDetails
from inspector.domain.summarising import SummarySource

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def a_source(*parts: Part | str) -> SummarySource:
    """A source of one message a part."""
    messages = tuple(
        Message(
            f"msg_{at}",
            "ada",
            at,
            "b",
            at,
            Role.USER if isinstance(part, str) else Role.TOOL,
            (TextPart(part) if isinstance(part, str) else part,),
            BatchType.USER_REQUEST,
            NOON,
        )
        for at, part in enumerate(parts)
    )
    return SummarySource("ada", 0, messages)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "It took 688 s, 9 % of 1,204,118 and $4.50 for #4127.",
            ("688", "9 %", "1,204,118", "$4.50", "#4127"),
        ),
        ("In 3h or 900ms.", ("3h", "900ms")),
        ("v4.2 and HB-2291 and /a/7/b are names and paths", ()),
        ("at 12:30", ("12:30",)),
    ],
)
def test_that_numbers_are_found_with_signs_and_units(text: str, found: tuple[str, ...]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See /etc/hosts, ~/notes/a.md and ./run.", ("/etc/hosts", "~/notes/a.md", "./run")),
        ("It is at https://example.org/t/1179.", ("https://example.org/t/1179",)),
        (r"On C:\Users\ada\x.txt it is.", (r"C:\Users\ada\x.txt",)),
        ("docs/guide/selective.md moved", ("docs/guide/selective.md",)),
        ("no path here", ()),
    ],
)
def test_that_paths_and_addresses_are_found(text: str, found: tuple[str, ...]) -> None:
    assert paths(text) == found


def test_that_names_are_found_by_their_form() -> None:
    text = "Ask Sam about read_log, nSteps, HB-2291, v4.2.0-rc.3, 9c04e6d and `the tray`. Then rest. I'm not I'll."
    assert names(text) == ("Sam", "read_log", "nSteps", "HB-2291", "v4.2.0-rc.3", "9c04e6d", "the tray")


def test_that_decisions_are_found_and_questions_are_none() -> None:
    text = "We decided to wait. Shall we go with rc.3? Nothing more.\n- Agreed: no retry."
    assert decisions_in(text) == ("We decided to wait.", "Agreed: no retry.")


def test_that_what_a_summary_does_not_say_is_listed_in_the_order_of_what_was_said() -> None:
    source = a_source(
        "We decided to ship on arm64-03 at 688 s. Ask Sam, see /etc/hosts.",
        ToolResultPart("c", "disk_free 12 % on sign-01"),
        "From now on nobody retries a red run without reading its log first.",
    )
    nothing = losses_of(source, "Tea.")
    assert nothing.numbers == ("688", "12 %")
    assert nothing.paths == ("/etc/hosts",)
    assert nothing.names == ("arm64-03", "Sam", "disk_free", "sign-01")
    assert nothing.decisions == (
        "We decided to ship on arm64-03 at 688 s.",
        "From now on nobody retries a red run without reading its log first.",
    )
    told = (
        "Decided: ship on ARM64-03 (#688), with sam and sign-01; disk_free was 12 %, see /etc/hosts. "
        "Nobody retries a red run without reading its log."
    )
    assert losses_of(source, told).count == 0


def test_that_the_decisions_of_children_must_not_get_lost_either() -> None:
    child = Summary(
        "s",
        "ada",
        "Quiet.",
        (),
        NOON,
        NOON,
        4,
        0,
        None,
        None,
        (),
        SummaryDetails(decisions=("Three greens in a row",)),
        NOON,
    )
    source = SummarySource("ada", 1, (), (child,))
    assert losses_of(source, "Quiet.").decisions == ("Three greens in a row",)
    assert losses_of(source, "Quiet. three greens in a row").decisions == ()


@given(st.text(max_size=300))
def test_that_any_text_can_be_looked_through(text: str) -> None:
    losses_of(a_source(text or "x"), text[::2])
    assert all("\n" not in each for each in sentences(text))


@pytest.mark.parametrize("unit", ["a.", "1,", "a_", "a/", "A", "9", "[", "a-1", "~/", "x@y "])
def test_that_no_long_text_takes_long(unit: str) -> None:
    # A search that went wrong here would not end within the time that a test has.
    text = unit * 100_000 + "!"
    assert losses_of(a_source(text), "").count >= 0


def test_that_an_escape_of_json_is_no_name_and_what_stands_in_json_can_be_lost() -> None:
    asked = ToolCallPart("c", "look", json.dumps({"query": "Ros\u00e9\nTulips of Anna Berg", "most": 120}))
    source = a_source(asked, ToolResultPart("c", '{"path": "/var/beds", "ok": "\\u00c9tude"}'))
    lost = losses_of(source, "Nothing.")
    assert "120" in lost.numbers
    assert "/var/beds" in lost.paths
    assert not [name for name in lost.names if "u00" in name.casefold()]
    assert not losses_of(source, "Ros\u00e9 Tulips of Anna Berg, \u00c9tude 120 /var/beds").count
