"""A window for which this computer's own address is one far away, and the question that it asks before it sends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from inspector.domain.wire.values import WireForm
from inspector.ui.calls.send_question import SendQuestion
from tests.providers.provider_server import Answer, ProviderServer
from tests.providers.streamed_replies import STREAMS, Said
from tests.providers.test_streams import kind_of
from tests.ui.panels.send_tab import LEFT
from tests.ui.world import World


def foreign_world(folder: Path, prepared: Path) -> World:
    """The Harbor team's file, with only the offline provider on this computer."""
    return World(folder, prepared, is_here=lambda destination: destination.form is None)


def answer(server: ProviderServer, text: str = "Yes.", form: WireForm = WireForm.OPENAI) -> None:
    """Let a server say so to whatever it is asked."""
    said = Said(thinking=(), text=(text,), calls=(), input=700, output=9)
    server.answer = Answer([STREAMS[form](said)], kind=kind_of(form).partition(";")[0])


def press(button: QPushButton) -> None:
    """Click a button that has to be in sight."""
    assert button.isVisible()
    QTest.mouseClick(button, LEFT)


def asking(question: SendQuestion) -> Callable[[], bool]:
    """Whether a question is asked, and seen."""
    return lambda: question.is_asking and question.isVisible()


def words_of(question: SendQuestion) -> str:
    """What a question says."""
    return "\n".join(each.original for each in (question.heading, question.figures, question.note))
