"""Makes the fixes of what is left out: stored with an undo, or put into the what-if while there is one."""

from __future__ import annotations

from inspector.domain.edits.base import Edit
from inspector.domain.ref import RefKind
from inspector.domain.requests import Fix
from inspector.domain.what_if import WhatIf
from inspector.runtime.session import FileSession
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.fixes import drafted_with, edit_for, tried_with
from inspector.ui.presentation.message_changes import edits_of, restore
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr, tr_code

_RESTORE, _NAME_LENGTH = "unarchive", 60
_TRIED_FIRST = frozenset({"set_layout"})


class LeftOutFixes:
    """Each fix is one changeset, named by what it did."""

    def __init__(self, services: PanelServices) -> None:
        self._services = services

    def can_do(self, fix: Fix) -> bool:
        """Whether a button makes the fix."""
        made = (self._tried_with(fix), self._drafted_with(fix), self._as_applied(fix))
        return self._restores(fix) or any(each is not None for each in made)

    def block_edit(self, fix: Fix) -> Edit | None:
        """The edit of a block that a fix makes; None for one of another kind, or that can't be made."""
        applied = self._as_applied(fix)
        return applied[0] if applied is not None and applied[0].target.kind is RefKind.BLOCK else None

    def run(self, fix: Fix) -> bool:
        """Make the fix; says whether something is stored by it."""
        workspace = self._services.workspace
        tried, applied = self._tried_with(fix), self._as_applied(fix)
        if tried is not None:
            workspace.try_out(tried)
            return False
        drafted = self._drafted_with(fix)
        if drafted is not None:
            # Stored, it would lie under the unsaved settings and change nothing that is sent.
            workspace.settings.put(drafted)
            name = one_line(workspace.file.agent.name if workspace.file.agent else "", _NAME_LENGTH)
            text = tr("Changed in the unsaved settings of {agent}.", agent=name)
            self._services.bridge.noticed.emit(text)
            return False
        if self._restores(fix):
            self._restore(fix)
        elif applied is not None:
            edit, text = applied
            workspace.apply([edit], text, text=text)
        else:
            return False
        return True

    def _drafted_with(self, fix: Fix) -> Edit | None:
        """The agent's unsaved settings with the fix in them, where those say otherwise than what is stored."""
        file = self._services.workspace.file
        is_closed = file.read_only is not None or file.what_if != WhatIf()
        return None if is_closed else drafted_with(fix, file)

    def _tried_with(self, fix: Fix) -> WhatIf | None:
        """While something is tried, the fix goes into what is tried, and nothing is stored.

        Another layout changes all of the Request: it is tried first in any case.
        """
        workspace = self._services.workspace
        agent = workspace.file.drafted_agent
        if agent is None or (workspace.file.what_if == WhatIf() and fix.action not in _TRIED_FIRST):
            return None
        return tried_with(fix, agent, workspace.file.what_if)

    def _restores(self, fix: Fix) -> bool:
        file = self._services.workspace.file
        is_turn = fix.target is not None and fix.target.kind is RefKind.BATCH
        return fix.action == _RESTORE and is_turn and file.read_only is None and file.what_if == WhatIf()

    def _restore(self, fix: Fix) -> None:
        workspace = self._services.workspace
        session = workspace.live.session
        if session is None or fix.target is None:
            return
        text = tr_code(f"fix_done.{_RESTORE}", fix.parameters)

        def write(edits: tuple[Edit, ...]) -> None:
            if edits and session is workspace.live.session:
                workspace.apply(edits, text.removesuffix("."), text=text)

        work = _restoring(session, workspace.file.agent_id, fix.target.id)
        self._services.bridge.spawn(work, name=tr("Saving"), on_done=write)

    def _as_applied(self, fix: Fix) -> tuple[Edit, str] | None:
        """The edit that a fix makes, and in words what it did; None where it can't be made."""
        workspace = self._services.workspace
        agent = workspace.file.agent
        if agent is None or workspace.file.read_only is not None or workspace.file.what_if != WhatIf():
            return None
        state = (
            workspace.file.blocks.get(fix.target.id)
            if fix.target and fix.target.kind is RefKind.BLOCK
            else None
        )
        block = state.block if state else None
        edit = edit_for(fix, agent, block)
        if edit is None:
            return None
        name = agent.name if block is None else block.label
        return edit, tr_code(f"fix_done.{fix.action}", {**fix.parameters, "name": name})


async def _restoring(session: FileSession, agent_id: str, batch_id: str) -> tuple[Edit, ...]:
    """The edits that bring a whole turn back from the archive."""
    (batch,) = await session.engine.conversation.whole_batches(agent_id, [batch_id])
    positions = [message.position for message in batch.messages if not message.is_deleted]
    return await edits_of(session, agent_id, {batch_id: positions}, restore)
