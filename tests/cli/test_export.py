"""The command `export`, and `import` of what it wrote, seen from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import digest, run, said
from tests.flows.export_builders import ENTRUSTED


@pytest.mark.parametrize(
    ("out", "form"), [("whole.json", "json"), ("whole", "folder"), ("whole.af", "letta")]
)
def test_that_the_name_tells_the_format_and_import_knows_it(
    sample: Path, tmp_path: Path, out: str, form: str
) -> None:
    before = digest(sample)
    told = said("export", sample, "--out", tmp_path / out)
    assert (told["format"], told["agents"], told["history"], told["problems"]) == (form, 3, False, [])
    assert digest(sample) == before
    imported = said("import", tmp_path / out, "--into", tmp_path / "again.constellation")
    assert {each["code"] for each in imported["problems"]} <= ENTRUSTED
    assert [each["name"] for each in imported["agents"]] == [
        each["name"] for each in said("agents", sample)["agents"]
    ]
    said("export", sample, "--out", tmp_path / "one.json")
    said("export", tmp_path / "again.constellation", "--out", tmp_path / "two.json")
    assert digest(tmp_path / "one.json") == digest(tmp_path / "two.json")


def test_that_history_comes_on_request(sample: Path, tmp_path: Path) -> None:
    said("export", sample, "--out", tmp_path / "short.json")
    told = said("export", sample, "--out", tmp_path / "long.json", "--history")
    assert told["history"]
    assert "updates" not in json.loads((tmp_path / "short.json").read_bytes())
    assert json.loads((tmp_path / "long.json").read_bytes())["updates"]


def test_that_an_export_is_not_replaced_without_force(sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    out.write_text('{"mine": 1}')
    done = run("export", sample, "--out", out)
    assert done.returncode == 1
    assert done.stdout == b""
    assert b"Traceback" not in done.stderr
    assert out.read_text() == '{"mine": 1}'
    assert run("export", sample, "--out", out, "--force").returncode == 0
    assert out.read_text() != '{"mine": 1}'


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (["--out", "x.af", "--history"], 2),
        (["--out", "x.json", "--format", "yaml"], 2),
        ([], 2),
        (["--out", "x.json", "--agent", "Nobody"], 1),
        (["--out", "missing/folder/x.json"], 1),
    ],
)
def test_that_what_cannot_be_done_says_so_by_its_exit_code(
    sample: Path, tmp_path: Path, more: list[str], code: int
) -> None:
    placed = [str(tmp_path / each) if "." in each and "-" not in each else each for each in more]
    done = run("export", sample, *placed, "--json")
    assert done.returncode == code
    assert done.stdout == b""
    assert done.stderr
    assert list(tmp_path.iterdir()) == []


def test_that_one_agent_can_be_chosen(sample: Path, tmp_path: Path) -> None:
    told = said("export", sample, "--out", tmp_path / "ada.json", "--agent", "Ada")
    assert told["agents"] == 1
    assert {each["code"] for each in told["problems"]} == {"export.block_becomes_own"}
    assert [each["name"] for each in json.loads((tmp_path / "ada.json").read_bytes())["agents"]] == ["Ada"]


def test_that_a_preview_of_a_folder_writes_nothing(sample: Path, tmp_path: Path) -> None:
    said("export", sample, "--out", tmp_path / "whole")
    before = sorted(tmp_path.iterdir())
    done = run("import", tmp_path / "whole", "--dry-run")
    assert done.returncode == 0
    assert sorted(tmp_path.iterdir()) == before


def test_that_people_are_told_in_words(sample: Path, tmp_path: Path) -> None:
    done = run("export", sample, "--out", tmp_path / "whole.json")
    assert done.stdout.startswith(b"Exported 3 agents to ")


def test_that_an_import_into_an_existing_file_says_before_and_after_what_stays_behind(
    mine: Path, tmp_path: Path
) -> None:
    out = tmp_path / "whole.json"
    said("export", mine, "--out", out, "--history")
    before = digest(mine)
    preview = said("import", out, "--into", mine, "--dry-run")
    assert digest(mine) == before
    done = said("import", out, "--into", mine)
    for told in (preview, done):
        assert "import.contents_only" in {each["code"] for each in told["problems"]}
    assert len(said("agents", mine)["agents"]) == 6
    new = said("import", out, "--into", tmp_path / "new.constellation")
    assert "import.contents_only" not in {each["code"] for each in new["problems"]}
