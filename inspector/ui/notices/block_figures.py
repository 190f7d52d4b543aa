"""The figures above a block's editor: its characters against the limit, its tokens, and what a draft changes."""

from __future__ import annotations

import asyncio
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from inspector.domain.content import (
    Content,
    TextContent,
)
from inspector.domain.counts import Count
from inspector.domain.requests import Request
from inspector.domain.snapshot import BlockState
from inspector.runtime.block_lengths import is_long
from inspector.runtime.rendering import counted_characters
from inspector.ui.panel import PanelServices
from inspector.ui.safe_text import ElidedLabel, PlainLabel, count_hidden
from inspector.ui.widgets.controls import arrange, restyle
from inspector.ui.wording import number, signed, tokens, tr, tr_count

_SOON_SECONDS = 0.15
_MOST_LOOKED_THROUGH = 500_000
"""Characters up to which hidden ones are counted at every key."""


class BlockFigures(QWidget):
    """Says what a block takes. `bar` shows how much of its limit that is."""

    def __init__(self, services: PanelServices, block_id: str) -> None:
        super().__init__()
        self._services = services
        self._id = block_id
        self._characters = ElidedLabel("", tone="muted", size="small")
        # A figure that is cut would be another one.
        self._tokens, self._change = (PlainLabel("", tone="muted", size="small") for _ in range(2))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Share of the character limit"))
        self._row = QHBoxLayout(self)
        arrange(self._row, self._characters, self.bar, self._tokens, self._change, None)

    @property
    def text(self) -> str:
        labels = (self._characters, self._tokens, self._change)
        return " · ".join(each.original for each in labels if each.original)

    def measure(self) -> None:
        space = self._services.appearance.space
        self._row.setSpacing(space(3))
        self.bar.setFixedWidth(space(20))

    def tell_tokens(self, content: Content | None, *, in_part: bool = False) -> None:
        """Say what the block takes in the Request; `in_part`: of which it has not all lines."""
        self._services.bridge.cancel(self._reviewed)
        file = self._services.workspace.file
        now, saved = self._in(file.request), self._in(file.saved_request)
        text = tr("not in the Request") if now is None else tokens(now)
        if in_part and now is not None:
            text = tr("{tokens} sent", tokens=text)
        self._tokens.setText(text if content is not None and file.request is not None else "")
        change = (
            0 if now is None or saved is None or self._id not in file.drafts else now.tokens - saved.tokens
        )
        self._say_change(change)

    def tell_reviewed(self, content: Content) -> None:
        """Say what the block would take in the Request as it is decided in a review."""
        session, agent = self._services.workspace.live.session, self._services.workspace.file.agent
        if session is None or agent is None:
            return
        drafts = {self._id: content}
        spec = self._services.request_spec

        async def built() -> Request:
            await asyncio.sleep(_SOON_SECONDS)
            return await session.engine.context.request(agent.id, spec, drafts)

        self._services.bridge.supersede(
            self._reviewed,
            built(),
            name=tr("Counting tokens"),
            on_done=self._say_reviewed,
            # Why it can't be built is said once it is the draft.
            on_error=lambda _: True,
        )

    def _say_reviewed(self, request: Request) -> None:
        now, saved = self._in(request), self._in(self._services.workspace.file.saved_request)
        self._tokens.setText(tr("not in the Request") if now is None else tokens(now))
        self._say_change(0 if now is None or saved is None else now.tokens - saved.tokens)

    def _say_change(self, change: int) -> None:
        self._change.setText(signed(change))
        self._change.set_tone("warning" if change > 0 else "ok")

    @property
    def _reviewed(self) -> tuple[str, str]:
        return "reviewed tokens", self._id

    def tell_characters(self, state: BlockState | None, content: Content | None) -> None:
        if state is None or content is None:
            self._characters.setText("")
            self.bar.hide()
        elif not is_long(content):
            self._say(state, content, counted_characters(state, content))
        else:
            work = _counted_soon(state, content)
            said = partial(self._say, state, content)
            key = ("characters", self._id)
            self._services.bridge.supersede(key, work, name=tr("Counting characters"), on_done=said)

    def _say(self, state: BlockState, content: Content, count: int) -> None:
        limit = state.block.char_limit
        text = tr("{count} of {limit} characters", count=number(count), limit=number(limit))
        if not limit:
            text = tr_count("{count} character", "{count} characters", count)
        if isinstance(content, TextContent) and len(content.text) <= _MOST_LOOKED_THROUGH:
            hidden = count_hidden(content.text)
            if hidden:
                text = tr("{told}, {count} of them hidden", told=text, count=number(hidden))
        self._characters.setText(text)
        full = bool(limit) and count > limit
        near = bool(limit) and count >= self._services.marks.warning * limit
        tone = "error" if full else "warning" if near else ""
        self._characters.set_tone(tone or "muted")
        self.bar.setVisible(bool(limit))
        self.bar.setRange(0, limit or 1)
        self.bar.setValue(min(count, limit or 1))
        restyle(self.bar, "tone", tone)

    def _in(self, request: Request | None) -> Count | None:
        """What the block takes in a Request, None where it is not in it."""
        wanted = f"block:{self._id}"
        for section in request.sections if request else ():
            for piece in section.pieces:
                if piece.id == wanted:
                    return Count(piece.tokens, piece.method)
        return None


async def _counted_soon(state: BlockState, content: Content) -> int:
    """The characters of a long content, behind the Request, which is built meanwhile and measures it."""
    await asyncio.sleep(_SOON_SECONDS)
    return await asyncio.to_thread(counted_characters, state, content)
