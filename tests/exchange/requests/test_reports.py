"""Reports to pass on: one page that needs and does nothing, without what looks like a secret."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.domain.exchange import RequestExport, RequestFormat
from inspector.exchange.requests.reports import to_page
from inspector.exchange.requests.request_account import Redactor, RequestAccount
from inspector.exchange.requests.writing import ExportSource, written
from tests.exchange.requests.builders import HOSTILE, request, word

TAGS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "h1",
    "h2",
    "h3",
    "p",
    "pre",
    "table",
    "tr",
    "th",
    "td",
}
TAGS |= {"ul", "li"}
KEY_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
SECRETS = (
    "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY",
    "sk-proj-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1",
    "AKIA" + "Q7ZP3MXK5T2WB8NV",
    "ghp_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1b",
    "xoxb-" + "123456789012-abcdefGHIJKL",
    "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ012345",
)


class Reader(HTMLParser):
    """Reads a page as a browser would take it apart."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.blocks: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag != "meta":
            self._inside.append(tag)
        if tag == "pre":
            self.blocks.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if "pre" in self._inside:
            self.blocks[-1] += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


@settings(max_examples=100, deadline=None)
@given(
    texts=st.lists(
        st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=60)), min_size=1, max_size=3
    ),
    names=st.lists(
        st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1, max_size=20)), min_size=1, max_size=3
    ),
)
def test_that_no_text_becomes_markup(texts: list[str], names: list[str]) -> None:
    page = to_page(RequestAccount(request(texts, names), word), names[0])
    found = read(page)
    assert set(found.tags) <= TAGS
    assert {(tag, name) for tag, name, _ in found.attributes} <= {
        ("html", "lang"),
        ("meta", "charset"),
        ("meta", "http-equiv"),
        ("meta", "content"),
        ("meta", "name"),
        ("td", "class"),
    }
    assert len(found.blocks) == len(texts)
    for block, text in zip(found.blocks, texts, strict=True):
        if text.isprintable():
            assert block == f"\n{text}"
    assert not [sign for sign in page if ord(sign) < 32 and sign not in "\n\t"]
    assert "\u202e" not in page


def test_that_the_page_may_load_and_run_nothing() -> None:
    page = to_page(RequestAccount(request(["text"]), word), "note")
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize("form", [RequestFormat.REPORT, RequestFormat.REPORT_MARKDOWN])
@pytest.mark.parametrize("secret", SECRETS)
def test_that_a_report_holds_no_secret_wherever_it_stood(form: RequestFormat, secret: str) -> None:
    made = request([f"the key is {secret} ok", "plain"], [f"label {secret}", "x"])
    report = written(ExportSource(made, {}, None, word), RequestExport(form))
    assert secret not in report.text
    assert secret[-12:] not in report.text
    assert report.redacted >= 2
    assert "plain" in report.text


@pytest.mark.parametrize("end", ["\n-----END RSA PRIVATE KEY-----", "", "\nand then other words."])
def test_that_a_private_key_goes_whole(end: str) -> None:
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}\n{KEY_BODY}==" + end + "\nafter?"
    redactor = Redactor(())
    cleaned = redactor.clean(text)
    assert KEY_BODY[:12] not in cleaned
    assert KEY_BODY[-12:] not in cleaned
    assert cleaned.startswith("before\n[redacted: private_key]")
    assert "?" in cleaned


@pytest.mark.parametrize("form", [RequestFormat.REPORT, RequestFormat.REPORT_MARKDOWN])
def test_that_a_report_holds_no_secret_where_nothing_says_that_it_is_one(form: RequestFormat) -> None:
    made = request(["DB_PASSWORD=Zx81kQpLm27Tt for the database", "PGPASS: Zx81kQpLm27Tt is it"])
    report = written(ExportSource(made, {}, None, word), RequestExport(form))
    assert "Zx81kQpLm27Tt" not in report.text
    assert "PGPASS: [redacted: assigned_secret] is it" in report.text
    assert report.redacted == 2


def test_that_a_word_that_is_a_password_by_its_place_stays_a_word_elsewhere() -> None:
    text = "The postgres service of the other team: see the theory"
    made = request(["postgres://postgres:postgres@db.internal/x and http://root:the@host.internal/", text])
    report = written(ExportSource(made, {}, None, word), RequestExport(RequestFormat.REPORT_MARKDOWN))
    assert text in report.text
    assert report.redacted == 2


def test_that_text_without_secrets_is_as_it_was() -> None:
    redactor = Redactor(())
    for text in (*HOSTILE, "", "The password is on the note.", "x" * 100_000):
        assert redactor.clean(text) == text
    assert redactor.count == 0


def test_that_other_exports_are_exact() -> None:
    made = request([f"key {SECRETS[0]}"])
    source = ExportSource(made, {"messages": [SECRETS[0]]}, None, word)
    for form in (RequestFormat.TEXT, RequestFormat.MARKDOWN, RequestFormat.JSON):
        assert SECRETS[0] in written(source, RequestExport(form)).text
    assert written(source, RequestExport(RequestFormat.TEXT)).text == made.text
