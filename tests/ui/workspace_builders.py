"""A workspace over invented values, and what it tells."""

import asyncio
from pathlib import Path
from typing import cast

from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SetText
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import SessionFactory
from inspector.ui.bridge import Bridge
from inspector.ui.failures import FailureText
from inspector.ui.workspace import Workspace
from tests.ui.conftest import Until
from tests.ui.fake_engine import FakeDoors, FakeOpener

FILE = Path("harbor.constellation")
QUESTIONS = Ref(RefKind.BLOCK, "blk_questions")
DRAFT = Edit(QUESTIONS, SetText("x"))


class Desk:
    """A workspace, its bridge and what it told."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.bridge = Bridge(loop)
        self.opener = FakeOpener()
        self.workspace = Workspace(self.bridge, cast("SessionFactory", self.opener))
        self.failures: list[FailureText] = []
        self.bridge.failed.connect(self.failures.append)

    @property
    def doors(self) -> FakeDoors:
        return self.opener.doors

    async def open(self, until: Until) -> None:
        self.workspace.open(FILE)
        await until(lambda: self.workspace.file.request)
