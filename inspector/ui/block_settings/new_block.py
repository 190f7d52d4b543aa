"""Asks for a new block: its label, its place, the schema that it begins with, and its limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from inspector.domain.agents import Agent
from inspector.domain.blocks import DEFAULT_CHAR_LIMIT, BlockType, ReadySchema, Schema
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.snapshot import BlockState
from inspector.runtime.ready_schemas import ready_schemas
from inspector.ui.block_settings.schema_kinds import ALL_KINDS, kind_names
from inspector.ui.presentation.labels import label_fault
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.wording import tr

_BY_SCHEMA = ""
"""The place that goes with the chosen schema."""


def ask_new_block(
    parent: QWidget, agent: Agent, blocks: Mapping[str, BlockState], answered: Callable[[CreateBlock], None]
) -> None:
    """Ask for a block of an agent's, and give the operation that makes it."""
    types = tuple((each.value, tr(each.value.capitalize())) for each in BlockType)
    usual = (_BY_SCHEMA, tr("As the schema suggests"))
    fields = (
        FormField("label", tr("Label"), required=True, fault=label_fault(blocks.values(), agent.id)),
        FormField("schema", tr("Schema"), choices=tuple((id_, title) for id_, title, _ in _schemas())),
        FormField("type", tr("Place"), _BY_SCHEMA, (usual, *types)),
        FormField("description", tr("Description")),
        FormField("limit", tr("Character limit"), str(DEFAULT_CHAR_LIMIT), fault=_limit_fault),
    )
    title = tr("New block for {agent}", agent=agent.name)
    dialog = FormDialog(
        parent, title, fields, tr("Create block"), lambda given: answered(_operation(agent, given))
    )
    dialog.show()


def _schemas() -> tuple[tuple[str, str, ReadySchema | None], ...]:
    """What a block can begin with: a bare kind, or a ready-made schema."""
    bare = tuple((kind.__name__, kind_names()[kind], None) for kind in ALL_KINDS)
    ready = tuple((each.id, f"{tr(each.title)} · {tr(each.description)}", each) for each in ready_schemas())
    return (
        *bare[:1],
        *ready,
        *((id_, tr("Empty {kind}", kind=name.lower()), one) for id_, name, one in bare[1:]),
    )


def _operation(agent: Agent, given: Mapping[str, str]) -> CreateBlock:
    schema, place, description = _begun_with(given["schema"])
    operation = CreateBlock(
        agent.id,
        given["label"],
        schema,
        BlockType(given["type"]) if given["type"] else place,
        given["description"] or description,
    )
    limit = _limit_in(given["limit"])
    return operation if limit is None else replace(operation, char_limit=limit)


def _begun_with(id_: str) -> tuple[Schema, BlockType, str]:
    ready = next((each for each in ready_schemas() if each.id == id_), None)
    if ready is not None:
        return ready.schema, ready.block_type, tr(ready.description)
    kind = next(each for each in ALL_KINDS if each.__name__ == id_)
    return kind(), BlockType.LOG if kind.__name__ == "LogSchema" else BlockType.WORKING, ""


def _limit_in(text: str) -> int | None:
    plain = text.replace(",", "").replace(" ", "")
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) < _MOST_DIGITS else None


def _limit_fault(text: str) -> str:
    return tr("Enter a whole number. 0 means no limit.") if _limit_in(text) is None else ""


_MOST_DIGITS = 10
