"""Tries the program from inside: the window on the sample, every panel, an edit, exports, imports and a test call."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from inspector.domain.content import TextContent
from inspector.domain.counts import Method
from inspector.domain.exchange import ExportFormat, ExportOptions, RequestExport, RequestFormat
from inspector.domain.keys import KeyStoreError
from inspector.domain.ref import Ref
from inspector.domain.snapshot import RequestSpec
from inspector.domain.wire.values import WireForm
from inspector.runtime.debug_bundle import program_facts, write_debug_bundle
from inspector.runtime.engine import Engine
from inspector.runtime.keys import system_keys
from inspector.runtime.session import SessionFactory
from inspector.ui.app import log_to_standard_error
from inspector.ui.driven_window import (
    LivingWindow,
    PanelWalk,
    drive,
    file_shown,
    settle,
    showpiece,
    telling_qt_messages,
    until,
)
from inspector.ui.panels.block import BlockPanel
from inspector.ui.run_marks import about_this_run
from inspector.ui.startup import StartOptions, Startup
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.window_setup import WindowContents
from inspector.ui.wording import tr_error

_ADDED = " Added by the self-test."
_SETTLE_SECONDS = 0.05
_COUNTED_MODELS = ("gpt-5.6", "gpt-4")
"""One model of each vocabulary that is shipped."""

Facts = Mapping[str, str | int]
_T = TypeVar("_T")


class SelfTestError(Exception):
    """A step ended without an error and without the result that it should have; the message says which."""


def run(notes: Path, make: Callable[[Startup], LivingWindow]) -> int:
    """Take every step and note each that is done; gives 0.

    An error in a step is raised once the window is closed. No setting or file of the user is read or written, and
    nothing is sent.

    Args:
        notes: Gets one JSON object a line: ``step``, and what its sentence ``selftest.STEP`` takes. All other files
            are made in its folder, which should be empty.
        make: Makes the program of a window.
    """
    log_to_standard_error()
    with telling_qt_messages():
        shell = Startup(StartOptions())
        shell.show()
        drive(shell, make, lambda contents, opener: _SelfTest(contents, opener, notes).work())
    return 0


class _SelfTest:
    def __init__(self, contents: WindowContents, opener: SessionFactory, notes: Path) -> None:
        self._contents = contents
        self._opener = opener
        self._notes, self._folder = notes, notes.parent

    async def work(self) -> None:
        self._note("start", {"about": about_this_run()})
        steps: Mapping[str, Callable[[], Awaitable[Facts]]] = {
            "sample": self._open_sample,
            "panels": self._walk_panels,
            "edit": self._edit,
            "counts": self._count,
            "providers": self._build_for_providers,
            "call": self._call,
            "keys": self._ask_key_store,
            "bundle": self._describe,
            "export": self._export,
            "import": self._import,
            "history": self._import_history,
            "dialogs": self._open_dialog,
        }
        for name, take in steps.items():
            self._note(name, await take())

    def _note(self, step: str, facts: Facts) -> None:
        with self._notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, **facts}) + "\n")

    async def _open_sample(self) -> Facts:
        path = self._folder / "sample.constellation"
        self._contents.workspace.create_sample(path)
        await file_shown(self._contents, path)
        file = self._contents.workspace.file
        request = _there(file.request, "the sample's Request")
        # All else of the agent is read after its Request.
        await until(lambda: showpiece(self._contents) is not None)
        await settle(self._contents)
        return {"agents": len(file.agents), "pieces": sum(1 for _ in request.placed())}

    async def _walk_panels(self) -> Facts:
        seen: list[str] = []

        def look(widget: QWidget, name: str) -> None:
            if widget.grab().isNull():
                raise SelfTestError(f"the panel {name} draws nothing")
            seen.append(name)

        walk = PanelWalk(self._contents, look, _SETTLE_SECONDS)
        await walk.centre(showpiece(self._contents))
        await walk.docks()
        return {"panels": len(seen)}

    async def _edit(self) -> Facts:
        """Type at the end of a block, and save it with the button."""
        workspace = self._contents.workspace
        ref = _there(showpiece(self._contents), "a block to edit")
        panel = self._contents.open_view("block", ref)
        await settle(self._contents, _SETTLE_SECONDS)
        if not isinstance(panel, BlockPanel):
            raise SelfTestError("no block panel opened")
        editor = panel.page.editor
        editor.moveCursor(QTextCursor.MoveOperation.End)
        editor.insertPlainText(_ADDED)
        await until(lambda: ref.id in workspace.file.drafts)
        panel.save_button.click()
        await until(lambda: self._stored_text(ref).endswith(_ADDED))
        return {"characters": len(_ADDED)}

    def _stored_text(self, ref: Ref) -> str:
        content = self._contents.workspace.file.blocks[ref.id].content
        return content.text if isinstance(content, TextContent) else ""

    async def _count(self) -> Facts:
        """The Request for models whose vocabulary is shipped: text is counted exactly."""
        engine, spec = self._engine, self._spec
        tokens = 0
        for model in _COUNTED_MODELS:
            snapshot = await engine.context.snapshot(self._agent_id)
            request = await engine.context.build(snapshot, replace(spec, model=model))
            if request.exact_tokens == 0:
                raise SelfTestError(f"nothing is counted exactly for {model}: {request.method}")
            tokens += request.exact_tokens
        texts = await engine.context.counts(_COUNTED_MODELS[0], [_ADDED])
        if texts[0].method is not Method.EXACT:
            raise SelfTestError(f"a text is not counted exactly: {texts[0]}")
        return {"models": len(_COUNTED_MODELS), "tokens": tokens}

    async def _build_for_providers(self) -> Facts:
        engine = self._engine
        snapshot = await engine.context.snapshot(self._agent_id)
        request = await engine.context.build(snapshot, self._spec)
        for form in WireForm:
            wire = engine.wire.request(request, snapshot, form)
            written = engine.wire.export(request, snapshot, RequestExport(RequestFormat.CURL), wire)
            if not wire.body or "curl" not in written.text:
                raise SelfTestError(f"nothing was built for {form}")
        return {"providers": ", ".join(form.value for form in WireForm)}

    async def _call(self) -> Facts:
        """A test call to the provider that is in the program itself."""
        calls = self._engine.calls
        drafted = await calls.draft(self._agent_id, "Does the self-test get a reply?")
        prepared = await calls.prepare(drafted.request, drafted.snapshot, calls.destination("offline"))
        async with calls.stream(prepared) as call:
            events = [event async for event in call]
        if call.reply.failure is not None or not call.reply.parts:
            raise SelfTestError(f"the offline provider gave no reply: {events[-1:]}")
        return {"events": len(events)}

    async def _ask_key_store(self) -> Facts:
        """The system's key store can be loaded; a machine without one, or with it switched off, is fine too."""
        try:
            return {"store": await system_keys().store_name()}
        except KeyStoreError as error:
            if not error.is_unusable:
                raise
            return {"store": tr_error(error)}

    async def _describe(self) -> Facts:
        """A bundle for a bug report names the libraries that the program runs with."""
        path = self._folder / "bundle.zip"
        await write_debug_bundle(self._engine, path)
        program = program_facts(self._engine)
        missing = [name for name, version in program["libraries"].items() if version == "missing"]
        if missing:
            raise SelfTestError(f"the versions of {', '.join(missing)} are missing")
        return {"sqlite": program["sqlite"], "libraries": len(program["libraries"])}

    async def _export(self) -> Facts:
        exchange, agent = self._engine.exchange, self._agent_id
        wishes = {
            "agent.af": ExportOptions(ExportFormat.LETTA, agent_id=agent),
            "export.json": ExportOptions(ExportFormat.JSON, history=True),
            "export": ExportOptions(ExportFormat.FOLDER),
        }
        done = [await exchange.export(self._folder / name, wish) for name, wish in wishes.items()]
        if not all(each.agents and each.size for each in done):
            raise SelfTestError(f"an export is empty: {done}")
        return {"files": sum(each.files for each in done)}

    async def _import(self) -> Facts:
        """The Agent File becomes a constellation, which the window shows."""
        return await self._imported("agent.af", "imported.constellation")

    async def _import_history(self) -> Facts:
        """Documents of a foreign file are read by a worker process of the program's own."""
        return await self._imported("export.json", "history.constellation")

    async def _imported(self, source: str, target: str) -> Facts:
        read = await self._opener.read_import(self._folder / source)
        plan = await self._opener.plan_import(read, ())
        self._contents.files.import_plan(plan, self._folder / target)
        await file_shown(self._contents, self._folder / target)
        await settle(self._contents, _SETTLE_SECONDS)
        file = self._contents.workspace.file
        _there(file.request, f"the Request of {source}")
        if not file.blocks:
            raise SelfTestError(f"{source} has no blocks")
        return {"file": source, "agents": len(file.agents), "blocks": len(file.blocks)}

    async def _open_dialog(self) -> Facts:
        """The dialog for a file: the platform's own, or Qt's where the platform's may not be used."""
        window = self._contents.window
        self._contents.services.actions.run("file.open")
        await until(lambda: any(each.isVisible() for each in window.findChildren(FileDialog)))
        dialog = next(each for each in window.findChildren(FileDialog) if each.isVisible())
        native = not dialog.testOption(FileDialog.Option.DontUseNativeDialog)
        dialog.reject()
        await until(lambda: not window.findChildren(FileDialog))
        return {"kind": "system" if native else "Qt"}

    @property
    def _engine(self) -> Engine:
        return _there(self._contents.workspace.live.session, "the open file").engine

    @property
    def _spec(self) -> RequestSpec:
        return RequestSpec(now=self._contents.workspace.now())

    @property
    def _agent_id(self) -> str:
        return self._contents.workspace.file.agent_id


def _there(found: _T | None, name: str) -> _T:
    if found is None:
        raise SelfTestError(f"{name} is not there")
    return found
