"""Commands that write: edit, import, sample."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from inspector.cli.choices import choose_agent, choose_block
from inspector.cli.reading import every_agent, plain_problem, print_problems
from inspector.cli.session import DONE, opened
from inspector.cli.terminal import format_table, write_json, write_line
from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Operation
from inspector.domain.edits.text import AppendText, SetText
from inspector.domain.errors import InputError
from inspector.domain.exchange import ImportPlan
from inspector.runtime.files import import_into, make_sample, read_foreign
from inspector.runtime.moments import sortable_ids
from inspector.runtime.wording import word

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class EditAsked:
    """What `edit` was given."""

    agent: str | None
    block: str
    owner: str | None
    operation: Operation
    reason: str
    unlock: bool
    as_agent: bool


def read_text(name: str) -> str:
    r"""The text of a file, or of standard input for ``-``: UTF-8, newlines as they are, a leading BOM kept.

    Raises:
        InputError: it cannot be read, or is no UTF-8, with the place.
    """
    try:
        raw = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
        return raw.decode()
    except OSError as error:
        raise InputError("input.unreadable_file", path=name, why=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise InputError("input.not_utf8", path=name, offset=error.start) from error


def storable(text: str) -> str:
    """A text given as an argument, refused when it holds half a character (bytes that were no UTF-8).

    Raises:
        InputError: with the place.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("input.not_utf8", path="argument", offset=error.start) from error
    return text


def text_operation(given: dict[str, str | None]) -> Operation:
    """The operation that exactly one of the text options asks for; `given` is by option name."""
    (name, value), *_ = [(name, value) for name, value in given.items() if value is not None]
    text = read_text(value) if name.endswith("_file") else storable(value)
    return AppendText(text) if name.startswith("append") else SetText(text)


async def edit(path: Path, asked: EditAsked, *, as_json: bool) -> int:
    """Apply one operation to one block."""
    async with opened(path, "refuse") as engine:
        agent = choose_agent(await every_agent(engine), asked.agent)
        snapshot = await engine.context.snapshot(agent.id)
        state = choose_block(snapshot, asked.block, asked.owner)
        actor = Actor(ActorKind.AGENT, agent.id, agent.name) if asked.as_agent else engine.actor
        receipt = await engine.edit(
            state.block.id, asked.operation, reason=asked.reason, unlock=asked.unlock, actor=actor
        )
    if as_json:
        write_json({"block": state.block.id, "seq": receipt.seq, "changed": receipt.changed})
    elif receipt.changed:
        write_line(word("told.edited", {"label": state.block.label, "seq": str(receipt.seq)}))
    else:
        write_line(word("told.edit_without_effect", {"label": state.block.label}))
    return DONE


async def import_file(source: Path, target: Path, *, dry_run: bool, as_json: bool) -> int:
    """Read a foreign file and make, or add to, a constellation."""
    plan = read_foreign(source, sortable_ids())
    if not dry_run:
        plan = await import_into(target, plan)
    if as_json:
        write_json(_plain_plan(plan))
        return DONE
    head = ("Agent", "Model", "Blocks", "Shared", "Messages", "In context", "Tools")
    rows = [
        (
            agent.name,
            agent.model,
            f"{agent.blocks:,}",
            f"{agent.shared_blocks:,}",
            f"{agent.messages:,}",
            f"{agent.messages_in_context:,}",
            f"{agent.tools:,}",
        )
        for agent in plan.agents
    ]
    write_line(format_table(head, rows, frozenset({2, 3, 4, 5, 6})))
    print_problems(plan.problems)
    if plan.kept_in_metadata:
        write_line(word("told.kept_in_metadata", {"names": plan.kept_in_metadata}))
    write_line(word("told.import_previewed" if dry_run else "told.imported", {"path": str(target)}))
    return DONE


async def sample(target: Path) -> int:
    """Make the sample constellation."""
    await make_sample(target)
    write_line(word("told.sample_made", {"path": str(target)}))
    return DONE


def _plain_plan(plan: ImportPlan) -> dict[str, object]:
    return {
        "agents": [
            {
                "id": agent.id,
                "name": agent.name,
                "model": agent.model,
                "blocks": agent.blocks,
                "shared_blocks": agent.shared_blocks,
                "messages": agent.messages,
                "messages_in_context": agent.messages_in_context,
                "tools": agent.tools,
            }
            for agent in plan.agents
        ],
        "problems": [plain_problem(problem) for problem in plan.problems],
        "kept_in_metadata": list(plan.kept_in_metadata),
    }
