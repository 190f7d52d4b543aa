"""The log is kept without secrets and within bounds, and can be filtered, followed and copied."""

import asyncio
import logging
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from inspector.ui.program_log.dialog import LogDialog
from inspector.ui.program_log.keeper import LOG, MOST_LINES, LogKeeper, keep_log
from tests.ui.conftest import Studio, Until
from tests.ui.open_window import open_file, texts

KEY = "sk-ant-api03-" + "Qw9eRt7yUi5oPa3sDf1gHj2kLz8xCv6bNm4" * 2


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    """The program's logger, kept in the program's log while the test runs."""
    logger = logging.getLogger("inspector")
    level = logger.level
    keep_log()
    yield logging.getLogger("inspector.ui.test")
    logger.removeHandler(LOG)
    logger.setLevel(level)


def shown(dialog: LogDialog) -> list[str]:
    return [line.first_line for line in dialog.model.values]


async def test_that_the_log_is_filtered_followed_and_copied(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until, log: logging.Logger
) -> None:
    await open_file(studio, until)
    assert studio.contents.services.actions.run("help.log")
    (dialog,) = (each for each in studio.window.findChildren(LogDialog) if each.isVisible())
    assert any(line == f"Opened {studio.opener.path}" for line in shown(dialog))
    log.warning("the first\x1b[31m warning")
    try:
        raise ValueError(KEY)
    except ValueError:
        log.exception("a fault")
    await until(lambda: "a fault" in shown(dialog))
    # A level, words, both.
    QTest.mouseClick(dialog.levels.buttons[2], Qt.MouseButton.LeftButton)
    assert shown(dialog)[-1] == "a fault"
    assert "the first\x1b[31m warning" not in shown(dialog)
    QTest.mouseClick(dialog.levels.buttons[1], Qt.MouseButton.LeftButton)
    QTest.keyClicks(dialog.search, "FIRST ui.test")
    assert shown(dialog) == ["the first\x1b[31m warning"]
    dialog.search.clear()
    # The whole text of a line, and copies, without the key and without controls.
    at = shown(dialog).index("a fault")
    dialog.table.selectRow(at)
    assert "ValueError" in dialog.text.toPlainText()
    assert KEY not in dialog.text.toPlainText()
    QTest.keyClick(dialog.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: "a fault" in QGuiApplication.clipboard().text())
    assert "Error ui.test: a fault\nTraceback" in QGuiApplication.clipboard().text()
    assert KEY not in QGuiApplication.clipboard().text()
    dialog.table.clearSelection()
    QTest.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert "\x1b" not in QGuiApplication.clipboard().text()
    assert "the first" in QGuiApplication.clipboard().text()
    dialog.reject()


async def test_that_the_newest_line_is_followed_and_the_chosen_one_stays_chosen(
    qloop: asyncio.AbstractEventLoop, studio: Studio, log: logging.Logger
) -> None:
    dialog = LogDialog(studio.window, studio.contents.services.appearance, LOG)
    dialog.show()
    log.warning("a fault")
    dialog.look()
    at = shown(dialog).index("a fault")
    # With many lines the newest is in sight while one follows, and the chosen one stays chosen.
    dialog.table.selectRow(at)
    for place in range(MOST_LINES // 2):
        log.warning("line %d", place)
    dialog.look()
    bar = dialog.table.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    assert dialog.model.value_at(dialog.table.currentIndex()).first_line == "a fault"
    dialog.follow_box.setChecked(False)
    bar.setValue(0)
    log.warning("unseen")
    dialog.look()
    assert bar.value() == 0
    dialog.search.setText("nothing has these words")
    assert "No line matches." in texts(dialog)
    assert not dialog.copy_button.isEnabled()
    dialog.reject()


def test_that_the_log_is_bounded_and_takes_lines_of_every_thread() -> None:
    keeper = LogKeeper()

    def log_line(words: str, *given: object) -> None:
        keeper.handle(logging.makeLogRecord({"name": "inspector.many", "msg": words, "args": given}))

    def write() -> None:
        for place in range(MOST_LINES):
            log_line("line %d", place)

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert keeper.count == 3 * MOST_LINES
    assert [line.number for line in keeper.lines] == list(range(2 * MOST_LINES + 1, 3 * MOST_LINES + 1))
    log_line("x" * 1_000_000)
    assert len(keeper.lines[-1].text) < 30_000
    log_line("%d", "no number")
    assert keeper.count == 3 * MOST_LINES + 1


def test_that_secrets_in_long_lines_are_masked_whole() -> None:
    keeper = LogKeeper()
    body = "MIIEowIBAAKCAQEAx7f9Q2kLmZbT0Wv3s8nYpR5uDgHjKaXcVbNm1234567890ab"
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    for before in ("", *("x " * count for count in range(9_970, 10_000))):
        for secret in (key, KEY):
            text = f"{before}{secret} {'y ' * 5_000}"
            keeper.emit(logging.LogRecord("inspector.x", logging.WARNING, __file__, 1, text, (), None))
    assert not any(part in line.text for line in keeper.lines for part in (body[:12], KEY[:20]))
