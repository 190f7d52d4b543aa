"""The tools of a Request under names that a provider accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.wire.naming import NameRule, UniqueNames
from inspector.domain.wire.objects import object_schema
from inspector.domain.wire.values import Adaptations, Outgoing, WireForm


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """One tool as it goes out."""

    piece_id: str
    name: str
    description: str
    schema: dict[str, Any]
    extra_body: Mapping[str, Any]
    """Further fields of the definition, for the form that it is written in."""


class OfferedTools:
    """The tools, and the names that calls of them go out with. Declared tools keep their names before others do."""

    def __init__(self, outgoing: Outgoing, form: WireForm, rule: NameRule, notes: Adaptations) -> None:
        self._outgoing = outgoing
        self._form = form
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
            if self._form in tool.extra_body:
                # It came in this very form, so that it is legal there as it is.
                schema = dict(tool.parameters)
            elif changed:
                self._notes.changed("schema_changed", tool.piece_id, keys=changed)
            for form, fields in tool.extra_body.items():
                for key in fields if form != self._form else ():
                    self._notes.lost("tool_field_not_sent", tool.piece_id, name=key)
            name = self.name(tool.name, tool.piece_id)
            extra = tool.extra_body.get(self._form, {})
            yield OfferedTool(tool.piece_id, name, tool.description, schema, extra)

    @property
    def renamed(self) -> Mapping[str, str]:
        """Names on the wire that differ from the tools' own, and the own ones."""
        return self._book.renamed
