"""The tools of a Request under names that a provider accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.wire.naming import NameRule, UniqueNames
from inspector.domain.wire.objects import leaves, object_schema
from inspector.domain.wire.own_tools import own_type
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
    is_recorded: bool
    own_type: str = ""
    """The type of the provider's own tool that it goes out as; empty where its definition is sent."""

    def definition(self, named: Mapping[str, Any], schema_key: str) -> dict[str, Any]:
        """The definition behind what a form writes first; a recorded one has no schema if it had none."""
        if self.own_type:
            return {"type": self.own_type, **named}
        described = {"description": self.description} if self.description else {}
        schema = {schema_key: self.schema} if self.schema or not self.is_recorded else {}
        return {**named, **described, **schema}


class OfferedTools:
    """The tools, and the names that calls of them go out with. Declared tools keep their names before others do."""

    def __init__(self, outgoing: Outgoing, form: WireForm, rule: NameRule, notes: Adaptations) -> None:
        self._outgoing = outgoing
        self._form = form
        self._book = UniqueNames(rule)
        self._notes = notes
        for tool in outgoing.tools:
            self._book.reserve(tool.name)

    def name(self, own: str, where: str, *, is_recorded: bool = False) -> str:
        """The name of a tool, or of one that a call names and nobody offers any more.

        Args:
            own: Its own.
            where: The piece that names it.
            is_recorded: Whether the name came in this very form, so that it is legal there.
        """
        if is_recorded:
            return own
        given = self._book.name(own)
        if given != own:
            self._notes.changed("tool_renamed", where, name=own, new=given)
        return given

    def all(self) -> Iterator[OfferedTool]:
        for tool in self._outgoing.tools:
            schema, changed = object_schema(tool.parameters)
            is_recorded = self._form in tool.extra_body
            own = "" if is_recorded else own_type(tool.own_types, self._outgoing.facts, self._form.value)
            if own:
                self._notes.changed("own_tool", tool.piece_id, name=tool.name, type=own)
            elif is_recorded:
                # It came in this very form, so that it is legal there as it is.
                schema = dict(tool.parameters)
            elif changed:
                self._notes.changed("schema_changed", tool.piece_id, keys=changed)
            for form, fields in tool.extra_body.items():
                for key in leaves(fields) if form != self._form else ():
                    if key != "type":
                        self._notes.lost("tool_field_not_sent", tool.piece_id, name=key)
            name = self.name(tool.name, tool.piece_id, is_recorded=is_recorded)
            extra = tool.extra_body.get(self._form, {})
            yield OfferedTool(tool.piece_id, name, tool.description, schema, extra, is_recorded, own)

    @property
    def renamed(self) -> Mapping[str, str]:
        """Names on the wire that differ from the tools' own, and the own ones."""
        return self._book.renamed
