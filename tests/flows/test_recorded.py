"""Recorded requests all the way: imported into a file, built again, and the same words go out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import run, said
from tests.exchange.recorded.builders import ANTHROPIC, CHAT, RESPONSES

BODIES = {"anthropic": ANTHROPIC, "openai": CHAT, "openai-responses": RESPONSES}


@pytest.mark.parametrize("form", BODIES)
def test_that_a_recorded_request_goes_out_again_as_it_was(tmp_path: Path, form: str) -> None:
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    source.write_text(json.dumps(BODIES[form]), encoding="utf-8")
    dry = run("import", source, "--into", target, "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr.decode()
    assert not target.exists()
    assert run("import", source, "--into", target).returncode == 0
    done = run("build", target, "--as", form)
    assert done.returncode == 0, done.stderr.decode()
    built: dict[str, Any] = json.loads(done.stdout)
    for key, value in BODIES[form].items():
        assert built[key] == value, key
    assert set(built) <= set(BODIES[form]) | {"store"}
    assert done.stderr == b""


def test_that_a_body_without_a_model_is_counted_as_an_estimate_with_openai_s_vocabulary(
    tmp_path: Path,
) -> None:
    totals = []
    for name, model in (("named", {"model": "gpt-4o"}), ("azure", {})):
        source, target = tmp_path / f"{name}.json", tmp_path / f"{name}.constellation"
        source.write_text(json.dumps({**model, "messages": [{"role": "user", "content": "Tell me a joke"}]}))
        assert run("import", source, "--into", target).returncode == 0
        totals.append(said("report", target)["total"])
    named, azure = totals
    assert azure["tokens"] == named["tokens"]
    assert (named["method"], azure["method"]) == ("exact", "estimate")
    assert azure["tokenizer"] == "o200k_base"


def test_that_nothing_is_made_of_a_request_that_cannot_be_read(tmp_path: Path) -> None:
    source, target = tmp_path / "call.json", tmp_path / "call.constellation"
    source.write_text(
        json.dumps({**CHAT, "messages": [*CHAT["messages"], {"role": "wizard"}]}), encoding="utf-8"
    )
    done = run("import", source, "--into", target)
    assert done.returncode == 1
    assert b"messages[6].role" in done.stderr
    assert not target.exists()
