"""Commands that send a request, run by a real shell against this machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inspector.domain.errors import InputError
from inspector.domain.messages import Role, TextPart
from inspector.domain.wire.values import WireForm, WireRequest
from inspector.exchange.requests.commands import body_text, to_curl, to_powershell
from inspector.runtime.wire import ADAPTERS
from tests.providers.builders import message, outgoing, user

KEY = "sk-canary-0123456789abcdef"
VARIABLES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
NASTY = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="'\"\\`$()@{};|&<>!#~*?[]\n\r\t %^=ab", max_size=60),
    st.sampled_from(
        (
            "$(touch MARKER)",
            "`touch MARKER`",
            "'; touch MARKER; '",
            "'\"'\"'; touch MARKER #",
            "\n'@\ntouch MARKER\n@'\n",
            "@/etc/passwd",
            "$ANTHROPIC_API_KEY ${OPENAI_API_KEY}",
            "%s%n\\n\\0",
            "EOF\ntouch MARKER\n",
        )
    ),
)

WORDS = st.lists(NASTY, min_size=4, max_size=6)
FORMS = st.sampled_from(list(WireForm))


class Listener:
    """Takes what is posted to this machine."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, dict[str, str], bytes]] = []
        taken = self.taken

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                taken.append((self.path, headers, body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *given: object) -> None:  # noqa: A002  the library's name
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.base = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    if shutil.which("curl") is None or shutil.which("sh") is None:
        pytest.skip("there is no shell or no curl here")
    made = Listener()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shell")


def sent(listener: Listener, folder: Path, command: str) -> tuple[str, dict[str, str], bytes]:
    """What arrives when a real shell runs the command in an empty folder."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **dict.fromkeys(VARIABLES, KEY)}
    listener.taken.clear()
    done = subprocess.run(
        ["sh"],
        input=command.encode(),
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == b""
    assert list(folder.iterdir()) == [], "something else was run"
    (taken,) = listener.taken
    return taken


def made_of(form: WireForm, words: list[str]) -> WireRequest:
    """A request of these words: its model, system, names, texts and parameters."""
    model, system, name, *texts = words
    said = [user(1, *texts, name=name), message(2, Role.ASSISTANT, TextPart(system or "x"))]
    return ADAPTERS[form](outgoing(model or "m", *said, system=system, parameters={"stop": [name or "x"]}))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=WORDS, form=FORMS)
def test_that_the_body_arrives_byte_for_byte_and_nothing_else_is_run(
    listener: Listener, folder: Path, words: list[str], form: WireForm
) -> None:
    check_arrival(listener, folder, words, form)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=WORDS, form=FORMS)
def test_that_a_hundred_and_fifty_bodies_arrive_byte_for_byte(
    listener: Listener, folder: Path, words: list[str], form: WireForm
) -> None:
    check_arrival(listener, folder, words, form)


def check_arrival(listener: Listener, folder: Path, words: list[str], form: WireForm) -> None:
    """The body is what was to be sent, to the byte, and so is the key."""
    wire = made_of(form, words)
    path, headers, body = sent(listener, folder, to_curl(wire, listener.base))
    assert body == body_text(wire).encode()
    assert json.loads(body) == wire.body
    assert path == wire.address.path
    assert headers["content-type"] == "application/json"
    if wire.address.key_header:
        assert headers[wire.address.key_header.lower()] == wire.address.key_prefix + KEY


def test_that_a_body_longer_than_any_argument_arrives(listener: Listener, folder: Path) -> None:
    wire = made_of(WireForm.ANTHROPIC, ["m", "s", "n", "it's long " * 100_000])
    _, _, body = sent(listener, folder, to_curl(wire, listener.base))
    assert len(body) > 900_000
    assert body == body_text(wire).encode()


@pytest.mark.parametrize("form", list(WireForm))
def test_that_the_key_is_only_named(form: WireForm) -> None:
    wire = made_of(form, ["m", "s", "n", "t"])
    variable = wire.address.key_variable
    for command, sign in ((to_curl(wire), f"${{{variable}:?}}"), (to_powershell(wire), f"$env:{variable}")):
        assert not variable or command.count(sign) == 1
        assert "key=" not in command
        assert wire.address.url in command


def test_that_the_command_stops_where_the_key_is_not_set(tmp_path: Path) -> None:
    command = to_curl(made_of(WireForm.ANTHROPIC, ["m", "s", "n", "t"]), "http://127.0.0.1:9")
    done = subprocess.run(
        ["sh"],
        input=command.encode(),
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert b"ANTHROPIC_API_KEY" in done.stderr


@given(words=st.lists(NASTY, min_size=4, max_size=6))
def test_that_no_line_of_a_body_ends_a_powershell_text(words: list[str]) -> None:
    text = to_powershell(made_of(WireForm.OPENAI, words))
    begin, body, end, *rest = text.split("\n")
    assert (begin, end) == ("$body = @'", "'@")
    assert body.isascii()
    assert body.isprintable()
    assert body.startswith("{")
    assert json.loads(body)
    assert len(rest) == 3


@pytest.mark.parametrize(
    "base",
    [
        "ftp://example.org",
        "example.org",
        "http://",
        "https://user:word@example.org",
        "https://example.org/?key=1",
        "https://example.org/#x",
        "https://example.org/\nHost: x",
        "https://exa mple.org",
        "file:///etc/passwd",
        "https://[::1",
        "https://example.org:99999",
        "",
    ],
)
def test_that_what_is_no_address_is_refused(base: str) -> None:
    wire = made_of(WireForm.OPENAI, ["m", "s", "n", "t"])
    with pytest.raises(InputError):
        to_curl(wire, base)
    with pytest.raises(InputError):
        to_powershell(wire, base)


@pytest.mark.parametrize("base", ["http://example.org", "HTTP://8.8.8.8/v1", "http://127.0.0.1.example.org"])
def test_that_a_key_is_never_sent_unencrypted_over_the_internet(base: str) -> None:
    keyed, free = (made_of(form, ["m", "s", "n", "t"]) for form in (WireForm.OPENAI, WireForm.OLLAMA))
    for command in (to_curl, to_powershell):
        with pytest.raises(InputError) as refused:
            command(keyed, base)
        assert refused.value.code == "input.key_unencrypted"
        assert base in command(free, base)
        for near in ("http://localhost:8000", "http://192.168.1.5", "http://[::1]:80", "https://example.org"):
            assert near in command(keyed, near)
