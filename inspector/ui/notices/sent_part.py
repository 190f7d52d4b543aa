"""Which part of a block is sent: of a text the band in its margin and its tokens, of sections the foot below them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from inspector.domain.blocks import CompositeSchema, LogSchema, PlainSchema, TextSchema, Viewport
from inspector.domain.content import CompositeContent, Content, LogContent, TextContent, text_lines
from inspector.domain.counts import Count
from inspector.domain.rendering.render import shown_lines
from inspector.domain.requests import Piece, Request
from inspector.domain.snapshot import BlockState
from inspector.ui.editors.composite import CompositeEditor
from inspector.ui.editors.gutter import SentLines
from inspector.ui.editors.text_page import TextPage
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import one_line
from inspector.ui.wording import counted, number, tr, tr_count

_COUNT_MILLISECONDS = 400
_MOST_COUNTED = 1_000_000
"""Characters up to which a text that is sent in part is counted whole; more would keep figures waiting."""
_ROOM = 2**30
"""Lines that may be typed below a text that is sent whole."""


class SentPart(QObject):
    """Follows the Request for one block whose text is in a page."""

    def __init__(self, services: PanelServices, page: TextPage, block_id: str) -> None:
        super().__init__(page)
        self._services, self._page, self._id = services, page, block_id
        self._lines: tuple[int, int] | None = None
        self._is_cut = False
        """Whether sections are sent in part."""
        self._piece: Piece | None = None
        self._asked = self._asked_for = ""
        self._whole: Count | None = None
        """What the whole text costs, where only a part is sent."""
        self._soon = QTimer(self, singleShot=True, interval=_COUNT_MILLISECONDS)
        self._soon.timeout.connect(self._count)

    @property
    def is_partial(self) -> bool:
        return self._lines is not None or self._is_cut

    @property
    def _model(self) -> str:
        request = self._services.workspace.file.request
        return "" if request is None else request.model

    def tell(self, state: BlockState | None) -> None:
        """Show what the Request that is shown has of the block."""
        file, editor = self._services.workspace.file, self._page.editor
        schema = state.block.schema if state is not None else None
        piece = piece_of_block(file.request, self._id) if isinstance(schema, TextSchema) else None
        count = editor.line_count - (not editor.text or editor.text.endswith("\n"))
        self._piece, self._lines, self._is_cut = piece, None, False
        if piece is None or not isinstance(schema, TextSchema):
            editor.margin.show_sent(None)
            self._page.foot.say("")
            return
        first, last = sent_range(schema, piece, count)
        if (first, last) == (1, count):
            # Also what is being typed below.
            last = max(count, 1) + _ROOM
        else:
            self._lines = first, last
        editor.margin.show_sent(SentLines(first, last, piece.section))
        self._say(count)

    def tell_sections(self, page: CompositeEditor, content: Content | None) -> None:
        """Say below sections what the Request that is shown has of them."""
        state = self._services.workspace.file.blocks.get(self._id)
        piece = piece_of_block(self._services.workspace.file.request, self._id)
        schema = state.block.schema if state is not None else None
        if (
            piece is None
            or not isinstance(schema, CompositeSchema)
            or not isinstance(content, CompositeContent)
        ):
            page.say("")
            return
        lines, count = piece.parameters.get("lines"), piece.parameters.get("of")
        names = sections_in_part(schema, content)
        self._is_cut = bool(names)
        if isinstance(lines, int) and isinstance(count, int):
            self._is_cut = True
            which = tr("lines 1–{last} of {count} in Rendered", last=number(lines), count=number(count))
            page.say(
                tr_count(
                    "{count} token sent ({which})", "{count} tokens sent ({which})", piece.tokens, which=which
                )
            )
        elif names:
            page.say(tr("Sent in part: {names}", names=", ".join(map(one_line, names))))
        else:
            page.say(tr("Sent whole"))

    def _say(self, count: int) -> None:
        piece, lines = self._piece, self._lines
        if piece is None or lines is None:
            self._page.foot.say(tr("Sent whole") if piece is not None else "")
            return
        text, model = self._page.editor.text, self._model
        if (self._asked, self._asked_for) != (text, model) and len(text) <= _MOST_COUNTED:
            self._soon.start()
        now = counted(Count(piece.tokens, piece.method))
        first, last = lines
        which = (
            tr("line {first} of {count}", first=number(first), count=number(count))
            if first == last
            else tr(
                "lines {first}–{last} of {count}", first=number(first), last=number(last), count=number(count)
            )
        )
        if self._whole is None:
            text = tr_count(
                "{count} token sent ({which})", "{count} tokens sent ({which})", piece.tokens, which=which
            )
        else:
            whole = counted(self._whole)
            text = tr("{now} of {whole} tokens sent ({which})", now=now, whole=whole, which=which)
        self._page.foot.say(text)

    def _count(self) -> None:
        if self._lines is not None:
            self._asked, self._asked_for = self._page.editor.text, self._model
            self._services.workspace.count([self._asked], self._take)

    def _take(self, counts: Sequence[Count]) -> None:
        self._whole = counts[0] if counts else None
        state = self._services.workspace.file.blocks.get(self._id)
        self.tell(state)


def piece_of_block(request: Request | None, block_id: str) -> Piece | None:
    """A block's piece of a Request, None where it isn't in."""
    wanted = f"block:{block_id}"
    pieces = (piece for section in (request.sections if request else ()) for piece in section.pieces)
    return next((piece for piece in pieces if piece.id == wanted), None)


def sent_range(schema: TextSchema, piece: Piece, count: int) -> tuple[int, int]:
    """The first and last line, from 1, that a piece has of a text of so many lines."""
    cut, start = piece.parameters.get("lines"), schema.viewport.start_line if schema.viewport else 1
    if isinstance(cut, int) and not isinstance(cut, bool):
        return shown_lines(Viewport(start, cut), count)
    return (1, count) if schema.viewport is None else shown_lines(schema.viewport, count)


def sections_in_part(schema: CompositeSchema, content: CompositeContent) -> tuple[str, ...]:
    """The names of the sections whose own settings keep some of their lines or entries out."""
    return tuple(
        each.name for each in schema.sections if _is_in_part(each.schema, content.sections.get(each.name))
    )


def _is_in_part(schema: PlainSchema, content: Content | None) -> bool:
    if isinstance(schema, LogSchema) and isinstance(content, LogContent):
        return len(content.entries) > max(0, schema.display_limit)
    if isinstance(schema, TextSchema) and isinstance(content, TextContent) and schema.viewport is not None:
        count = len(text_lines(content.text))
        return shown_lines(schema.viewport, count) != (1, count)
    return False
