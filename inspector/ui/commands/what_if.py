"""Actions on the what-if: leave out or put in what is selected, try another text, apply, discard."""

from __future__ import annotations

from inspector.domain.content import TextContent
from inspector.domain.errors import RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.domain.rules import OutRule
from inspector.domain.what_if import WhatIf
from inspector.ui.actions import Action
from inspector.ui.file_state import What
from inspector.ui.main_window import MainWindow
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.card import has_pieces, left_out_of
from inspector.ui.presentation.what_if import can_be_applied, is_left_out_possible, is_text_possible, parts_of
from inspector.ui.presentation.what_if_edits import SourceText, WhatIfEdits, edits_for, source_text
from inspector.ui.safe_text import one_line
from inspector.ui.widgets.banner import Notice
from inspector.ui.wording import tr, tr_count

_TEXT_LENGTH = 200
_KEEPS = What.DRAFTS | What.SETTINGS | What.AGENTS
"""What of the file says what Apply can store."""
_PUT_IN = frozenset({RefKind.BLOCK, RefKind.MESSAGE, RefKind.BATCH})


class WhatIfCommands:
    """Registers the actions; each is in the palette, and those on a piece in its menus and its card."""

    def __init__(self, services: PanelServices, window: MainWindow) -> None:
        self._services, self._window = services, window
        self._workspace = services.workspace
        self._looked: tuple[Ref, Request, bool] | None = None
        services.actions.add(
            Action("what_if.show", tr("What if …"), self._show, "Ctrl+Shift+I", why_not=self._no_agent),
            Action(
                "what_if.leave_out",
                tr("Leave out in what-if"),
                self._leave_out,
                why_not=self._not_left_out,
            ),
            Action("what_if.put_in", tr("Include in what-if"), self._put_in, why_not=self._not_put_in),
            Action("what_if.edit", tr("Change text in what-if …"), self._edit, why_not=self._not_edited),
            Action("what_if.apply", tr("Apply what-if"), self._apply, why_not=self._not_applied),
            Action("what_if.discard", tr("Discard what-if"), self._discard, why_not=self._not_discarded),
        )
        services.workspace.changed.connect(self._follow)

    def _follow(self, what: What) -> None:
        is_tried = self._workspace.file.what_if != WhatIf()
        if what & What.WHAT_IF or (is_tried and what & _KEEPS):
            self._services.actions.refresh()

    def _show(self) -> None:
        self._workspace.open_what_if(shown=True)
        self._services.actions.run("view.request")

    def _leave_out(self) -> None:
        ref = self._services.selection.ref
        if ref is not None and not self._not_left_out():
            self._workspace.try_out(self._workspace.file.what_if.with_left_out(ref.whole))

    def _put_in(self) -> None:
        ref = self._services.selection.ref
        if ref is not None and not self._not_put_in():
            self._workspace.try_out(self._workspace.file.what_if.with_put_in(ref.whole))

    def _edit(self) -> None:
        from inspector.ui.what_if.piece_text import PieceText

        ref, session = self._services.selection.ref, self._workspace.live.session
        if ref is None or session is None:
            return
        whole, file = ref.whole, self._workspace.file

        def show(found: SourceText | None) -> None:
            if found is None:
                text = tr("This has no text of its own that can be changed.")
                self._window.toast.show_notice(Notice("what_if", text))
            elif self._workspace.file.agent_id == file.agent_id:
                PieceText(self._window, self._services, whole, found).show()

        work = source_text(session, file, whole)
        self._services.bridge.supersede("what-if text", work, name=tr("Reading the text"), on_done=show)

    def _apply(self) -> None:
        session, file = self._workspace.live.session, self._workspace.file
        if session is None or self._not_applied():
            return

        def store(found: WhatIfEdits) -> None:
            def done(_: object) -> None:
                self._after(file.agent_id, file.what_if, found.left)

            if found.edits and self._workspace.live.session is session:
                text = self._done_text()
                self._workspace.apply(found.edits, text, done, text=text)
            elif self._workspace.live.session is session:
                done(None)
                text = tr("Nothing to apply: it is stored already.")
                self._window.toast.show_notice(Notice("what_if", text))

        def failed(error: BaseException) -> bool:
            if not isinstance(error, RefusedError) or error.refusal.code != "refused.draft_conflict":
                return False
            text = tr(
                "Nothing was applied: someone else changed {label} meanwhile.",
                label=error.refusal.parameters["label"],
            )
            remark = tr("Change its text in the what-if again.")
            self._window.toast.show_notice(Notice("what_if", text, remark, "warning"))
            return True

        work = edits_for(session, file)
        self._services.bridge.supersede(
            "what-if edits", work, name=tr("Saving"), on_done=store, on_error=failed
        )

    def _after(self, agent_id: str, applied: WhatIf, left: WhatIf) -> None:
        """Try on what couldn't be applied, unless something else is tried by now."""
        if self._workspace.file.agent_id == agent_id and self._workspace.file.what_if == applied:
            self._workspace.try_out(left)
            self._workspace.open_what_if(shown=left != WhatIf())

    def _done_text(self) -> str:
        file = self._workspace.file
        parts = [each.text for each in parts_of(file) if not each.kept]
        name = file.agent.name if file.agent else ""
        text = tr("What-if applied to {agent}: {parts}.", agent=name, parts=", ".join(parts))
        if len(text) > _TEXT_LENGTH:
            text = tr_count(
                "Applied {count} change to {agent}.",
                "Applied {count} changes to {agent}.",
                len(parts),
                agent=one_line(name, 60),
            )
        return one_line(text, _TEXT_LENGTH)

    def _discard(self) -> None:
        self._workspace.try_out(WhatIf())
        self._workspace.open_what_if(shown=False)

    def _no_agent(self) -> str:
        return "" if self._workspace.file.agent else tr("no agent is shown")

    def _is_in(self, ref: Ref) -> bool:
        """Whether a thing is in the Request; each action asks that after each change, of the same two."""
        request = self._workspace.file.request
        if request is None:
            return False
        if self._looked is None or self._looked[0] != ref or self._looked[1] is not request:
            self._looked = ref, request, has_pieces(ref, request)
        return self._looked[2]

    def _selected(self) -> Ref | None:
        ref = self._services.selection.ref
        return None if ref is None else ref.whole

    def _not_left_out(self) -> str:
        ref = self._selected()
        if ref is None or not is_left_out_possible(ref):
            return tr("nothing is selected that can be left out")
        return "" if self._is_in(ref) else tr("it is not in the Request")

    def _not_put_in(self) -> str:
        ref, file = self._selected(), self._workspace.file
        if ref is None or self._no_agent():
            return tr("nothing is selected that can be put in")
        if ref in file.what_if.dropped:
            return ""
        if self._is_in(ref):
            return tr("it is in the Request already")
        out = left_out_of(ref, file.request) if ref.kind in _PUT_IN else None
        is_archived = out is not None and out.rule == "archived"
        if ref.kind is RefKind.BLOCK and out is not None:
            return _stays_out(out.rule)
        return "" if is_archived else tr("nothing is selected that can be put in")

    def _not_edited(self) -> str:
        ref, file = self._selected(), self._workspace.file
        if ref is None or not is_text_possible(ref):
            return tr("nothing is selected that has a text of its own")
        state = file.blocks.get(ref.id) if ref.kind is RefKind.BLOCK else None
        if state is not None and not isinstance(state.content, TextContent):
            return tr("only blocks of text can be changed here")
        if ref in file.what_if.edited or self._is_in(ref):
            return ""
        return tr("it is not in the Request")

    def _not_applied(self) -> str:
        file = self._workspace.file
        if file.what_if == WhatIf():
            return tr("nothing is tried")
        if file.read_only is not None:
            return tr("the file is read-only")
        if can_be_applied(file):
            return ""
        parts = parts_of(file, str)
        if not parts:
            return tr("the agent has these settings already")
        unsaved = tr("it has unsaved changes")
        is_unsaved = any(each.kept == unsaved for each in parts)
        return unsaved if is_unsaved else tr("no setting does what is tried")

    def _not_discarded(self) -> str:
        file = self._workspace.file
        return "" if file.what_if != WhatIf() or file.what_if_open else tr("nothing is tried")


def _stays_out(rule: str) -> str:
    """Why a block that a rule keeps out stays out whatever is left out for it, nothing where it doesn't."""
    reasons = {
        OutRule.EMPTY: tr("it's empty"),
        OutRule.UNREADABLE: tr("it can't be read"),
        OutRule.NOT_IN_LAYOUT: tr("the layout has no place for it"),
    }
    return next((why for each, why in reasons.items() if each == rule), "")
