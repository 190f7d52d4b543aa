"""What the log hears of a Request's size."""

import logging

import pytest

from inspector.runtime.settings import Settings
from inspector.runtime.wire import log_context_budget
from tests.context.builders import a_block, a_snapshot, a_turn, build

SNAPSHOT = a_snapshot(a_block("persona", "word " * 700), history=(a_turn(1),))


@pytest.mark.parametrize(("window", "level"), [(2_000, logging.INFO), (850, logging.WARNING)])
def test_that_a_request_is_logged_by_how_full_it_is(
    window: int, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    request = build(SNAPSHOT, window=window, reserved=0)
    with caplog.at_level(logging.INFO):
        assert log_context_budget(request, Settings()) == level
    [record] = caplog.records
    assert record.levelno == level
    assert f"{request.tokens} of {window} tokens" in record.getMessage()
    assert "2 messages, 2 system segments" in record.getMessage()


def test_that_the_marks_are_settings(caplog: pytest.LogCaptureFixture) -> None:
    request = build(SNAPSHOT, window=850, reserved=0)
    settings = Settings()
    settings.set("budget.warning_share", 1.0)
    assert log_context_budget(request, settings) == logging.INFO
    settings.set("budget.error_share", 0.5)
    with caplog.at_level(logging.INFO):
        assert log_context_budget(request, settings) == logging.ERROR
