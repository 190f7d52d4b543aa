"""Brings about the states of a block's tab that come of work: drafts, conflicts, losses of a schema, redaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QScrollArea, QWidget

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import ListSchema, LogSchema, MapSchema, Schema, TextSchema, TreeSchema
from inspector.domain.content import FieldItem, ListContent, ListItem, TextContent
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.items import UpdateItem
from inspector.domain.edits.text import AppendText, Splice, SpliceText
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.resolution import Choice
from inspector.domain.snapshot import BlockState
from inspector.runtime.engine import Engine
from inspector.ui.block_settings.page import BlockSettingsPage
from inspector.ui.block_settings.schema_kinds import ALL_KINDS
from inspector.ui.driven_window import comes, settle
from inspector.ui.history.redacting import RedactionDialog
from inspector.ui.notices.block_head import BlockTabView
from inspector.ui.panels.block import BlockPanel
from inspector.ui.window_setup import WindowContents

Picture = Callable[[QWidget, str], Awaitable[None]]
"""Has a picture of a widget taken, once it has settled, under a name."""

_OTHER = Actor(ActorKind.HUMAN, "human:grace", "Grace")
"""Who writes beside the window."""
_WORD, _LETTERS = re.compile(r"\w{4,}"), re.compile(r"[^\W\d_]{2,}")
_SOON_SECONDS = 0.1
_MOST_TRIED = 3
"""Blocks that are opened to find one that several agents see, or whose schema loses something."""


class BlockStates:
    """Works on the blocks of a file that is open twice: in a window, and in an engine of somebody else.

    A state that the file has nothing for is passed over, each method says whether there is one.
    """

    def __init__(self, contents: WindowContents, other: Engine, picture: Picture) -> None:
        self._contents = contents
        self._other = other
        self._picture = picture
        self._word = (0, "")
        """The word that both change, and where it stands in the stored text."""

    @property
    def texts(self) -> list[Ref]:
        """The text blocks that can be written, those that others see too first."""
        file = self._contents.workspace.file
        holdings = file.contents.get(file.agent_id)
        states = [] if holdings is None else [*(each.state for each in holdings.shared), *holdings.own]
        return [
            Ref(RefKind.BLOCK, state.block.id)
            for state in states
            if isinstance(state.content, TextContent) and self._is_writable(state)
        ]

    async def draft(self, block: Ref) -> None:
        """Unsaved changes in a text: a new line, a word written otherwise, one taken out, and all found of a word."""
        panel = await self.open(block)
        editor = panel.page.editor
        stored = editor.text
        words = [(each.start(), each.group()) for each in _WORD.finditer(stored)]
        # From the end: what stands before stays where it is.
        if words:
            self._word = at, word = words[len(words) // 2]
            editor.replace_range(at, len(word), word.upper())
        if len(words) > _MOST_TRIED:
            at, word = words[len(words) // 4]
            editor.replace_range(at, len(word), "")
        editor.replace_range(stored.find("\n") + 1, 0, "Checked again, and still so.\n")
        await self._picture(panel, "block-draft")
        if words:
            await self._find(panel, Counter(_LETTERS.findall(stored.lower())).most_common(1)[0][0])

    async def _find(self, panel: BlockPanel, word: str) -> None:
        panel.page.ask(replacing=True)
        bar = panel.page.find_bar
        bar.words_field.setText(word)
        bar.replacement_field.setText(word.capitalize())
        await self._picture(panel, "block-find")
        bar.leave()

    async def effects(self, but: Ref | None) -> None:
        """What saving a block that several agents see changes for each of them."""
        blocks = [*([] if but is None else [but]), *(each for each in self.texts if each != but)]
        for block in blocks[:_MOST_TRIED]:
            panel = await self.open(block)
            if panel.effects.isVisible():
                if not panel.work.is_dirty:
                    panel.page.editor.replace_range(0, 0, "Read this first.\n")
                panel.effects.show_effects()
                await comes(partial(_are_worked_out, panel))
                await self._picture(panel, "block-effects")
                return

    async def notice(self, block: Ref) -> None:
        """Somebody else wrote elsewhere in the text of a draft: nothing that is typed is lost."""
        panel = await self.open(block)
        if await self._write(block, AppendText("\nGrace: noted.")) and await self._is_told(panel):
            await self._picture(panel, "block-notice")

    async def conflict(self, block: Ref) -> bool:
        """Somebody else wrote the same word: the review of both, which stays open."""
        panel = await self.open(block)
        (at, word), was = self._word, panel.work.is_in_conflict
        theirs = SpliceText((Splice(at, len(word), f"{word}, says Grace,"),))
        if was or not word or not await self._write(block, theirs):
            return False
        if not await comes(lambda: panel.work.is_in_conflict):
            return False
        await self._picture(panel, "block-conflict-notice")
        panel.review.compare()
        if not await comes(lambda: panel.review.is_open):
            return False
        await self._picture(panel, "block-conflict")
        return True

    async def settle_conflict(self, block: Ref) -> bool:
        """Take both sides and save them, which a passing notice tells of."""
        panel = await self.open(block)
        panel.review.compare()
        if not await comes(lambda: panel.review.is_open):
            return False
        page, toast = panel.review.page, self._contents.window.toast
        page.choose_all(Choice.BOTH if page.view.has_both else Choice.MINE)
        await self._picture(panel, "block-conflict-settled")
        panel.review.save("")
        return await comes(lambda: toast.isVisible() and not panel.work.is_dirty)

    async def conflict_of_fields(self) -> None:
        """Somebody else wrote the same field of an item: a table of what is in conflict."""
        found = next(filter(None, map(_text_field, self._structured())), None)
        if found is None:
            return
        block, item, name, text = found
        panel = await self.open(block)
        structured = panel.editors.structured
        if structured is None or not isinstance(structured.draft.content, ListContent):
            return
        rows = structured.draft.content.items
        mine = [replace(each, value={**_values(each), name: f"{text}!"}) for each in rows if each == item]
        structured.draft.change(ListContent((*mine, *(each for each in rows if each != item))))
        theirs = UpdateItem(item.id, {name: f"{text}, says Grace"})
        if await self._write(block, theirs) and await comes(lambda: panel.work.is_in_conflict):
            panel.review.compare()
            if await comes(lambda: panel.review.is_open):
                await self._picture(panel, "block-list-conflict")
        panel.work.discard(quiet=True)

    async def losses(self) -> None:
        """What another kind of schema would lose, before anything is stored."""
        for state in self._structured()[:_MOST_TRIED]:
            panel = await self.open(Ref(RefKind.BLOCK, state.block.id))
            panel.show_settings()
            page = panel.settings
            if page is None:
                continue
            kind = ListSchema if isinstance(state.block.schema, TextSchema) else MapSchema
            _choose_kind(page, kind)
            if await comes(partial(_is_previewed, page)) and page.preview.isVisible():
                await settle(self._contents, _SOON_SECONDS)
                for area in page.findChildren(QScrollArea):
                    area.ensureWidgetVisible(page.preview)
                    # Where there is no room for all of it, its beginning.
                    area.ensureWidgetVisible(page.preview.losses)
                await self._picture(panel, "block-settings-losses")
                page.discard()
                return
            page.discard()

    async def redaction(self, block: Ref) -> None:
        """What redacting a version removes, and what is there of it afterwards."""
        panel = await self.open(block)
        panel.views.choose(BlockTabView.HISTORY)
        history = panel.history
        if not await comes(lambda: len(history.versions.rows) > 1):
            return
        history.versions.select(history.versions.rows[1].version.seq)
        if not await comes(history.bar.redact_button.isEnabled):
            return
        history.bar.redact_button.click()
        if not await comes(lambda: bool(history.findChildren(RedactionDialog))):
            return
        dialog = history.findChildren(RedactionDialog)[-1]
        await self._picture(dialog, "block-redact")
        dialog.do.click()
        if await comes(lambda: bool(history.banners.notices)):
            await self._picture(panel, "block-history-redacted")

    async def open(self, block: Ref) -> BlockPanel:
        """The block's tab, in front, with its editor or the review that is open in it."""
        panel = self._contents.open_view("block", block)
        if not isinstance(panel, BlockPanel):
            raise LookupError("there is no panel for a block")
        await settle(self._contents, _SOON_SECONDS)
        return panel

    def _is_writable(self, state: BlockState) -> bool:
        file = self._contents.workspace.file
        return state.block.is_active and not file.is_for_partner(state.block)

    def _structured(self) -> list[BlockState]:
        """Blocks whose schema is tried: first those that lose most as another one."""
        order: tuple[type[Schema], ...] = (ListSchema, TreeSchema, LogSchema, TextSchema)
        file = self._contents.workspace.file
        found = [
            each
            for each in file.blocks.values()
            if type(each.block.schema) in order
            and each.content is not None
            and self._is_writable(each)
            and each.block.id not in file.drafts
        ]
        return sorted(found, key=lambda each: order.index(type(each.block.schema)))

    async def _write(self, block: Ref, operation: Operation) -> bool:
        """Somebody else edits the block; False where a rule is against it."""
        try:
            await self._other.apply([Intent(Edit(block, operation), _OTHER)])
        except InspectorError:
            return False
        return True

    async def _is_told(self, panel: BlockPanel) -> bool:
        return await comes(lambda: bool(panel.banners.notices))


def _text_field(state: BlockState) -> tuple[Ref, ListItem, str, str] | None:
    """The first item of a list that has a text in a field, with the field's name and text."""
    content = state.content
    for item in content.items[:1] if isinstance(content, ListContent) else ():
        for name, value in _values(item).items():
            if isinstance(value, str) and value:
                return Ref(RefKind.BLOCK, state.block.id), item, name, value
    return None


def _values(item: ListItem) -> Mapping[str, FieldItem]:
    return {} if isinstance(item.value, str) else item.value


def _are_worked_out(panel: BlockPanel) -> bool:
    return panel.effects.reader.is_read


def _is_previewed(page: BlockSettingsPage) -> bool:
    return page.work.is_previewed


def _choose_kind(page: BlockSettingsPage, kind: type[Schema]) -> None:
    """Choose it as a person does, who is told of by another signal than the program."""
    box, at = page.schema.kind_box, ALL_KINDS.index(kind)
    box.setCurrentIndex(at)
    box.activated.emit(at)
