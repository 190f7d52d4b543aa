"""A what-if: the changes applied for one build, and their result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from inspector.domain.agent_settings import UnsavedSettings
from inspector.domain.agents import ActivitySettings, Agent
from inspector.domain.content import Content
from inspector.domain.dataclass import dataclass
from inspector.domain.layouts import Layout
from inspector.domain.limits import LimitOverrides, Strategy
from inspector.domain.messages import Part
from inspector.domain.ref import Ref
from inspector.domain.requests import Diff, LeftOut, Request


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a what-if changes. None, or nothing, leaves as is; nothing of it is ever stored.

    Attributes:
        model: Another model.
        limits: Other limits; those that are None stay.
        layout: Another layout, by name.
        strategy: Another strategy.
        include_descriptions: Whether blocks have their descriptions.
        include_schemas: Whether hints on schemas stand in the prompt.
        activity: Other settings of the recent activity.
        max_messages_cap: Another cap of the history.
        own_layout: A layout that is not stored, or not as it is here; it is used unless `layout` names another.
        agent: The agent's settings as a draft has them.
        drafts: Unsaved contents by block id.
        messages: Unsaved parts by message id; one that isn't in the view stays out of it.
        pinned: Blocks that are chosen first; archived messages and batches that are in the conversation again.
        working: Blocks that are working memory where they are archival.
        dropped: Blocks, messages, batches, summaries, events, tools, retrieved entries, the persona and
            instructions (``literal:persona``, ``literal:instructions/0``) that are left out.
        edited: Other texts: of a text block, a message, a summary, a tool's description, the persona or an
            instruction.
    """

    model: str | None = None
    limits: LimitOverrides | None = None
    layout: str | None = None
    strategy: Strategy | None = None
    include_descriptions: bool | None = None
    include_schemas: bool | None = None
    activity: ActivitySettings | None = None
    max_messages_cap: int | None = None
    own_layout: Layout | None = None
    agent: Agent | None = None
    drafts: Mapping[str, Content] = field(default_factory=dict)
    messages: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    pinned: frozenset[Ref] = frozenset()
    working: frozenset[Ref] = frozenset()
    dropped: frozenset[Ref] = frozenset()
    edited: Mapping[Ref, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UnsavedWork:
    """All that a Request is built with and no file has yet.

    Attributes:
        contents: Unsaved contents by block id.
        settings: Unsaved settings of the agent.
        overlay: What is tried in a what-if.
    """

    contents: Mapping[str, Content] = field(default_factory=dict)
    settings: UnsavedSettings | None = None
    overlay: Overlay = field(default_factory=Overlay)


class NoEffectReason(StrEnum):
    """Why a part of a what-if came to nothing. Worded under ``in_vain.ID``."""

    STILL_OUT = "still_out"
    IN_ALREADY = "in_already"
    OUT_ALREADY = "out_already"
    AS_IS = "as_is"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class NoEffect:
    """A part of a what-if that came to nothing: what it was for is as it would be without it.

    `part` is its name in the overlay, for limits that of the limit; `ref` is what it was for, None for a setting.
    `row` tells why the thing is out, where it is.
    """

    part: str
    ref: Ref | None
    why: NoEffectReason
    row: LeftOut | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """The Request as it is and as it would be, what differs, and which parts of the what-if came to nothing."""

    before: Request
    after: Request
    diff: Diff
    in_vain: tuple[NoEffect, ...] = ()
