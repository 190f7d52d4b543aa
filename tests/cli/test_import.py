"""The import command on files that hold several recorded requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import run, run_text, said

EXAMPLES = Path(__file__).parents[1] / "exchange" / "recorded" / "examples"
CASSETTE = EXAMPLES / "cassette.yaml"


def test_that_several_requests_are_listed_and_nothing_is_made(tmp_path: Path) -> None:
    target = tmp_path / "made.constellation"
    for more in ((), ("--dry-run",)):
        done = run_text("import", CASSETTE, "--into", target, *more)
        assert done.returncode == 0
        lines = done.stdout.splitlines()
        assert lines[3].split()[:2] == ["2", "Anthropic"]
        assert "What is a beech?" in lines[3]
        assert "42" in lines[3].split()
        assert "--pick" in lines[-2]
        assert lines[-1].startswith("1 other entry of the file")
        assert not target.exists()
    found = said("import", CASSETTE, "--into", target)
    assert [row["row"] for row in found["rows"]] == [1, 2, 3, 4]
    assert found["agents"] == []
    assert not target.exists()


@pytest.mark.parametrize(
    ("picks", "names"),
    [
        (("3",), ["cassette 3"]),
        (("3", "1", "3"), ["cassette 1", "cassette 3"]),
        (("all",), ["cassette 1", "cassette 2", "cassette 3", "cassette 4"]),
    ],
)
def test_that_each_picked_row_becomes_an_agent(
    tmp_path: Path, picks: tuple[str, ...], names: list[str]
) -> None:
    target = tmp_path / "made.constellation"
    options = [word for pick in picks for word in ("--pick", pick)]
    assert run("import", CASSETTE, "--into", target, *options).returncode == 0
    assert [agent["name"] for agent in said("agents", target)["agents"]] == names
    assert all(agent["messages"] == 1 for agent in said("agents", target)["agents"])


def test_that_one_request_needs_no_pick_and_takes_one(tmp_path: Path) -> None:
    for number, more in enumerate(((), ("--pick", "1"), ("--pick", "all"))):
        target = tmp_path / f"{number}.constellation"
        assert run("import", EXAMPLES / "browser.har", "--into", target, *more).returncode == 0
        assert [agent["name"] for agent in said("agents", target)["agents"]] == ["browser"]


@pytest.mark.parametrize(("pick", "code"), [("5", 1), ("0", 2), ("-1", 2), ("x", 2), ("", 2)])
def test_that_a_row_that_is_not_there_makes_nothing(tmp_path: Path, pick: str, code: int) -> None:
    target = tmp_path / "made.constellation"
    done = run("import", CASSETTE, "--into", target, "--pick", pick)
    assert (done.returncode, done.stdout) == (code, b"")
    assert done.stderr
    assert not target.exists()


def test_that_an_unknown_file_is_told_by_its_looks(tmp_path: Path) -> None:
    for name, content, words in (
        ("other.json", b'{"name": "x"}', "a JSON object with the key name"),
        ("picture.json", b"\x89PNG\r\n\x1a\n" + bytes(20), "This is a PNG picture."),
        ("empty.af", b"", "The file is empty."),
        ("broken.yaml", b"a: b: c\n", "The YAML isn't valid"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        done = run_text("import", path)
        assert (done.returncode, done.stdout) == (1, "")
        assert words in done.stderr
        assert list(tmp_path.glob("*.constellation")) == []
