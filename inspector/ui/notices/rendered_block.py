"""The view of a block as the model gets it: its piece of the Request, or what that would be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtWidgets import QBoxLayout, QFrame, QVBoxLayout

from inspector.domain.content import Content
from inspector.domain.counts import Count
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Piece, Request, SourceKind
from inspector.domain.rules import PARTLY_IN
from inspector.domain.snapshot import BlockState
from inspector.runtime.rendering import rendered_text
from inspector.ui.editors.text_page import TextPage
from inspector.ui.panel import PanelServices
from inspector.ui.presentation.card import left_out_of
from inspector.ui.safe_text import PlainLabel
from inspector.ui.widgets.controls import arrange, name_help
from inspector.ui.wording import tokens, tr, tr_code, tr_error

_OPENING = re.compile(r"<[^\n]*>\n(?:<!--[^\n]*-->\n|<!--.*?-->\n)?", re.DOTALL)
_VIEWPORT = re.compile(r"\[Showing lines \d+-\d+ of \d+\]\n")


class RenderedPage(TextPage):
    """Shows one block's piece with what stands before it in the same section, drafts included.

    The frame is shown muted. Where the block is left out, it says why and shows what would be sent.
    """

    def __init__(self, services: PanelServices, block_id: str) -> None:
        super().__init__(services.appearance, services.icons, services.bridge, replaces=False)
        name_help(self, "Text editor and Rendered")
        self._services, self._id = services, block_id
        self._asked: tuple[object, ...] = ()
        self.editor.setReadOnly(True)
        self.editor.setAccessibleName(tr("The block as the model gets it"))
        self.note = PlainLabel("", wrap=True)
        self._head = QFrame()
        self._head.setProperty("role", "dock_title")
        arrange(QVBoxLayout(self._head), self.note)
        layout = self.layout()
        if isinstance(layout, QBoxLayout):
            layout.insertWidget(0, self._head)
        services.appearance.changed.connect(self._measure)
        self._measure()

    def take(self, state: BlockState, content: Content | None) -> None:
        """Show the block as the Request that is shown has it, or would."""
        file = self._services.workspace.file
        heading, piece = _placed(file.request, self._id)
        if piece is not None:
            self._asked = ()
            cost = tokens(Count(piece.tokens, piece.method))
            self._tell(
                tr("Sent as below: {tokens}, without the section's heading.", tokens=cost)
                if heading
                else tr("Sent as below: {tokens}.", tokens=cost)
            )
            self._show(heading, piece.text.rstrip("\n"))
            return
        self._tell(self._why(state), warning=True)
        asked = (state.version, content, file.agent_id, file.request)
        if asked != self._asked:
            self._asked = asked
            self._ask(state, content)

    def _why(self, state: BlockState) -> str:
        file = self._services.workspace.file
        out = left_out_of(Ref(RefKind.BLOCK, self._id), file.request)
        if not state.block.is_active:
            why = tr("The block is deleted.")
        elif out is not None and out.rule not in PARTLY_IN:
            why = tr_code(f"left_out.{out.rule}", out.parameters)
        elif file.request is None:
            return tr("No Request can be built. The block would be sent like this:")
        else:
            return tr("Not sent: this agent's Request doesn't include the block. Its text:")
        return tr("Not sent. {why} It would look like this:", why=why)

    def _ask(self, state: BlockState, content: Content | None) -> None:
        """Have the block put into its frame; until then, and where there is none, its text is shown."""
        session, file = self._services.workspace.live.session, self._services.workspace.file
        try:
            self._show("", rendered_text(state, content))
        except InspectorError as error:
            self._tell(tr_error(error), warning=True)
            self._show("", "")
            return
        if session is not None and file.agent is not None:
            drafts = {} if content is None or content == state.content else {self._id: content}
            work = session.engine.context.block_text(file.agent_id, self._id, drafts=drafts)
            self._services.bridge.supersede(
                ("rendered", self._id),
                work,
                name=tr("Rendering the block"),
                on_done=self._take_framed,
                on_error=lambda error: isinstance(error, InspectorError),
            )

    def _take_framed(self, text: str | None) -> None:
        if text is not None and self._asked:
            self._show("", text)

    def _show(self, heading: str, text: str) -> None:
        was_at_start = self.editor.selected_range() == (0, 0)
        self.editor.load(heading + text)
        if was_at_start and self.editor.selected_range() != (0, 0):
            self.editor.select_range(0, 0)
        if self.colouring is not None:
            moved = ((start + len(heading), end + len(heading)) for start, end in _frame(text))
            self.colouring.show_quiet([*([(0, len(heading))] if heading else []), *moved])

    def _tell(self, text: str, *, warning: bool = False) -> None:
        self.note.setText(text)
        self.note.set_tone("warning" if warning else "muted")

    def _measure(self) -> None:
        space, layout = self._services.appearance.space, self._head.layout()
        if layout is not None:
            layout.setContentsMargins(space(3), space(1.5), space(3), space(1.5))


def _placed(request: Request | None, block_id: str) -> tuple[str, Piece | None]:
    """A block's piece, and the layout's text that stands right before it."""
    wanted = f"block:{block_id}"
    for section in request.sections if request else ():
        before = ""
        for piece in section.pieces:
            if piece.id == wanted:
                return before, piece
            is_layout = piece.source.kind is SourceKind.LITERAL and all(run.sent for run in piece.runs)
            before = before + piece.text if is_layout else ""
    return "", None


def _frame(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a piece that aren't the block's own: its tags, its description, the words of a viewport."""
    opening = _OPENING.match(text)
    at = opening.end() if opening else 0
    shown = _VIEWPORT.match(text, at)
    at = shown.end() if shown else at
    if at:
        yield 0, at
    closing = text.rfind("\n</") if opening else -1
    if closing >= at - 1 >= 0:
        yield closing, len(text)
