"""Drafts of every kind of editor after a real process that made them was killed."""

import asyncio
import os
import subprocess
import sys
from typing import Any

import pytest

from inspector.domain.blocks import ArchivalEntry
from inspector.domain.content import ListContent, LogContent, TextContent
from inspector.domain.edits.base import Edit, Version
from inspector.domain.edits.block_rows import InsertArchival, UpdateArchival
from inspector.domain.edits.rows import EditMessage
from inspector.domain.messages import Message, TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.ui.editors.raw_json import raw_text
from inspector.ui.notices.block_head import BlockTabView
from inspector.ui.presentation.unsaved import said_by, said_version
from tests.fixtures import ROOT
from tests.ui import values
from tests.ui.conftest import Studio, Until
from tests.ui.draft_process import MADE, changed
from tests.ui.editors.structured_blocks import WATCH, WORDS
from tests.ui.open_window import calm, open_file
from tests.ui.world import NOTES, QUESTIONS, STORED, World

ENTRIES = tuple(
    Edit(Ref(RefKind.ARCHIVAL, f"arc_{at}"), InsertArchival(values.ADA, f"Entry {at}.", ("keys",)))
    for at in range(2)
)


def started(world: World, module: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", module, str(world.folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )


async def drafted_and_killed(world: World, module: str = "tests.ui.draft_process") -> None:
    """Let another process make its drafts in the world's file, and kill it."""
    process = started(world, module)
    try:
        assert process.stdout is not None
        said = await asyncio.to_thread(process.stdout.readline)
        process.kill()
        _, errors = await asyncio.to_thread(process.communicate)
        assert said == "drafted\n", errors[-4_000:]
    finally:
        process.kill()
        process.wait()


async def record_version(world: World, ref: Ref) -> Version:
    found: Message | ArchivalEntry | None
    if ref.kind is RefKind.MESSAGE:
        found = await world.engine.conversation.message(ref.id)
    else:
        found = await world.engine.blocks.archival_entry(ref.id)
    assert found is not None
    return said_version(said_by(found))


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_that_drafts_of_every_editor_are_there_again_with_their_base(
    studio: Studio, until: Until
) -> None:
    world = studio.opener
    await world.change_file(*(made.edit for made in MADE), *ENTRIES)
    bases = {made.ref.id: await world.version(made.ref) for made in MADE}
    bases[QUESTIONS.id] = await world.version()
    await drafted_and_killed(world)
    await open_file(studio, until)
    file = studio.contents.workspace.file
    assert {id_: draft.edit.base for id_, draft in file.drafts.items()} == bases
    found: dict[str, Any] = {id_: draft.content for id_, draft in file.drafts.items()}
    for made in MADE:
        if made not in (WATCH, WORDS):
            assert found[made.ref.id] == changed(made.content)
    log, raw = found[WATCH.ref.id], found[WORDS.ref.id]
    assert isinstance(log, LogContent)
    assert log.entries[-1].fields == {"observation": "Drafted"}
    assert isinstance(raw, ListContent)
    assert any("drafted" in str(item.value) for item in raw.items)
    assert found[QUESTIONS.id] == TextContent(f"Drafted. {STORED}")
    records = {ref.kind: edit for ref, edit in file.records.items()}
    message, entry = records[RefKind.MESSAGE], records[RefKind.ARCHIVAL]
    assert isinstance(message.operation, EditMessage)
    [part] = message.operation.content
    assert isinstance(part, TextPart)
    assert part.text.startswith("Drafted. ")
    assert isinstance(entry.operation, UpdateArchival)
    assert (entry.operation.content or "").startswith("Drafted. Entry")
    for edit in (message, entry):
        assert edit.base == await record_version(world, edit.target)
    assert studio.window.status_line.drafts_button.text() == "10 drafts"
    studio.contents.services.selection.open(NOTES)
    stored = file.blocks[NOTES.id].content
    assert stored is not None
    panel: Any = studio.window.centre.currentWidget()
    await until(lambda: panel.views.current == BlockTabView.RAW)
    assert panel.editors.raw.page.editor.text == raw_text(stored).removesuffix("\n}")
    assert panel.editors.raw.fault.text()
    await calm(studio, until)
    kept = {draft.ref for draft in await world.engine.drafts.own()}
    assert kept == {*(Ref(RefKind.BLOCK, id_) for id_ in bases), message.target, entry.target}
