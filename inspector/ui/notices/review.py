"""The review in a tab: opens when both sides wrote at the same place, and gives the decision to the draft."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from inspector.domain.content import Content, TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SpliceText
from inspector.domain.history import ThreeWay
from inspector.domain.ref import Ref
from inspector.domain.resolution import Choice
from inspector.domain.splices import changed_stretch
from inspector.ui.actions import Action
from inspector.ui.draft_comparison import Comparison, edit_to
from inspector.ui.edit_session import EditSession
from inspector.ui.editors.review_page import ReviewPage
from inspector.ui.file_state import UnsavedEdit
from inspector.ui.panel import PanelServices
from inspector.ui.wording import tr, tr_count


class TabReview(QObject):
    """Shows both sides in place of the editor until that is saved or left. `changed` tells of any difference.

    Its page is made when it is first asked for, and `made` carries it: most drafts never meet a conflict.

    What is reviewed is known to whoever derives from this: it takes the decision as the draft, and saves it.
    """

    changed = Signal()
    made = Signal(object)

    def __init__(self, services: PanelServices, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = services.appearance
        self.is_open = False

    @cached_property
    def page(self) -> ReviewPage:
        """Where both sides are shown and decided about."""
        page = ReviewPage(self._appearance)
        page.closed.connect(self.leave)
        page.changed.connect(self.changed)
        self.made.emit(page)
        return page

    @abstractmethod
    def take_decision(self) -> None:
        """Make what was decided the draft."""

    @abstractmethod
    def save_decision(self, reason: str) -> None:
        """Save the draft that was decided about, with a reason."""

    @abstractmethod
    def compare(self) -> None:
        """Ask for the review, also where nothing is in conflict."""

    @abstractmethod
    def why_not_compared(self) -> str:
        """Why there is nothing to review, nothing where there is."""

    def why_not_saved(self) -> str:
        """Why what is reviewed can't be saved yet, nothing when it can."""
        left = self.page.undecided if self.is_open else 0
        return tr_count("{count} conflict to decide", "{count} conflicts to decide", left) if left else ""

    def save(self, reason: str) -> None:
        """Save the merged content with a reason."""
        if self.is_open and not self.page.undecided:
            self.take_decision()
            self.close()
            self.save_decision(reason)

    def leave(self) -> None:
        """Go back to the editor: to the merged content if all is decided, else to the draft as it was."""
        if self.is_open and not self.page.undecided:
            self.take_decision()
        self.close()

    def settle(self) -> None:
        """Keep what is decided as the draft when the tab goes out of sight."""
        if self.is_open and not self.page.undecided:
            self.leave()

    def actions_of_tab(self) -> tuple[Action, ...]:
        """What is done by key while a review is open."""
        return (
            Action(
                "review.open", tr("Review the other version"), self.compare, None, "", self.why_not_compared
            ),
            Action(
                "review.next", tr("Next conflict"), lambda: self.page.step(1), "F7", "forward", self._not_open
            ),
            Action(
                "review.previous",
                tr("Previous conflict"),
                lambda: self.page.step(-1),
                "Shift+F7",
                "back",
                self._not_open,
            ),
            self._choice("review.theirs", tr("Take theirs"), Choice.THEIRS, "Alt+Shift+T"),
            self._choice("review.mine", tr("Take mine"), Choice.MINE, "Alt+Shift+M"),
            self._choice("review.both", tr("Take both"), Choice.BOTH, "Alt+Shift+B"),
            Action("review.close", tr("Back to editing"), self.leave, None, "", self._not_open),
        )

    def actions_of_page(self, page: QWidget) -> tuple[Action, ...]:
        """Those of `actions_of_tab` that hold within the page, once that is made."""
        leave, why_not = self.leave, self._not_open
        return (Action("review.close", tr("Back to editing"), leave, "Escape", "", why_not, scope=page),)

    def open_with(self, sides: ThreeWay, name: str) -> None:
        """Show a draft beside what was stored meanwhile by `name`."""
        self.page.show_sides(sides, name)
        self.is_open = True
        self.changed.emit()
        self.page.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> None:
        """Show the editor again, with the draft as it is."""
        if self.is_open:
            self.is_open = False
            self.changed.emit()

    def _choice(self, id_: str, title: str, choice: Choice, keys: str) -> Action:
        return Action(id_, title, lambda: self.page.choose(choice), keys, "", self._not_open)

    def _not_open(self) -> str:
        return "" if self.is_open else tr("no review is open")


class BlockReview(TabReview):
    """The review of a block's draft."""

    def __init__(self, services: PanelServices, session: EditSession, parent: QObject) -> None:
        super().__init__(services, parent)
        self._session = session
        self._draft: UnsavedEdit | None = None
        session.compared.connect(self._show)
        session.changed.connect(self._follow)
        session.met.connect(self._meet)

    @property
    def draft(self) -> UnsavedEdit | None:
        """What saving would store as it is decided now; None where that is nothing, or no review is open."""
        sides = self.page.sides if self.is_open else None
        if sides is None:
            self._draft = None
            return None
        content = self.page.content
        if (
            self._draft is None
            or self._draft.content != content
            or self._draft.edit.base != sides.theirs_version
        ):
            edit = _edit_of(self._session.ref, sides, content)
            self._draft = None if edit is None else UnsavedEdit(edit, content)
        return self._draft

    def take_decision(self) -> None:
        sides = self.page.sides
        if sides is not None:
            self._session.take_resolved(sides, self.page.content)

    def save_decision(self, reason: str) -> None:
        self._session.save(reason)

    def compare(self) -> None:
        self._session.review()

    def why_not_compared(self) -> str:
        return "" if self._session.is_stale else tr("nobody else changed this block")

    def _show(self, found: Comparison) -> None:
        written = found.state.written
        self.open_with(found.sides, written.actor.name if written else tr("Someone else"))

    def _meet(self, _: object) -> None:
        """Somebody wrote again: show that, unless somebody has begun to decide, which Save then compares anew."""
        if self.is_open and self.page.is_touched:
            self.page.tell_stale()
        elif self.is_open:
            self._session.review()

    def _follow(self) -> None:
        """Close when the draft was saved or discarded from elsewhere."""
        if not self._session.is_dirty:
            self.close()


def _edit_of(ref: Ref, sides: ThreeWay, content: Content) -> Edit | None:
    """What makes of the stored content the one that was decided on, None where nothing does."""
    theirs = sides.theirs
    if isinstance(theirs, TextContent) and isinstance(content, TextContent):
        # As one stretch: it is worked out at every key, and only what comes of it is looked at.
        splices = changed_stretch(theirs.text, content.text)
        return Edit(ref, SpliceText(splices), sides.theirs_version) if splices else None
    return edit_to(ref, sides, content)
