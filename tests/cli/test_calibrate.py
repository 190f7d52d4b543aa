import json
from pathlib import Path

import pytest

from tests.cli.program import digest, run, said
from tests.exchange.recorded.test_wrappings import EXAMPLES

BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Tell me a joke about tests."}]}
USAGE = {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    source = tmp_path / "call.json"
    source.write_text(json.dumps({"request": BODY, "response": {"usage": USAGE}}), encoding="utf-8")
    target = tmp_path / "call.constellation"
    assert run("import", source, target).returncode == 0
    return target


def test_that_a_report_shows_what_the_recorded_call_was_charged_by_group(recorded: Path) -> None:
    account = said("report", recorded)
    counted = account["total"]["tokens"]
    assert account["charged"] == {
        "charged": 20,
        "difference": 20 - counted,
        "groups": {"input": 12, "cache_read": 8, "cache_write": 0, "tool_use": 0},
    }
    text = run("report", recorded).stdout.decode()
    assert f"charged 20 tokens (input 12, cache read 8): {20 - counted:+} from this count." in text
    assert "charged" not in said("report", recorded, "--model", "gpt-4.1")


@pytest.mark.parametrize(
    ("number", "groups"),
    [
        (1, {"input": 19, "cache_read": 0, "cache_write": 0, "tool_use": 0}),
        (2, {"input": 12, "cache_read": 30, "cache_write": 0, "tool_use": 0}),
        (3, {"input": 5, "cache_read": 0, "cache_write": 0, "tool_use": 0}),
        (4, {"input": 9, "cache_read": 0, "cache_write": 0, "tool_use": 0}),
    ],
)
def test_that_what_a_cassette_was_charged_stands_beside_the_figure(
    tmp_path: Path, number: int, groups: dict[str, int]
) -> None:
    file = tmp_path / "c.constellation"
    assert run("import", EXAMPLES / "cassette.yaml", "--pick", number, "--into", file).returncode == 0
    assert said("report", file)["charged"]["groups"] == groups


def test_that_calibrating_changes_nothing_until_it_is_asked_to_keep(recorded: Path) -> None:
    before = digest(recorded)
    found = said("calibrate", recorded)
    assert (found["kept"], found["models"][0]["model"], found["models"][0]["calls"]) == (0, "gpt-4o", 1)
    assert digest(recorded) == before
    assert "calibration" not in said("report", recorded)


def test_that_kept_ratios_stand_beside_the_figures_and_are_kept_once(recorded: Path) -> None:
    counted = said("report", recorded)["total"]["tokens"]
    assert said("calibrate", recorded, "--apply")["kept"] == 1
    assert said("calibrate", recorded, "--apply")["kept"] == 0
    account = said("report", recorded)
    assert account["total"]["tokens"] == counted
    assert account["calibration"]["runs"] == 1
    assert account["calibration"]["corrected_tokens"] == 20


def test_that_a_file_without_bills_says_what_to_do(sample: Path) -> None:
    assert "Import a request together with its reply." in run("calibrate", sample).stdout.decode()
