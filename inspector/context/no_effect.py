"""Finds the parts of a what-if that changed nothing, and says why.

Of a part that is about one thing the two Requests tell it, as far as that thing stands in one of them otherwise.
Where they do not, the Request is built without the part: it came to nothing if that gives the same text and tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cached_property

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import LeftOut, Request
from inspector.domain.simulation import NoEffect, NoEffectReason, Overlay, Simulation
from inspector.domain.snapshot import Snapshot

Build = Callable[[Overlay], Request]
"""Builds the Request of an overlay."""

_SETTINGS = (
    *("model", "layout", "strategy", "include_descriptions", "include_schemas", "activity"),
    "max_messages_cap",
)


def in_vain(build: Build, snapshot: Snapshot, overlay: Overlay, found: Simulation) -> tuple[NoEffect, ...]:
    """The parts of an overlay that came to nothing. An agent's or a layout's unsaved state is not looked into.

    Args:
        build: Builds the Request of another overlay over the same view.
        snapshot: The view that the overlay was laid over.
        overlay: The what-if.
        found: What came of it.
    """
    look = _Look(build, snapshot, overlay, found)
    return (*look.pinned(), *look.dropped(), *look.edited(), *look.limits(), *look.settings())


@dataclass(frozen=True)
class _Look:
    build: Build
    snapshot: Snapshot
    overlay: Overlay
    found: Simulation

    def pinned(self) -> Iterator[NoEffect]:
        """Pins of what is not in all the same, or would be in without them."""
        for ref in sorted(self.overlay.pinned):
            targets = self._targets(ref)
            if not targets & self._after:
                yield NoEffect("pinned", ref, NoEffectReason.STILL_OUT, self._row(self.found.after, ref))
            elif targets <= self._before and self._is_idle(pinned=self.overlay.pinned - {ref}):
                yield NoEffect("pinned", ref, NoEffectReason.IN_ALREADY)

    def dropped(self) -> Iterator[NoEffect]:
        """Drops of what is not in anyway."""
        for ref in sorted(self.overlay.dropped):
            if self._targets(ref) & self._before:
                continue
            if self._is_idle(dropped=self.overlay.dropped - {ref}):
                yield NoEffect("dropped", ref, NoEffectReason.OUT_ALREADY, self._row(self.found.before, ref))

    def edited(self) -> Iterator[NoEffect]:
        """Texts and contents that nobody would read, or that are what they were."""
        for ref in sorted(self.overlay.edited):
            left = {other: text for other, text in self.overlay.edited.items() if other != ref}
            yield from self._written("edited", ref, left)
        for block_id in sorted(self.overlay.drafts):
            others = {each: content for each, content in self.overlay.drafts.items() if each != block_id}
            yield from self._written("drafts", Ref(RefKind.BLOCK, block_id), others)

    def limits(self) -> Iterator[NoEffect]:
        """Limits that are so already, or that nothing reaches."""
        given = self.overlay.limits
        if given is None:
            return
        for each in fields(given):
            if getattr(given, each.name) is not None:
                without = replace(given, **{each.name: None})
                yield from self._setting(each.name, limits=without)

    def settings(self) -> Iterator[NoEffect]:
        """Settings that are so already, or that change nothing here."""
        for name in _SETTINGS:
            if getattr(self.overlay, name) is not None:
                yield from self._setting(name, **{name: None})

    def _setting(self, name: str, **without: object) -> Iterator[NoEffect]:
        reported = {each.partition(".")[0] for each, _, _ in self.found.diff.settings}
        if name not in reported and name != "preset":
            yield NoEffect(name, None, NoEffectReason.AS_IS)
        elif name != "model" and self._is_idle(**without):
            # Another model is another Request, whatever its text.
            yield NoEffect(name, None, NoEffectReason.SAME)

    def _written(self, part: str, ref: Ref, left: object) -> Iterator[NoEffect]:
        targets = self._targets(ref)
        if not targets & (self._before | self._after):
            yield NoEffect(part, ref, NoEffectReason.STILL_OUT, self._row(self.found.after, ref))
        elif not targets & self._changed and self._is_idle(**{part: left}):
            yield NoEffect(part, ref, NoEffectReason.SAME)

    def _is_idle(self, **without: object) -> bool:
        try:
            other = self.build(replace(self.overlay, **without))  # type: ignore[arg-type]  # names of Overlay
        except InspectorError:
            return False
        return (other.tokens, other.text) == (self.found.after.tokens, self.found.after.text)

    @cached_property
    def _before(self) -> frozenset[Ref]:
        return _sources(self.found.before)

    @cached_property
    def _after(self) -> frozenset[Ref]:
        return _sources(self.found.after)

    @cached_property
    def _changed(self) -> frozenset[Ref]:
        return frozenset(ref for each in self.found.diff.changes if (ref := each.source.ref) is not None)

    def _targets(self, ref: Ref) -> frozenset[Ref]:
        """What stands for a thing in a Request: of a batch its messages."""
        if ref.kind is not RefKind.BATCH:
            return frozenset({ref.whole})
        messages = (each for batch in self.snapshot.history if batch.id == ref.id for each in batch.messages)
        return frozenset(Ref(RefKind.MESSAGE, each.id) for each in messages)

    def _row(self, request: Request, ref: Ref) -> LeftOut | None:
        """Why a thing is out; of a message what is said of its batch, if nothing is said of it alone."""
        names = [ref.whole, *self._batch(ref)]
        return next((row for name in names for row in request.left_out if row.source.ref == name), None)

    def _batch(self, ref: Ref) -> Iterator[Ref]:
        for batch in self.snapshot.history:
            if ref.kind is RefKind.MESSAGE and any(each.id == ref.id for each in batch.messages):
                yield Ref(RefKind.BATCH, batch.id)


def _sources(request: Request) -> frozenset[Ref]:
    pieces = (piece for section in request.sections for piece in section.pieces)
    return frozenset(ref for piece in pieces if (ref := piece.source.ref) is not None)
