"""Whatever the library raises is an error of ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inspector.documents.document import Document
from inspector.domain.blocks import (
    TextSchema,
)
from inspector.domain.content import (
    TextContent,
)
from inspector.domain.edits.base import Version
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import DocumentError
from tests.documents.builders import new, stamp


class Broken:
    """Stands for a document whose library fails at every touch."""

    def __getattr__(self, name: str) -> object:
        raise BaseException(name)  # noqa: TRY002  the library's own errors are exactly that


_CALLS: dict[str, Callable[[Document], object]] = {
    "version": lambda document: document.version,
    "peer": lambda document: document.peer,
    "own_operations": lambda document: document.own_operations,
    "has_pending": lambda document: document.has_pending,
    "text_length": lambda document: document.text_length,
    "apply": lambda document: document.apply(AppendText("x"), stamp()),
    "apply_restore": lambda document: document.apply(RestoreVersion(Version("00")), stamp()),
    "content": Document.content,
    "content_at": lambda document: document.content_at(Version("00")),
    "trial": lambda document: document.trial(),
    "text_edits": lambda document: document.text_edits([Version("00")]),
    "contents_at": lambda document: list(document.contents_at([Version("00")])),
    "at": lambda document: document.at(Version("00")),
    "merge": lambda document: document.merge(new(TextSchema(), TextContent("x")).export_updates()),
    "export_snapshot": Document.export_snapshot,
    "export_updates": lambda document: document.export_updates(None),
    "undo": lambda document: document.undo(Version("00"), Version("00"), stamp()),
    "fill": lambda document: document.fill(TextContent("x"), stamp()),
    "name_versions": lambda document: document.name_versions({Version("00"): Version("00")}, stamp()),
    "brought_forward": lambda document: document.brought_forward(AppendText("x"), Version("00")),
    "become": lambda document: document.become(TextContent("x"), stamp()),
}


@pytest.mark.parametrize("name", sorted(_CALLS))
def test_that_a_bare_failure_of_the_library_becomes_an_error_of_ours(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = new(TextSchema(), TextContent("x"))
    monkeypatch.setattr(document._replica, "doc", Broken())  # noqa: SLF001  nothing else fails on demand
    with pytest.raises(DocumentError):
        _CALLS[name](document)


def test_that_every_door_of_a_document_is_in_that_list() -> None:
    doors = {name for name in vars(Document) if not name.startswith("_")}
    # Making one anew, a comparison of `version` before anything else, and asking whether.
    assert doors - {"create", "load", "discard", "knows"} == {
        name for name in _CALLS if name != "apply_restore"
    }
