"""The tools of a Request under names that a provider accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.wire.naming import NameRule, UniqueNames
from inspector.domain.wire.objects import object_schema
from inspector.domain.wire.values import Adaptations, Outgoing


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool as it goes out."""

    piece_id: str
    name: str
    description: str
    schema: dict[str, Any]


class OfferedTools:
    """The tools, and the names that calls of them go out with. Declared tools keep their names before others do."""

    def __init__(self, outgoing: Outgoing, rule: NameRule, notes: Adaptations) -> None:
        self._outgoing = outgoing
        self._book = UniqueNames(rule)
        self._notes = notes
        for tool in outgoing.tools:
            self._book.reserve(tool.name)

    def name(self, own: str, where: str) -> str:
        """The name of a tool, or of one that a call names and nobody offers any more."""
        given = self._book.name(own)
        if given != own:
            self._notes.changed("tool_renamed", where, name=own, new=given)
        return given

    def all(self) -> Iterator[OfferedTool]:
        for tool in self._outgoing.tools:
            schema, changed = object_schema(tool.parameters)
            if changed:
                self._notes.changed("schema_changed", tool.piece_id, keys=changed)
            yield OfferedTool(tool.piece_id, self.name(tool.name, tool.piece_id), tool.description, schema)

    @property
    def renamed(self) -> Mapping[str, str]:
        """Names on the wire that differ from the tools' own, and the own ones."""
        return self._book.renamed
