"""The command on layouts, and choosing layout and strategy on the command line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import run_text as run


@pytest.fixture(scope="module")
def sample(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample that gets layouts of its own."""
    return Path(shutil.copy(sample, tmp_path_factory.mktemp("layouts") / "s.constellation"))


def shown(sample: Path, name: str) -> dict[str, Any]:
    result = run("layouts", sample, "--show", name)
    assert result.returncode == 0
    plain: dict[str, Any] = json.loads(result.stdout)
    return plain


def test_that_a_shipped_layout_can_be_taken_changed_kept_and_built_with(sample: Path) -> None:
    layout = {**shown(sample, "minimal"), "name": "mine"}
    layout["sections"][0]["heading"] = "Who I am"
    result = run("layouts", sample, "--put", "-", given=json.dumps(layout))
    assert (result.returncode, result.stdout) == (0, "Saved the layout mine.\n")
    assert shown(sample, "mine") == layout
    built = run("build", sample, "--agent", "Ada", "--layout", "mine")
    assert "=== system ===\nWho I am\n\n" in built.stdout
    listed = json.loads(run("layouts", sample, "--json").stdout)["layouts"]
    assert [(each["name"], each["own"]) for each in listed] == [
        ("mine", True),
        ("cache_friendly", False),
        ("minimal", False),
        ("standard", False),
        ("xml", False),
    ]
    deleted = run("layouts", sample, "--delete", "mine")
    assert (deleted.returncode, deleted.stdout) == (0, "Deleted the layout mine. You can restore it.\n")
    gone = run("build", sample, "--agent", "Ada", "--layout", "mine")
    assert (gone.returncode, gone.stdout) == (1, "")
    restored = run("layouts", sample, "--restore", "mine")
    assert (restored.returncode, restored.stdout) == (0, "Restored the layout mine.\n")
    again = run("layouts", sample, "--restore", "mine")
    assert (again.returncode, again.stdout) == (0, "The layout mine is already like that.\n")
    assert run("build", sample, "--agent", "Ada", "--layout", "mine").returncode == 0


def test_that_a_layout_under_a_shipped_one_s_name_is_said_to_go_before_it(sample: Path) -> None:
    layout = {"name": "minimal", "sections": [{"name": "persona"}]}
    kept = run("layouts", sample, "--put", "-", given=json.dumps(layout))
    assert kept.returncode == 0
    assert "replaces the built-in one" in kept.stdout
    assert run("layouts", sample, "--delete", "minimal").returncode == 0


def test_that_a_layout_needs_no_more_than_a_name_and_sections(sample: Path) -> None:
    least = {"name": "least", "sections": [{"name": "persona"}, {"name": "core"}]}
    assert run("layouts", sample, "--put", "-", given=json.dumps(least)).returncode == 0
    assert run("build", sample, "--agent", "Ada", "--layout", "least").returncode == 0
    kept = shown(sample, "least")
    assert (kept["description"], kept["join"], kept["wrapper"]) == ("", "\n\n", "element")
    assert run("layouts", sample, "--delete", "least").returncode == 0
    empty = run("layouts", sample, "--put", "-", given='{"name": "least"}')
    assert (empty.returncode, empty.stdout) == (1, "")
    assert "sections" in empty.stderr


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"wrapper": "paper"}, "$.wrapper"),
        ({"colour": "red"}, "colour"),
        ({"sections": [{"name": "core", "heading": " x"}]}, "bad: core"),
        ({"sections": []}, "bad: sections"),
        ({"sections": [{"name": "core", "minimum": "many"}]}, "$.sections[0].minimum"),
        ({"strategy": "guess"}, "bad: strategy"),
    ],
)
def test_that_a_layout_that_cannot_be_used_is_refused_with_its_place(
    sample: Path, change: dict[str, Any], told: str
) -> None:
    layout = {**shown(sample, "standard"), "name": "bad", **change}
    before = sample.read_bytes()
    result = run("layouts", sample, "--put", "-", given=json.dumps(layout))
    assert (result.returncode, result.stdout) == (1, "")
    assert told in result.stderr
    assert sample.read_bytes() == before


def test_that_what_is_asked_twice_or_unknown_is_wrong_usage(sample: Path) -> None:
    assert run("layouts", sample, "--show", "a", "--delete", "b").returncode == 2
    assert run("layouts", sample, "--show", "nope").returncode == 1
    assert run("build", sample, "--agent", "Ada", "--strategy", "guess").returncode == 2
    assert run("build", sample, "--agent", "Ada", "--strategy", '{"kind": "window"').returncode == 2


def test_that_a_strategy_can_be_chosen_by_name_or_with_its_settings(sample: Path) -> None:
    def messages(strategy: str) -> int:
        result = run("build", sample, "--agent", "Ada", "--as", "json", "--strategy", strategy)
        assert result.returncode == 0
        return len(json.loads(result.stdout)["messages"])

    few, more = messages("window"), messages('{"kind": "window", "verbatim_count": 30}')
    assert 0 < few <= 8 < more <= 30


def test_that_the_part_of_the_window_that_no_section_can_use_is_told(sample: Path) -> None:
    result = run("report", sample, "--agent", "Ada", "--model", "gpt-4.1")
    assert "tokens are unreachable: section limits" in result.stdout


def test_that_the_tail_is_a_message_of_its_own_in_neutral_json(sample: Path) -> None:
    result = run("build", sample, "--agent", "Ada", "--as", "json", "--layout", "cache_friendly")
    plain = json.loads(result.stdout)
    assert "shared" not in {segment["section"] for segment in plain["system"]}
    last = plain["messages"][-1]
    assert last["role"] == "user"
    assert last["content"][0]["text"].startswith("# Shared Context\n\n<")


def test_that_the_room_kept_free_for_estimates_is_told(sample: Path) -> None:
    told = run("report", sample, "--agent", "Ada", "--model", "claude-sonnet-4-5").stdout
    [line] = [each for each in told.splitlines() if "Safety margin" in each]
    assert re.match(r"Safety margin: [\d,]+ tokens", line)
    assert "Safety margin" not in run("report", sample, "--agent", "Ada", "--model", "gpt-4o").stdout
    built = run("build", sample, "--agent", "Ada", "--model", "claude-sonnet-4-5", "--as", "json")
    assert json.loads(built.stdout)["manifest"]["margin_tokens"] > 0


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("", "isn't valid JSON"),
        ("[" * 50_000, "nested too deeply"),
        ('{"name": "a", "name": "b"}', "appears twice"),
        (
            '{"name": "a", "sections": [{"name": "core", "share": NaN}]}',
            "NaN can't be stored",
        ),
        ('{"name": "a", "sections": [{"name": "core", "share": "a"}]}', "(at $.sections[0].share"),
        ('{"name": "a\\nb", "sections": [{"name": "core"}]}', "at a b: name)"),
        (
            '{"name": "\\ud800", "sections": [{"name": "core"}]}',
            "half a character",
        ),
        ('{"name": "a", "sections": [{"name": "memory"}]}', "a section of your own needs a text"),
        (
            '{"name": "a", "sections": [{"name": "core", "minimum": 9, "maximum": 1}]}',
            "larger than its maximum",
        ),
        ('{"name": "a", "sections": [{"name": "core", "element": "</core>"}]}', "can't be an element"),
    ],
)
def test_that_a_file_that_is_no_layout_is_refused_with_what_is_wrong_and_where(
    sample: Path, raw: str, told: str
) -> None:
    before = sample.read_bytes()
    usual = ', "description": "", "join": "\\n\\n", "wrapper": "element"}'
    given = raw[:-1] + usual if raw.endswith("]}") else raw
    result = run("layouts", sample, "--put", "-", given=given)
    assert (result.returncode, result.stdout) == (1, "")
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert sample.read_bytes() == before


@pytest.mark.parametrize("name", ["../../x", "a/b\\c", "</core>", "'; DROP TABLE layouts; --", "."])
def test_that_a_layout_of_any_name_is_kept_built_with_and_exported_inside_the_folder(
    sample: Path, tmp_path: Path, name: str
) -> None:
    layout = {**shown(sample, "minimal"), "name": name}
    assert run("layouts", sample, "--put", "-", given=json.dumps(layout)).returncode == 0
    assert shown(sample, name) == layout
    assert run("build", sample, "--agent", "Ada", "--layout", name).returncode == 0
    assert run("export", sample, "--out", str(tmp_path / "folder")).returncode == 0
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]
    assert len(list((tmp_path / "folder" / "layouts").iterdir())) >= 1
    assert run("layouts", sample, "--delete", name).returncode == 0
