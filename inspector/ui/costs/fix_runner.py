"""Does the fix of a finding as one changeset, and builds its what-if for a preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetDescription
from inspector.domain.errors import InspectorError
from inspector.domain.lint import Finding, LintRule
from inspector.domain.simulation import Simulation
from inspector.runtime.session import FileSession
from inspector.ui.costs.fix_effects import simulated_edit, simulated_overlay
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.finding_fixes import can_fix, done_text, edits_for, overlay_for
from inspector.ui.wording import tr

_KEY = "finding preview"


class FixRunner:
    """Writes fixes through the workspace, so that each is told with its undo."""

    def __init__(self, services: PanelServices) -> None:
        self._services = services

    def can_run(self, finding: Finding) -> bool:
        return can_fix(finding, self._services.workspace.file)

    def run(self, finding: Finding) -> None:
        """Make the fix, if it still can be made. All of its edits are undone together."""
        workspace = self._services.workspace
        file, session = workspace.file, workspace.live.session
        if session is None or not self.can_run(finding):
            return
        text = done_text(finding, file)

        def write(edits: tuple[Edit, ...]) -> None:
            if edits and session is workspace.live.session:
                workspace.apply(edits, text.removesuffix("."), text=text)

        self._services.bridge.spawn(edits_for(session, finding, file), name=tr("Saving"), on_done=write)

    def preview(
        self, finding: Finding, on_done: Callable[[Simulation], None], on_failed: Callable[[], None]
    ) -> None:
        """Build the Request as it would be with the fix made; nothing is written."""
        session = self._services.workspace.live.session
        if session is None:
            return

        def failed(error: BaseException) -> bool:
            on_failed()
            return isinstance(error, InspectorError)

        work = self._simulated(session, finding)
        self._services.bridge.supersede(
            _KEY, work, name=tr("Building the preview"), on_done=on_done, on_error=failed
        )

    async def _simulated(self, session: FileSession, finding: Finding) -> Simulation:
        """What the fix makes of the Request that is shown, with all that is unsaved or tried in it."""
        workspace = self._services.workspace
        file, spec = workspace.file, workspace.findings.spec(session)
        if file.request is not None:
            # Of the same moment as the figures beside it: as time goes on, other events are sent.
            spec = replace(spec, now=datetime.fromisoformat(file.request.now))
        work = await workspace.unsaved_work(session)
        if finding.rule is LintRule.DESCRIPTION_IS_CONTENT:
            edit = Edit(finding.where, SetDescription(""))
            return await simulated_edit(session, file.agent_id, spec, edit, work)
        fixed = await overlay_for(session, finding, file, work.contents)
        return await simulated_overlay(session, file.agent_id, spec, work, fixed)
