"""One Request written for people and other programs, from the command line on a real file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.program import digest, run

NOW = ("--agent", "Ada", "--now", "2026-11-20T12:00:00Z")


def test_that_every_format_is_written_and_the_file_is_left_as_it_was(sample: Path, tmp_path: Path) -> None:
    before = digest(sample)
    text = run("build", sample, *NOW).stdout
    for end in ("txt", "md", "json", "csv", "sh", "ps1", "html"):
        out = tmp_path / f"request.{end}"
        done = run("export-request", sample, *NOW, "--out", out)
        assert done.returncode == 0, (end, done.stderr.decode())
        assert out.stat().st_size > 1_000
    assert (tmp_path / "request.txt").read_bytes() == text
    neutral = run("build", sample, *NOW, "--as", "json").stdout
    assert json.loads((tmp_path / "request.json").read_bytes()) == json.loads(neutral)
    assert digest(sample) == before
    assert sorted(sample.parent.iterdir()) == [sample]


def test_that_a_provider_s_json_is_what_build_gives(sample: Path) -> None:
    for form in ("anthropic", "gemini"):
        built = run("build", sample, *NOW, "--as", form)
        exported = run("export-request", sample, *NOW, "--format", "json", "--as", form)
        assert json.loads(exported.stdout) == json.loads(built.stdout)
        assert exported.stderr == built.stderr
        assert exported.stderr


def test_that_adaptations_stand_in_the_report(sample: Path) -> None:
    plain = json.loads(run("report", sample, *NOW, "--json").stdout)
    adapted = json.loads(run("report", sample, *NOW, "--json", "--as", "gemini").stdout)
    codes = {problem["code"] for problem in adapted["adaptations"]}
    assert "wire.other_provider" in codes
    assert {**adapted, "adaptations": []} == {**plain, "adaptations": []}


def test_that_a_file_is_replaced_only_by_force_and_a_constellation_never(
    sample: Path, tmp_path: Path
) -> None:
    out = tmp_path / "request.md"
    out.write_text("mine", encoding="utf-8")
    assert run("export-request", sample, *NOW, "--out", out).returncode == 1
    assert out.read_text(encoding="utf-8") == "mine"
    assert run("export-request", sample, *NOW, "--out", out, "--force").returncode == 0
    assert out.read_text(encoding="utf-8").startswith("# Request of Ada")
    before = sample.read_bytes()
    assert run("export-request", sample, *NOW, "--out", sample, "--force").returncode == 1
    assert sample.read_bytes() == before


def test_that_wrong_usage_and_wrong_input_are_told_apart(sample: Path) -> None:
    assert run("export-request", sample, *NOW, "--url", "http://x").returncode == 2
    assert run("export-request", sample, *NOW, "--format", "curl", "--url", "nowhere").returncode == 1
    unknown = run("export-request", sample, *NOW, "--format", "curl", "--model", "unheard-of")
    assert unknown.returncode == 1
    assert b"--as" in unknown.stderr


def test_that_cached_prefixes_are_marked_on_request(sample: Path) -> None:
    marked = run("build", sample, *NOW, "--model", "claude-opus-4-8", "--as", "anthropic", "--cache-marks")
    assert 1 <= marked.stdout.count(b'"cache_control"') <= 4
    assert b"cache_end_lost" not in marked.stderr
    plain = run("build", sample, *NOW, "--model", "claude-opus-4-8", "--as", "anthropic")
    assert b'"cache_control"' not in plain.stdout
