"""`send` streams a reply and leaves the file alone, keeps it only when asked to, and says what a failure needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import Program, start


def test_that_a_reply_streams_to_the_output_and_the_file_stays_as_it_was(program: Program) -> None:
    before = program.digest()
    done = program.run("send", "--agent", "Ada", "--provider", "offline", "--message", "/say Hi there")
    assert (done.returncode, done.stdout) == (0, b"Hi there\n")
    assert b"tokens in" in done.stderr
    assert program.digest() == before


def test_that_json_has_reply_usage_and_times(program: Program) -> None:
    asked = ("--agent", "Ada", "--provider", "offline", "--model", "claude-opus-5-5")
    said = program.said("send", *asked, "--message", '/say Hi\n/tool search {"q": 1}')
    assert (said["reply"], said["stop"], said["model"]) == ("Hi", "tool_calls", "claude-opus-5-5")
    assert said["parts"][1]["name"] == "search"
    assert said["usage"]["input_tokens"] == said["predicted"]["tokens"] > 0
    assert said["duration_ms"] >= 0
    assert said["run"] is None


def test_that_a_kept_reply_is_in_the_conversation(program: Program) -> None:
    asked = ("--agent", "Ada", "--provider", "offline", "--keep")
    assert program.said("send", *asked, "--message", "/say I remember.")["run"]
    assert "I remember." in program.told("build", "--agent", "Ada")


@pytest.mark.parametrize(
    ("provider", "message", "words"),
    [
        ("offline", "/error 401 No such key", ["The key was refused (401)", "No such key", "Check the key"]),
        ("offline", "/error 429 try again in 3s", ["Too many requests", "in 3 seconds"]),
        ("http://127.0.0.1:9", "Hi", ["No connection", "127.0.0.1"]),
        ("nobody", "Hi", ["nobody isn't a provider", "offline"]),
        ("https://169.254.169.254", "Hi", ["Nothing is sent to"]),
        ("http://example.com", "Hi", ["unencrypted"]),
    ],
)
def test_that_a_failed_call_says_what_it_was_and_what_to_do(
    program: Program, provider: str, message: str, words: list[str]
) -> None:
    before = program.digest()
    asked = ("--agent", "Ada", "--provider", provider, "--message", message, "--keep", "--json")
    done = program.run("send", *asked)
    assert (done.returncode, done.stdout) == (1, b"")
    assert [each for each in words if each not in done.stderr.decode()] == []
    assert program.digest() == before


def test_that_nothing_is_sent_to_a_provider_without_its_key(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    done = program.run("send", "--agent", "Ada", "--provider", "anthropic", "--message", "Hi")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().endswith(
        "No key: set ANTHROPIC_API_KEY to the provider's key, or store one in the key store. Nothing was sent.\n"
    )


def test_that_a_command_sends_nothing_while_the_settings_say_work_offline(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "context-inspector"
    folder.mkdir()
    (folder / "settings.json").write_text(json.dumps({"network.offline": True}))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    before = program.digest()
    asked = ("--agent", "Ada", "--message", "/say Hi", "--keep")
    done = program.run("send", *asked, "--provider", "https://nowhere.invalid")
    assert (done.returncode, done.stdout) == (1, b"")
    assert "Work offline is on, so nothing was sent." in done.stderr.decode()
    assert program.digest() == before
    assert program.run("send", *asked, "--provider", "offline").stdout == b"Hi\n"


def test_that_what_looks_like_a_secret_is_pointed_out_before_it_goes(program: Program) -> None:
    secret = "sk-ant-api03-" + "Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0LzXcVbNmQwErTyUiOpAsDfGhJkLzXcVbNm" + "-AA"
    done = program.run("send", "--agent", "Ada", "--provider", "offline", "--message", f"/say Hi\n{secret}")
    assert done.returncode == 0
    assert "looks like a secret" in done.stderr.decode()
    assert secret not in done.stderr.decode()


def test_that_send_runs_as_a_process_without_the_window(program: Program) -> None:
    asked = ("--agent", "Ada", "--provider", "offline", "--message", "/say Hi", "--json")
    done = start("send", program.file, *asked)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["reply"] == "Hi"
