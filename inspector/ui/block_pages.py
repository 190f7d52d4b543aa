"""The views of a block's tab beside its editor, each made when it is first looked at."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from inspector.ui.actions import Action
from inspector.ui.block_settings.page import BlockSettingsPage
from inspector.ui.file_state import What
from inspector.ui.history.page import HistoryPage, history_actions
from inspector.ui.notices.block_editors import BlockEditors
from inspector.ui.notices.rendered_block import RenderedPage
from inspector.ui.notices.review import BlockReview
from inspector.ui.panel import Panel
from inspector.ui.sharing.attachments import BlockSharing
from inspector.ui.sharing.changing import access_actions
from inspector.ui.sharing.page import SharingPage
from inspector.ui.wording import tr


class BlockPages(QObject):
    """Puts each page into the tab's stack, and its actions in the place of those that nothing could be done with.

    A page takes longer to make than the editor, and most are never looked at. `changed` tells that the settings'
    unsaved changes are others.
    """

    changed = Signal()

    def __init__(
        self,
        panel: Panel,
        block_id: str,
        stack: QStackedWidget,
        editors: BlockEditors,
        who_sees: BlockSharing,
        review: BlockReview,
    ) -> None:
        super().__init__(panel)
        self._panel = panel
        self._id = block_id
        self._stack = stack
        self._editors = editors
        self.settings: BlockSettingsPage | None = None
        """Its settings, None while nobody has looked at them."""
        self._who_sees = who_sees
        self._review = review
        review.made.connect(self._take_review)

    @cached_property
    def rendered(self) -> RenderedPage:
        """The block as the model gets it."""
        made = RenderedPage(self._panel.services, self._id)
        self._stack.addWidget(made)
        return made

    @cached_property
    def history(self) -> HistoryPage:
        """All versions of the block, and what differs between them."""
        made = HistoryPage(self._panel.services, self._id, self._is_dirty)
        self._stack.addWidget(made)
        self._panel.act_from_now(*made.actions_of_tab())
        return made

    @cached_property
    def sharing(self) -> SharingPage:
        """Who sees the block, and what it costs them."""
        made = SharingPage(self._panel.services, self._who_sees)
        self._stack.addWidget(made)
        self._panel.act_from_now(*made.actions_of_tab())
        return made

    def made_settings(self) -> BlockSettingsPage:
        """The settings' page, made when it is first looked at."""
        if self.settings is None:
            services, tools = self._panel.services, self._editors.tools()
            self.settings = BlockSettingsPage(services, self._id, tools, self._is_dirty)
            self.settings.changed.connect(self.changed)
            self._stack.addWidget(self.settings)
        return self.settings

    def _is_dirty(self) -> bool:
        # What is typed and can't be read yet would be lost with another kind, too.
        return self._editors.work.is_dirty or bool(self._editors.faults)

    def actions_of_tab(self) -> tuple[Action, ...]:
        """What can be done on the pages, while they are still to be made."""
        return (*history_actions(None), *access_actions(None, _nothing, _nothing, _not_shared, _not_shared))

    def follow(self, what: What) -> None:
        """Show what changed of the file on what is made."""
        if "sharing" in self.__dict__:
            self.sharing.follow(what)

    def _take_review(self, page: QWidget) -> None:
        self._stack.addWidget(page)
        self._panel.act_from_now(*self._review.actions_of_page(page))


def _nothing() -> None:
    """Nothing can be done yet, as `_not_shared` says."""


def _not_shared() -> str:
    return tr("no block is shown in Sharing")
