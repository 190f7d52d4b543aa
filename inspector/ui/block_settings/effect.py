"""What other settings of a block would do, in words and as a difference of its rendered content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtWidgets import QFrame, QVBoxLayout

from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Request
from inspector.runtime.block_preview import BlockPreview
from inspector.ui.appearance import Appearance
from inspector.ui.history.difference_view import DifferenceView
from inspector.ui.presentation.card import left_out_of, pieces_of
from inspector.ui.presentation.difference import shown_difference
from inspector.ui.safe_text import PlainLabel, one_line
from inspector.ui.widgets.controls import arrange
from inspector.ui.wording import number, signed, tr, tr_count

_HEIGHT_STEPS = 50
_LONGEST_NAME = 40


def effect_text(preview: BlockPreview) -> str:
    """What the Request gains or loses by the settings that were previewed, as sentences."""
    now, after = preview.before, preview.request
    if after is None:
        return tr("With this, the Request can't be built.")
    if now is None:
        return ""
    return " ".join(_effects(Ref(RefKind.BLOCK, preview.state.block.id), now, after))


def _effects(ref: Ref, now: Request, after: Request) -> Iterator[str]:
    was, will = pieces_of(ref, now), pieces_of(ref, after)
    if was and not will:
        yield tr("This block leaves the Request.")
    elif will and not was:
        yield tr("This block enters the Request.")
    change = after.tokens - now.tokens
    if change:
        yield tr(
            "Request: {change} tokens, {total} in total.", change=signed(change), total=number(after.tokens)
        )
    else:
        yield tr("Request: no change in tokens.")
    out = {each.source.id for each in after.left_out} - {each.source.id for each in now.left_out} - {ref.id}
    if out:
        yield tr_count("{count} more item is left out.", "{count} more items are left out.", len(out))
    elif not will and left_out_of(ref, after) is None:
        yield tr("This block isn't in this agent's Request.")


def loss_text(lost: Sequence[str]) -> str:
    """What of a content is lost, as a sentence; that all is kept, where nothing is."""
    if not lost:
        return tr("Keeps all content.")
    kinds = {
        "text": tr("the text"),
        "items": tr("the items"),
        "nesting": tr("the nesting"),
        "blank_lines": tr("blank lines"),
        "fields": tr("the separate fields of items"),
        "max_items": tr("room for all items"),
    }
    names = [kinds.get(each) or tr("“{name}”", name=one_line(each, _LONGEST_NAME)) for each in lost]
    return tr("Removes {names}.", names=", ".join(names))


class SchemaPreview(QFrame):
    """The card that shows what a change of schema makes of the content, before it is done."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self._appearance = appearance
        self.setProperty("role", "card")
        self.title = PlainLabel(tr("Content after the change"), strong=True)
        self.losses = PlainLabel("", wrap=True)
        self.difference = DifferenceView(appearance)
        self.difference.inline.setAccessibleName(tr("Content before and after the change of schema"))
        self._rows = QVBoxLayout(self)
        arrange(self._rows, self.title, self.losses, self.difference)
        appearance.changed.connect(self._measure)
        self._measure()
        self.hide()

    def show_preview(self, preview: BlockPreview | None) -> None:
        """Show what is kept and lost; nothing where the schema stays."""
        comparison = None if preview is None else preview.comparison
        self.setVisible(comparison is not None)
        if preview is not None and comparison is not None:
            self.losses.setText(loss_text(preview.lost))
            self.losses.set_tone("warning" if preview.lost else "ok")
            self.difference.show_difference(shown_difference(comparison))

    def _measure(self) -> None:
        space = self._appearance.space
        self._rows.setContentsMargins(*[space(3)] * 4)
        self._rows.setSpacing(space(2))
        self.difference.setFixedHeight(space(_HEIGHT_STEPS))
