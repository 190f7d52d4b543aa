"""Turns blocks into candidates: their text, their frame, and the part that is sent."""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from inspector.context.identity import IdentityCache
from inspector.context.markup import (
    GENERIC_ELEMENT,
    EscapedText,
    attribute,
    close_proof,
    comment,
    is_element_name,
    starts_legally,
)
from inspector.context.parts import PromptPart
from inspector.domain.blocks import Block, LogSchema, Permission, TextSchema, UnreadableSchema, Viewport
from inspector.domain.content import LogContent, TextContent, line_end, text_lines
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InspectorError, Parameters, Problem, Severity
from inspector.domain.rendering.block_template import BlockFacts, write_block
from inspector.domain.rendering.render import render
from inspector.domain.rendering.text import Rendered
from inspector.domain.requests import MarksOnDemand, Source, SourceKind
from inspector.domain.rules import InRule
from inspector.domain.snapshot import BlockState, SharedBlock, Snapshot

_CLOSING = re.compile("</([^<>]+)>")


class CutKind(StrEnum):
    """What a shortened block is counted in."""

    ENTRIES = "entries"
    LINES = "lines"


@dataclass(frozen=True, slots=True)
class BlockExcerpt:
    """A block shown in part: the newest entries of a log, or so many lines of anything else."""

    kind: CutKind
    count: int


@dataclass(frozen=True)
class BlockView:
    """One block that the agent sees, own or shared, with its rendering.

    `problem` says what is wrong with it; when that is an error it cannot be read, and `rendered` is empty.
    """

    state: BlockState
    rendered: Rendered
    problem: Problem | None
    shared: SharedBlock | None = None

    @property
    def block(self) -> Block:
        return self.state.block

    @property
    def stored(self) -> BlockState | SharedBlock:
        """What it was made of."""
        return self.state if self.shared is None else self.shared

    @property
    def is_unreadable(self) -> bool:
        return self.problem is not None and self.problem.severity is Severity.ERROR

    @property
    def is_blank(self) -> bool:
        return not self.rendered.text or self.rendered.text.isspace()

    @property
    def source(self) -> Source:
        return Source(SourceKind.BLOCK, self.block.id, self.block.label, self.block.owner)

    @property
    def level(self) -> Permission:
        """What the agent may do with it."""
        return self.block.permission if self.shared is None else self.shared.level

    @property
    def written_at(self) -> datetime:
        written = self.state.written
        return self.block.updated_at if written is None else written.at

    @property
    def entry_count(self) -> int:
        """How many entries a log shows; 0 for anything else."""
        schema, content = self.block.schema, self.state.content
        if not isinstance(schema, LogSchema) or not isinstance(content, LogContent):
            return 0
        return min(len(content.entries), max(0, schema.display_limit))

    @cached_property
    def whole(self) -> BlockExcerpt:
        """How much of it there is to show."""
        if self.entry_count:
            return BlockExcerpt(CutKind.ENTRIES, self.entry_count)
        lines = self.rendered.text.count("\n") + (not self.rendered.text.endswith("\n"))
        schema = self.block.schema
        has_window = isinstance(schema, TextSchema) and schema.viewport is not None
        return BlockExcerpt(CutKind.LINES, lines - 1 if has_window else lines)

    @property
    def is_divisible(self) -> bool:
        """Whether there is more than one entry or line to show; finds out without going through all of a text."""
        if self.entry_count:
            return self.entry_count > 1
        schema, text = self.block.schema, self.rendered.text
        lines = 3 if isinstance(schema, TextSchema) and schema.viewport is not None else 2
        at = -1
        for _ in range(lines - 1):
            at = text.find("\n", at + 1)
            if at < 0:
                return False
        return at + 1 < len(text)

    @property
    def hidden_entries(self) -> int:
        """How many entries of a log its display limit hides."""
        content = self.state.content
        if not isinstance(self.block.schema, LogSchema) or not isinstance(content, LogContent):
            return 0
        return len(content.entries) - self.entry_count


@dataclass(frozen=True, slots=True)
class BlockFrame:
    """How a block's text is enclosed. `element` is the section's own, which the text cannot close either.

    With a `template`, that and its `line` stand in place of the tag.
    """

    tag: str
    is_wrapped: bool
    with_description: bool
    element: str = ""
    template: str = ""
    line: str = ""


@dataclass(frozen=True, slots=True)
class Adapted:
    """A part, and what had to be changed in its text."""

    part: PromptPart
    adaptations: tuple[Problem, ...] = ()


def block_views(snapshot: Snapshot, cache: IdentityCache) -> list[BlockView]:
    """All active blocks, own ones first, in the snapshot's order; one that comes twice only once."""

    def view_of(state: BlockState) -> BlockView:
        return cache.get(state, "block", lambda: read_block(state))

    def shared_view(shared: SharedBlock) -> BlockView:
        return cache.get(shared, "block", lambda: replace(view_of(shared.state), shared=shared))

    own = [view_of(state) for state in snapshot.own if state.block.is_active]
    shared = [shared_view(each) for each in snapshot.shared if each.state.block.is_active]
    seen: dict[str, BlockView] = {}
    for view in (*own, *shared):
        seen.setdefault(view.block.id, view)
    return list(seen.values())


def block_part(
    cache: IdentityCache,
    view: BlockView,
    dress: BlockFrame,
    section: str,
    rule: InRule,
    cut: BlockExcerpt | None = None,
) -> Adapted:
    """The block's part under a section and a rule, in part if a cut is given."""
    if cut is not None and cut.kind is CutKind.LINES:
        # Whoever asks for these keeps them, as long as it keeps the block.
        return enclose(view, dress, section, rule, cut)
    key = ("part", dress, section, rule, cut)
    return cache.get(view.stored, key, lambda: enclose(view, dress, section, rule, cut))


def read_block(state: BlockState) -> BlockView:
    """Render a block; what cannot be read becomes a problem."""
    schema = state.block.schema
    where = f"block:{state.block.id}"
    if state.problem is not None and state.problem.severity is Severity.ERROR:
        return BlockView(state, Rendered(), state.problem)
    if isinstance(schema, UnreadableSchema):
        facts: Parameters = {"label": state.block.label, "why": schema.why}
        return BlockView(state, Rendered(), Problem("schema_unreadable", Severity.ERROR, where, facts))
    if state.content is None:
        facts = {"label": state.block.label, "why": "no content"}
        return BlockView(state, Rendered(), Problem("block_unreadable", Severity.ERROR, where, facts))
    try:
        return BlockView(state, render(schema, state.content), state.problem)
    except InspectorError as error:
        facts = {"label": state.block.label, "why": str(error)}
        return BlockView(state, Rendered(), Problem("block_unreadable", Severity.ERROR, where, facts))


def choose_openings(views: Sequence[BlockView], taken: frozenset[str]) -> dict[int, str]:
    """What stands in each block's opening tag, by the identity of its view.

    A label is an element of its own if it is a legal, unreserved name that no other of these blocks has. All
    blocks that could be in count, so that a block keeps its element when another one is left out.

    Args:
        views: The blocks that could be in.
        taken: Names of elements that the layout uses itself.
    """
    labels = Tally(view.block.label for view in views)
    return {
        id(view): _opening(view, _is_own_element(view.block.label, taken) and labels[view.block.label] == 1)
        for view in views
    }


def _is_own_element(label: str, taken: frozenset[str]) -> bool:
    return label not in taken and is_element_name(label)


def _opening(view: BlockView, own_element: bool) -> str:
    label = view.block.label
    opening = label if own_element else f'{GENERIC_ELEMENT} label="{attribute(label)}"'
    if view.shared is not None:
        opening += f' shared_from="{attribute(view.shared.owner_name)}"'
    return opening


def enclose(
    view: BlockView, dress: BlockFrame, section: str, rule: InRule, cut: BlockExcerpt | None
) -> Adapted:
    """The part of a block: its text in its wrapper, as one run."""
    rendered = view.rendered if cut is None else _shortened(view, cut)
    if dress.template:
        return _by_template(view, dress, section, rule, rendered, _facts(view, cut))
    name = dress.tag.partition(" ")[0]
    adaptations: list[Problem] = []
    where = f"block:{view.block.id}"
    label = view.block.label
    # Text that could not begin a run gets its wrapper even where the layout has none.
    is_wrapped = dress.is_wrapped or not starts_legally(rendered.text)
    if is_wrapped and not dress.is_wrapped:
        adaptations.append(Problem("enclosed_for_counting", Severity.INFO, where, {"label": label}))
    elements = [element for element in (name if is_wrapped else "", dress.element) if element]
    escaped = close_proof(rendered.text, elements) if elements else close_proof("", ())
    text = escaped.text if elements else rendered.text
    if escaped.places:
        facts: Parameters = {"label": label, "count": len(escaped.places)}
        adaptations.append(Problem("closing_tag_escaped", Severity.WARNING, where, facts))
    head = ""
    if is_wrapped:
        head = f"<{dress.tag}>\n"
        if dress.with_description and view.block.description.strip():
            reported = close_proof(comment(view.block.description), elements).text
            if view.block.description.strip() not in reported:
                adaptations.append(Problem("description_changed", Severity.INFO, where, {"label": label}))
            head += f"{reported}\n"
        text = f"{head}{text}\n</{name}>"
    else:
        text = text.rstrip("\n")
    most = len(text)
    marks = MarksOnDemand(
        lambda: (mark for mark in escaped.move(rendered.marks, len(head)) if mark.end <= most)
    )
    facts = _facts(view, cut)
    part = PromptPart(where, section, view.source, rule, text, marks=marks, parameters=facts)
    return Adapted(part, tuple(adaptations))


def _by_template(
    view: BlockView,
    frame: BlockFrame,
    section: str,
    rule: InRule,
    rendered: Rendered,
    parameters: dict[str, str | int | bool],
) -> Adapted:
    """The part of a block as the layout's template has it, as one run."""
    block, where = view.block, f"block:{view.block.id}"
    label = attribute(block.label) if set("<>") & set(block.label) else block.label
    closing = {name.replace("{label}", label) for name in _CLOSING.findall(frame.template)}
    elements = closing | {frame.element} if frame.element else closing
    escaped = close_proof(rendered.text, elements) if elements else EscapedText(rendered.text, ())
    description = close_proof(block.description, elements).text if elements else block.description
    facts = BlockFacts(
        label,
        description if frame.with_description else "",
        len(view.rendered.text),
        block.char_limit,
        view.level is Permission.READ_ONLY,
    )
    written = write_block(frame.template, frame.line, facts, escaped.text)
    adaptations: tuple[Problem, ...] = ()
    if escaped.places:
        count: Parameters = {"label": block.label, "count": len(escaped.places)}
        adaptations = (Problem("closing_tag_escaped", Severity.WARNING, where, count),)
    marks = MarksOnDemand(
        lambda: (
            replace(mark, start=written.moved(mark.start), end=written.moved(mark.end))
            for mark in escaped.move(rendered.marks, 0)
        )
    )
    part = PromptPart(where, section, view.source, rule, written.text, marks=marks, parameters=parameters)
    return Adapted(part, adaptations)


def _shortened(view: BlockView, cut: BlockExcerpt) -> Rendered:
    schema, content = view.block.schema, view.state.content
    if isinstance(schema, LogSchema) and isinstance(content, LogContent):
        return render(replace(schema, display_limit=cut.count), content)
    if isinstance(schema, TextSchema) and isinstance(content, TextContent):
        start = schema.viewport.start_line if schema.viewport else 1
        return render(replace(schema, viewport=Viewport(start, cut.count)), content)
    lines = text_lines(view.rendered.text)
    head = f"[Showing lines 1-{cut.count} of {len(lines)}]\n"
    shown = "".join(lines[: cut.count])
    text = head + shown.removesuffix(line_end(shown))
    moved = (
        replace(mark, start=mark.start + len(head), end=mark.end + len(head)) for mark in view.rendered.marks
    )
    return Rendered(text, tuple(mark for mark in moved if mark.end <= len(text)))


def _facts(view: BlockView, cut: BlockExcerpt | None) -> dict[str, str | int | bool]:
    facts: dict[str, str | int | bool] = {"label": view.block.label}
    if view.shared is not None:
        facts["owner_name"] = view.shared.owner_name
    if view.entry_count:
        facts["entries"] = view.entry_count if cut is None else cut.count
    elif cut is not None:
        facts["lines"], facts["of"] = cut.count, view.whole.count
    if view.state.draft:
        facts["draft"] = True
    return facts
