"""Makes the layout by which an imported agent's system prompt is written as Letta wrote it.

The file's own compiled prompt says which way: the blocks' template and order, what stands before them, and the parts
behind them that no other field of the file gives. Without one, the agent's kind does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import (
    LONGEST_DRESS,
    LONGEST_TEXT,
    RESERVED,
    starts_legally,
)
from inspector.domain.layouts import Layout, SectionLayout, Share
from inspector.domain.rendering.block_template import BlockFacts, fill, write_block
from inspector.exchange.field_reader import FieldReader
from inspector.exchange.letta.directories import agent_files, directories
from inspector.exchange.letta.extra_fields import behind_memory, split_system
from inspector.shipped.agent_prompts import PromptTemplate, agent_prompts

DIRECTORIES = "directories"
_METADATA = "memory_metadata"
_REST = "prompt_rest"
_ELEMENT = re.compile(r"<([A-Za-z_][\w-]{0,99})>\n.*?^</\1>$", re.DOTALL | re.MULTILINE)
_MOST_PARTS = 50


@dataclass(frozen=True, slots=True)
class PromptBlock:
    """A block as the compiled prompt might show it."""

    facts: BlockFacts
    text: str

    @classmethod
    def of(cls, label: str, record: FieldReader) -> PromptBlock:
        """The block of a record, under the label that it gets."""
        value, limit = record.peek("value"), record.peek("limit")
        described, is_fixed = record.peek("description"), record.peek("read_only")
        text = value if isinstance(value, str) else ""
        number = limit if isinstance(limit, int) and limit > 0 else 0
        description = described if isinstance(described, str) else ""
        return cls(BlockFacts(label, description, len(text), number, is_fixed is True), text)


@dataclass(frozen=True, slots=True)
class _Compiled:
    """What a compiled prompt shows: what stands before the blocks, their order, and the parts behind them."""

    lead: str
    labels: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]


def prompt_layout(
    name: str,
    agent: FieldReader,
    root: FieldReader | None,
    blocks: Sequence[PromptBlock],
    compiled: str,
) -> Layout:
    """The layout of one agent.

    Args:
        name: Its name.
        agent: The agent's record.
        root: The file's.
        blocks: The agent's blocks, in the file's order.
        compiled: The compiled prompt, empty where the file has none.
    """
    template = _template(agent, blocks, compiled)
    system, end = split_system(str(agent.peek("system") or ""))
    shown = _read_compiled(system, template, blocks, compiled)
    behind = [] if compiled else [(_REST, text) for text in (behind_memory(end)[:LONGEST_TEXT],) if text]
    parts = _with_directories((*shown.parts, *behind), agent, root)
    sections = [SectionLayout("persona"), SectionLayout("instructions")]
    if str(agent.peek("agent_type")) not in agent_prompts().without_blocks:
        sections += _memory(shown, template)
    sections += [SectionLayout(each, text=text) for each, text in parts]
    sections += [SectionLayout(each) for each in ("summary", "retrieved", "extra", "additional")]
    return Layout(
        name,
        f"As Letta wrote the system prompt of {agent.peek('name') or 'an agent'}."[:LONGEST_DRESS],
        join=template.gap,
        block=template.block,
        line=template.line,
        gap=template.gap,
        empty_blocks=True,
        sections=tuple(sections),
        memory=Share.REST,
        history=Share.REST,
    )


def _memory(shown: _Compiled, template: PromptTemplate) -> Iterator[SectionLayout]:
    labels = shown.labels
    for name in ("core", "shared", "working", "log"):
        yield SectionLayout(name, group=shown.lead, group_end=template.end, priority=100, blocks=labels)
        labels = ()


def _template(agent: FieldReader, blocks: Sequence[PromptBlock], compiled: str) -> PromptTemplate:
    """The template that most of the blocks stand in the compiled prompt by; else the usual one of such an agent."""
    prompts = agent_prompts()
    settings = agent.peek("llm_config")
    endpoint = settings.get("model_endpoint_type") if isinstance(settings, dict) else ""
    usual = prompts.usual(str(agent.peek("agent_type")), str(endpoint))

    def seen(template: PromptTemplate) -> int:
        written = (write_block(template.block, template.line, each.facts, each.text) for each in blocks)
        return sum(each.text in compiled for each in written)

    return max((usual, *prompts.templates), key=seen)


def _read_compiled(
    system: str, template: PromptTemplate, blocks: Sequence[PromptBlock], compiled: str
) -> _Compiled:
    places = {each.facts.label: _place(compiled, template, each.facts.label) for each in blocks}
    standing = sorted(at for at in places.values() if at >= 0)
    in_file = tuple(dict.fromkeys(places))
    labels = tuple(sorted(places, key=places.__getitem__)) if len(standing) == len(places) else in_file
    start = len(system) if compiled.startswith(system) else compiled.find(template.lead)
    if start < 0:
        return _Compiled(template.lead, labels, ())
    lead = compiled[start : standing[0]].strip("\n") if standing else ""
    is_usable = starts_legally(lead) and len(lead) <= LONGEST_DRESS
    behind = _behind(compiled, template, labels, start) if standing else start
    return _Compiled(lead if is_usable else template.lead, labels, tuple(_parts(compiled[behind:])))


def _place(compiled: str, template: PromptTemplate, label: str) -> int:
    """Where a block begins, -1 if it is not there."""
    opening = template.block.partition("\n")[0].partition("{length}")[0]
    return compiled.find("\n" + fill(opening, {"label": label})) + 1 or -1


def _behind(compiled: str, template: PromptTemplate, labels: Sequence[str], start: int) -> int:
    """Where the blocks and what closes them end."""
    closing = template.block.rpartition("\n")[2]
    ends = (f"\n{fill(closing, {'label': label})}" for label in labels)
    last = max(compiled.rfind(end) + len(end) for end in ends)
    if not template.end:
        return last
    at = compiled.find(f"\n\n{template.end}", start)
    return last if at < 0 else at + len(template.end) + 2


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The elements of a text one by one, each with its name, and what is none as one part."""
    taken = set(RESERVED)
    rest = text.strip("\n")
    while rest:
        found = _ELEMENT.match(rest)
        name = found[1] if found is not None and len(taken) < len(RESERVED) + _MOST_PARTS else _REST
        length = len(rest) if found is None or name == _REST else found.end()
        part, rest = rest[:length], rest[length:].strip("\n")
        if name in taken or len(part) > LONGEST_TEXT:
            name, part, rest = _REST, f"{part}\n\n{rest}".strip("\n")[:LONGEST_TEXT], ""
        if part.strip():
            taken.add(name)
            yield name, part


def _with_directories(
    parts: Sequence[tuple[str, str]], agent: FieldReader, root: FieldReader | None
) -> Sequence[tuple[str, str]]:
    """The parts with the agent's folders: as compiled where that shows every open file, else from the file."""
    existing: Mapping[str, str] = dict(parts)
    shown = existing.get(DIRECTORIES, "")
    if shown and all(file.text in shown for file in agent_files(agent)):
        return parts
    text = directories(agent, root)[:LONGEST_TEXT]
    if not text:
        return parts
    others = [each for each in parts if each[0] != DIRECTORIES]
    names = [name for name, _ in parts]
    before = (DIRECTORIES, _METADATA, _REST)
    at = next((names.index(name) for name in before if name in names), len(others))
    return [*others[:at], (DIRECTORIES, text), *others[at:]]
