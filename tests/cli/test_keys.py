"""`keys` stores, lists and forgets without ever printing a key, and `send` finds what it stored."""

from __future__ import annotations

import pytest

from tests.cli.program import Program, run, said
from tests.providers.key_stores import MemoryStore, PlaintextStore, using

KEY = "sk-canary-6vRt0"


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "CONTEXT_INSPECTOR_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_that_a_key_is_stored_listed_and_forgotten_and_never_printed() -> None:
    with using(MemoryStore()):
        done = run("keys", "anthropic", "--set", given=f"{KEY}\n".encode())
        assert done.returncode == 0, done.stderr.decode()
        assert b"https://api.anthropic.com" in done.stderr
        run("keys", "https://llm.example.org/v1", "--set", given=KEY.encode())
        listed = run("keys")
        assert b"Secret Service" in listed.stdout
        assert KEY.encode() not in done.stdout + done.stderr + listed.stdout + listed.stderr
        sources = {each["origin"]: each["source"] for each in said("keys")["keys"]}
        assert sources["https://api.anthropic.com"] == sources["https://llm.example.org"] == "store"
        assert sources["https://api.openai.com"] is None
        assert run("keys", "anthropic", "--forget").returncode == 0
        assert said("keys", "anthropic")["keys"][0]["source"] is None


def test_that_a_weak_store_and_an_empty_key_are_refused() -> None:
    weak = PlaintextStore()
    with using(weak):
        done = run("keys", "anthropic", "--set", given=KEY.encode())
        assert (done.returncode, weak.entries) == (1, {})
        assert b"keyrings.alt.file" in done.stderr
        assert b"empty" in run("keys", "anthropic", "--set", given=b"\n").stderr
    assert b"takes no key" in run("keys", "ollama", "--set", given=KEY.encode()).stderr
    assert run("keys", "--set").returncode == 2


def test_that_send_uses_a_stored_key_and_says_why_there_is_none(program: Program) -> None:
    asked = ("--agent", "Ada", "--provider", "anthropic", "--message", "Hi")
    with using(PlaintextStore()):
        done = program.run("send", *asked)
    assert done.returncode == 1
    assert b"keyrings.alt.file" in done.stderr
    assert b"ANTHROPIC_API_KEY" in done.stderr
