import io
import logging

import pytest

from inspector.ui.app import log_to_standard_error


def test_that_nothing_a_stranger_wrote_speaks_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    handler = log_to_standard_error()
    assert handler is not None
    logger = logging.getLogger("inspector.tests")
    try:
        try:
            raise ValueError("\x1b]52;c;aGk=\x07")
        except ValueError:
            logger.exception("failed: %s", "\x1b[2J\u202egnp\r.exe\x9b1m")
    finally:
        logging.getLogger("inspector").removeHandler(handler)
    said = stream.getvalue()
    assert "ERROR inspector.tests: failed: " in said
    assert "ValueError" in said
    assert not set(said) & {"\x1b", "\x07", "\r", "\x9b", "\u202e"}
    assert said.count("\n") > 3


def test_that_a_program_without_standard_error_logs_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert log_to_standard_error() is None
