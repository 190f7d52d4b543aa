"""What a view edits, a whole content or a section of one, and what it edits it with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from inspector.domain.blocks import Schema
from inspector.domain.content import CompositeContent, Content
from inspector.domain.dataclass import dataclass
from inspector.domain.edits.base import UnreadJson
from inspector.domain.ref import Ref, RefKind
from inspector.ui.appearance import Appearance
from inspector.ui.bridge import Bridge
from inspector.ui.editors.content_draft import ContentDraft
from inspector.ui.editors.token_figures import TokenFigures
from inspector.ui.icons import Icons


class Part(Protocol):
    """A content that a view shows and changes.

    `shown` tells that it is another or may be edited or not. `given_up` asks to forget what can't be taken into it.
    """

    @property
    def shown(self) -> SignalInstance: ...

    @property
    def given_up(self) -> SignalInstance: ...

    @property
    def schema(self) -> Schema: ...

    @property
    def content(self) -> Content: ...

    @property
    def base(self) -> Content:
        """The content as it is stored."""

    @property
    def is_read_only(self) -> bool: ...

    def change(self, content: Content, place: object = None, kept: int = 0) -> None:
        """Make the content another; see `ContentDraft.change`."""

    def end_step(self) -> None:
        """Have the next change be a step of its own; see `ContentDraft.end_step`."""

    def tell_fault(self, place: object, fault: str) -> None:
        """Say what of a place cannot be taken as it is typed, nothing where all of it can."""


class SectionPart(QObject):
    """One section of a composite block's draft."""

    shown = Signal()
    given_up = Signal()

    def __init__(self, whole: ContentDraft, name: str, schema: Schema, parent: QObject) -> None:
        super().__init__(parent)
        self._whole = whole
        self._name = name
        self.schema = schema
        self._seen: tuple[Content, Content, bool] | None = None
        whole.shown.connect(self._follow)
        whole.given_up.connect(self.given_up)

    @property
    def content(self) -> Content:
        return _section(self._whole.content, self._name)

    @property
    def base(self) -> Content:
        return _section(self._whole.base, self._name)

    @property
    def is_read_only(self) -> bool:
        return self._whole.is_read_only

    def change(self, content: Content, place: object = None, kept: int = 0) -> None:
        whole = self._whole.content
        if isinstance(whole, CompositeContent) and not isinstance(content, CompositeContent):
            sections = {**whole.sections, self._name: content}
            self._whole.change(CompositeContent(sections), None if place is None else (self._name, place))

    def end_step(self) -> None:
        self._whole.end_step()

    def tell_fault(self, place: object, fault: str) -> None:
        self._whole.tell_fault((self._name, place), fault)

    def _follow(self) -> None:
        whole = self._whole.content
        if not isinstance(whole, CompositeContent) or self._name not in whole.sections:
            # Another schema has no such section; its editor is about to go.
            return
        now = (self.content, self.base, self.is_read_only)
        if self._seen is None or any(one is not other for one, other in zip(now, self._seen, strict=True)):
            self._seen = now
            self.shown.emit()


def _section(content: Content, name: str) -> Content:
    if not isinstance(content, CompositeContent):
        raise TypeError(type(content).__name__)
    return content.sections[name]


@dataclass(frozen=True, slots=True)
class EditorTools:
    """What views edit with: the look, new ids, figures, and what stands in for a time and author yet to come."""

    appearance: Appearance
    icons: Icons
    figures: TokenFigures
    new_id: Callable[[str], str]
    stamp: Callable[[], tuple[str, str]]
    bridge: Bridge | None = None
    unread: KeptJson | None = None


class UnreadTexts(Protocol):
    """The JSON of all blocks that can't be read yet."""

    def get(self, block_id: str) -> UnreadJson | None: ...

    def put(self, unread: UnreadJson) -> None: ...

    def drop(self, block_id: str) -> None: ...


class KeptJson:
    """What is kept of one block's JSON that can't be read yet: it outlives its tab and the program."""

    def __init__(self, drafts: UnreadTexts, block_id: str) -> None:
        self._drafts = drafts
        self._block = Ref(RefKind.BLOCK, block_id)

    def keep(self, base: Content, text: str) -> None:
        """Remember the text, and the content that it said before something in it was wrong."""
        self._drafts.put(UnreadJson(self._block, base, text))

    def forget(self) -> None:
        """It can be read by now, or isn't wanted."""
        self._drafts.drop(self._block.id)

    def get(self) -> UnreadJson | None:
        """What is kept, None for nothing."""
        return self._drafts.get(self._block.id)


@runtime_checkable
class Form(Protocol):
    """A view with boxes, in which something may be typed that can't be taken yet."""

    @property
    def typed(self) -> Content:
        """The content with that as text in place of values, as JSON has it that can't be read."""


MakeView = Callable[[Part, EditorTools], QWidget]
