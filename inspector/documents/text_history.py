"""Follows the texts of a document from version to version, and tells what each step does to them.

Loro tells what differs between any two versions, but takes time with the square of the longest text that was written
or removed between them, and goes through most of the history for a few letters. What it takes in it tells as well, and
in no time. So a copy of the document as of an earlier version takes in what came after it, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loro import ContainerID, Diff, DiffEvent, LoroText

from inspector.documents.errors import guarded
from inspector.documents.loro_replica import LoroReplica
from inspector.documents.shapes.text import splices_of_delta
from inspector.domain.edits.base import Version
from inspector.domain.edits.text import Splice
from inspector.domain.splices import between

TextEdits = Mapping[str, tuple[Splice, ...]]
"""Edits of texts by section, under an empty name where there are no sections; one that stays may be missing."""


class TextHistory:
    """The texts of a document, from an earlier version on.

    `there` is a replica as of that version, which nobody else writes; `texts` are the present ones by section.
    """

    def __init__(self, replica: LoroReplica, there: LoroReplica, texts: Mapping[str, LoroText]) -> None:
        self._replica = replica
        with guarded("document.failed"):
            ids = {section: text.id for section, text in texts.items()}
        self._names = {id_.name: section for section, id_ in ids.items() if isinstance(id_, ContainerID.Root)}
        self._listen(there)

    def texts(self) -> dict[str, str]:
        """The texts at the version that was reached, by section."""
        with guarded("document.failed"):
            return {
                section: self._there.doc.get_text(name).to_string() for name, section in self._names.items()
            }

    def go(self, version: Version) -> TextEdits:
        """Go to another version, and give what that does to each text.

        Raises:
            DocumentError: ``document.unknown_version``.
        """
        frontiers = self._replica.frontiers(version)
        self._heard.clear()
        if self._there.catch_up(self._replica, frontiers):
            return dict(self._steps())
        # It lies behind, or beside: then the texts alone say what differs.
        before = self.texts()
        self._listen(self._replica.fork(frontiers))
        after = self.texts()
        return {section: between(text, after[section]) for section, text in before.items()}

    def _listen(self, there: LoroReplica) -> None:
        self._there = there
        self._heard: list[DiffEvent] = []
        with guarded("document.failed"):
            self._subscription = there.doc.subscribe_root(self._heard.append)

    def _steps(self) -> Iterator[tuple[str, tuple[Splice, ...]]]:
        with guarded("document.failed"):
            for part in (part for event in self._heard for part in event.events):
                target, diff = part.target, part.diff
                if (
                    isinstance(target, ContainerID.Root)
                    and isinstance(diff, Diff.Text)
                    and target.name in self._names
                ):
                    yield self._names[target.name], tuple(splices_of_delta(diff.diff))
