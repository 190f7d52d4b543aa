"""The command that removes versions, seen from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Program, run, said

CANARY = "canary-9f3kQ7zLx2VwT8"
ADD = f'{{"op": "insert_item", "id": "itm_bad", "value": {{"title": "{CANARY}"}}}}'
REMOVE = '{"op": "remove_item", "item": "itm_bad"}'


def test_that_redact_tells_first_and_removes_with_yes(program: Program) -> None:
    rows = program.said("blocks", "--agent", "Ada")["blocks"]
    texts = [row["id"] for row in rows if row["schema"] == "text" and row["owner_name"] == "Ada"]
    named = ("--block", texts[0])
    program.said("edit", *named, "--append", f"password = {CANARY}")
    bad = program.said("history", *named)["versions"][-1]["version"]
    refused = program.run("redact", *named, "--seq", bad, "--yes")
    assert refused.returncode == 3
    program.said("undo", *named)

    plan = program.said("redact", *named, "--seq", bad)
    assert plan["versions"] == [bad]
    assert plan["secrets"] == ["cana… (21)"]
    assert not plan["redacted"]
    assert CANARY.encode() in program.file.read_bytes()
    done = program.said("redact", *named, "--seq", bad, "--reason", "a key", "--yes")
    assert done["redacted"]
    assert done["clean"]
    assert CANARY.encode() not in program.file.read_bytes()
    versions = program.said("history", *named)["versions"]
    assert [each["version"] for each in versions if each["redacted"]] == [bad]
    assert program.said("check")["ok"]
    assert program.run("restore", *named, "--version", bad).returncode == 3
    again = program.run("redact", *named, "--seq", bad, "--yes")
    assert again.returncode == 3


@pytest.mark.slow
def test_that_exports_and_salvage_have_the_marks_and_not_the_text(program: Program, tmp_path: Path) -> None:
    named = ("--agent", "Ada", "--block", "release_checklist")
    program.said("edit", *named, "--operation", ADD)
    program.said("edit", *named, "--operation", REMOVE)
    bad = len(program.said("history", *named)["versions"]) - 1
    assert program.said("redact", *named, "--seq", bad, "--yes")["clean"]
    folder, copy, saved = tmp_path / "out", tmp_path / "copy.constellation", tmp_path / "saved.constellation"
    program.said("export", "--out", folder, "--history")
    assert run("import", folder, "--into", copy).returncode == 0
    assert run("salvage", program.file, "--out", saved).returncode == 0
    exported = [each for each in folder.rglob("*") if each.is_file()]
    assert exported
    for path in (program.file, copy, saved, *exported):
        assert CANARY.encode() not in path.read_bytes(), path.name
    for path in (copy, saved):
        assert said("check", path)["ok"]
        versions = said("history", path, *named)["versions"]
        assert [each["version"] for each in versions if each["redacted"]] == [bad]
        assert [run("diff", path, *named, "--from", seq).returncode for seq in (2, bad, bad + 1)] == [0, 3, 0]
