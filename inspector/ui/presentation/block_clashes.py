"""Settings of a block that a person and somebody else changed to different values, and how they are named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inspector.domain.blocks import Block
from inspector.ui.presentation.card import level_name, schema_name
from inspector.ui.safe_text import one_line
from inspector.ui.wording import number, tr

BLOCK_SETTINGS = ("label", "description", "block_type", "char_limit", "permission", "pinned", "schema")
"""What of a block can be set on its settings page, by name."""
_LONGEST = 60


def settings_of(block: Block) -> tuple[object, ...]:
    """What of a block its settings change: the same as long as nobody saved other settings."""
    return tuple(getattr(block, name) for name in BLOCK_SETTINGS)


def clashing(base: Block | None, stored: Block, wanted: Block) -> tuple[str, ...]:
    """The settings that are wanted otherwise and that somebody else changed since `base`.

    Without a base nobody knows what they changed: all that are wanted otherwise.
    """
    return tuple(
        name
        for name in BLOCK_SETTINGS
        if getattr(wanted, name) != getattr(stored, name)
        and (base is None or getattr(base, name) not in (getattr(stored, name), getattr(wanted, name)))
    )


def with_theirs(wanted: Block, stored: Block, names: Iterable[str]) -> Block:
    """The wanted settings with some of the stored ones in their place."""
    return replace(wanted, **{name: getattr(stored, name) for name in names})


def clash_text(names: Iterable[str], stored: Block) -> str:
    """Each setting with its stored value, in words."""
    return ", ".join(one_line(_said(name, stored), _LONGEST) for name in names)


def _said(name: str, block: Block) -> str:
    limit = number(block.char_limit) if block.char_limit else tr("none")
    said = {
        "label": lambda: tr("label “{value}”", value=block.label),
        "description": lambda: tr("description “{value}”", value=block.description),
        "block_type": lambda: tr("place “{value}”", value=block.block_type.value),
        "char_limit": lambda: tr("character limit {value}", value=limit),
        "permission": lambda: tr("rights “{value}”", value=level_name(block.permission)),
        "pinned": lambda: tr("pinned") if block.pinned else tr("not pinned"),
        "schema": lambda: tr("schema {value}", value=schema_name(block.schema)),
    }
    return said[name]()
