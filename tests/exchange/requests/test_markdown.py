"""Markdown that holds anything and becomes nothing else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from inspector.exchange.requests.reports import fenced, inline, to_markdown
from inspector.exchange.requests.request_account import RequestAccount
from tests.exchange.requests.builders import HOSTILE, request, word

READER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
ALLOWED = {
    "heading_open",
    "heading_close",
    "inline",
    "bullet_list_open",
    "bullet_list_close",
    "list_item_open",
}
ALLOWED |= {"list_item_close", "paragraph_open", "paragraph_close", "fence"}
ALLOWED |= {
    f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")
}
PLAIN = {"text", "strong_open", "strong_close", "text_special"}
TEXTS = st.one_of(
    st.text(min_size=1, max_size=80),
    st.text(alphabet="`~ \n\t<>#-=|&[]()!*_\\a1.", min_size=1, max_size=60),
    st.sampled_from(HOSTILE),
)


def as_read(text: str) -> str:
    """What the format's own rules make of a text: line ends become newlines, NUL its replacement."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")


def parsed(text: str) -> list[Token]:
    return READER.parse(text)


@settings(max_examples=250, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), names=st.lists(TEXTS, min_size=1, max_size=3))
def test_that_every_text_comes_out_of_its_fence_and_nothing_else_does(
    texts: list[str], names: list[str]
) -> None:
    tokens = parsed(to_markdown(RequestAccount(request(texts, names), word)))
    fences = [token.content for token in tokens if token.type == "fence"]
    assert fences == [
        as_read(text) if as_read(text).endswith("\n") else as_read(text) + "\n" for text in texts
    ]
    assert {token.type for token in tokens} <= ALLOWED
    for token in tokens:
        for inner in token.children or ():
            assert inner.type in PLAIN, (inner.type, inner.content)
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    assert headings == ["h1", "h2", *(["h3"] * len(texts)), "h2", "h2"]
    lists = sum(token.type == "bullet_list_open" for token in tokens)
    assert lists == 2
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == 2


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_that_a_name_reads_as_it_is(text: str) -> None:
    tokens = parsed(f"- x {inline(text)}")
    shown = "".join(
        inner.content
        for token in tokens
        for inner in token.children or ()
        if inner.type in ("text", "text_special")
    )
    assert shown.split() == f"x {as_read(text)}".replace("\x00", " ").split() or any(
        ord(c) < 32 or 127 <= ord(c) < 160 for c in text
    )


def test_that_a_fence_is_longer_than_any_run_within() -> None:
    assert fenced("a").splitlines()[0] == "```text"
    assert fenced("x ````` y").splitlines()[0] == "``````text"
