"""Any operations of several actors on archival entries, with undo and redo among them, against plain dicts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.edits.base import Edit, Intent, Operation
from inspector.domain.edits.block_rows import DeleteRow, InsertArchival, RestoreRow, UpdateArchival
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoRequest
from inspector.memory.undo import Undoer
from tests.conftest import SHARED_MEMORY
from tests.memory.world import AGENT, OTHER, World, new_world

EVE, MAX = (Actor(ActorKind.HUMAN, name.lower(), name) for name in ("Eve", "Max"))
ACTORS = (AGENT, OTHER, MAX, EVE)
OWNERS = (AGENT.id, OTHER.id, AGENT.id, "agt_none")
IDS = tuple(f"arc_{number}" for number in range(3))
TEXTS = ("one", "two", "three")
TAGS = ((), ("a",), ("a", "b"))
GENTLE = settings(
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


class Refused(Exception):
    """The model says no, with the code that the store should give."""


@dataclass(frozen=True)
class Entry:
    """What is told of an entry."""

    owner: str
    content: str
    tags: tuple[str, ...]
    is_deleted: bool = False


@dataclass(frozen=True)
class Made:
    """A row of the journal. `first` is the number of the change that it makes, takes back or makes again."""

    seq: int
    actor: Actor
    op: str
    entry: str
    before: Entry | None
    after: Entry
    first: int
    role: str = "done"


class Model:
    """All entries, in the order in which they came, and the journal."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.journal: list[Made] = []

    def predict(self, actor: Actor, entry_id: str, operation: Operation) -> Entry:
        """What an entry will be. Raises Refused."""
        if isinstance(operation, InsertArchival):
            _check_owner(actor, operation.agent_id)
            if operation.agent_id not in (AGENT.id, OTHER.id):
                raise Refused("not_found.agent")
            if entry_id in self.entries:
                raise Refused("refused.exists")
            return Entry(operation.agent_id, operation.content, operation.tags)
        entry = self.entries.get(entry_id)
        if entry is None:
            raise Refused("not_found.archival")
        _check_owner(actor, entry.owner)
        if isinstance(operation, UpdateArchival):
            content = entry.content if operation.content is None else operation.content
            return replace(
                entry, content=content, tags=entry.tags if operation.tags is None else operation.tags
            )
        return replace(entry, is_deleted=isinstance(operation, DeleteRow))

    def commit(self, seq: int, actor: Actor, edit: Edit, after: Entry, taking: Made | None = None) -> None:
        """Take in what was stored; `taking` is the row that it takes back."""
        entry_id = edit.target.id
        role = "done" if taking is None else "redone" if taking.role == "undone" else "undone"
        first = seq if taking is None else taking.first
        before = self.entries.get(entry_id)
        self.journal.append(Made(seq, actor, edit.operation.op, entry_id, before, after, first, role))
        self.entries[entry_id] = after

    def steps(self, actor: Actor, entry_id: str | None, *, undone: bool) -> Iterator[Made]:
        """The actor's changes that an undo, with `undone` a redo, looks at, the next one first."""
        known: set[int] = set()
        for made in reversed(self.journal):
            if made.actor != actor or entry_id not in (None, made.entry):
                continue
            if undone and made.role == "done":
                return
            if made.first not in known and (made.role == "undone") is undone:
                yield made
            known.add(made.first)

    def inverse(self, made: Made) -> Operation | None:
        """What takes a row back, None when nothing of it is left."""
        present = self.entries[made.entry]
        if made.before is None:
            since = (each for each in self.journal if each.entry == made.entry and each.seq > made.seq)
            by_others = any(each.actor != made.actor for each in since)
            return None if present.is_deleted or by_others else DeleteRow()
        back = {
            name: getattr(made.before, name)
            for name in ("content", "tags", "is_deleted")
            if getattr(made.before, name) != getattr(made.after, name) == getattr(present, name)
        }
        if "is_deleted" in back:
            return DeleteRow() if back["is_deleted"] else RestoreRow()
        return UpdateArchival(back.get("content"), back.get("tags")) if back else None


def _check_owner(actor: Actor, owner: str) -> None:
    if actor.kind is ActorKind.AGENT and actor.id != owner:
        raise Refused("refused.not_owner")


class Run:
    """A constellation and its model, changed together."""

    def __init__(self, world: World, chance: Random) -> None:
        self.world = world
        self.chance = chance
        self.model = Model()
        memory = world.memory
        self.undoer = Undoer(world.database, world.ids, memory, memory, memory.ahead)

    async def act(self) -> str:
        """Let somebody do, undo or redo something; gives what."""
        actor, entry_id = self.chance.choice(ACTORS), self.chance.choice(IDS)
        what = self.chance.choices(("edit", "undo", "redo"), (6, 4, 4))[0]
        if what != "edit":
            return await self.step(actor, self.chance.choice((None, entry_id)), undone=what == "redo")
        text, tags = self.chance.choice((None, *TEXTS)), self.chance.choice((None, *TAGS))
        operation: Operation = self.chance.choice(
            (
                InsertArchival(self.chance.choice(OWNERS), text or "new", tags or ()),
                UpdateArchival(text, tags),
                UpdateArchival(text, None),
                DeleteRow(),
                RestoreRow(),
                RestoreRow(),
            )
        )
        await self.edit(actor, Edit(Ref(RefKind.ARCHIVAL, entry_id), operation))
        return operation.op

    async def edit(self, actor: Actor, edit: Edit) -> None:
        """Do it in both."""
        after, code, found = None, "", ""
        try:
            after = self.model.predict(actor, edit.target.id, edit.operation)
        except Refused as error:
            code = str(error)
        try:
            (receipt,) = await self.world.apply((Intent(edit, actor),))
        except InspectorError as error:
            found = error.code
        assert found == code, (actor.name, edit)
        if after is not None:
            assert receipt.changed is (self.model.entries.get(edit.target.id) != after), (actor.name, edit)
            if receipt.seq is not None:
                self.model.commit(receipt.seq, actor, edit, after)

    async def step(self, actor: Actor, entry_id: str | None, *, undone: bool) -> str:
        """Undo, or with `undone` redo, in both."""
        wish = UndoRequest(actor, None if entry_id is None else Ref(RefKind.ARCHIVAL, entry_id))
        passed: list[Made] = []
        name = "redo" if undone else "undo"
        for made in self.model.steps(actor, entry_id, undone=undone):
            operation = self.model.inverse(made)
            if operation is None:
                passed.append(made)
                continue
            outcome = await (self.undoer.redo if undone else self.undoer.undo)(wish)
            assert [each.seq for each in outcome.passed] == [each.first for each in passed]
            assert outcome.step.seq == made.first
            (receipt,) = outcome.receipts
            assert receipt.seq is not None
            edit = Edit(Ref(RefKind.ARCHIVAL, made.entry), operation)
            after = self.model.predict(actor, made.entry, operation)
            self.model.commit(receipt.seq, actor, edit, after, made)
            return f"{name} {next(each.op for each in self.model.journal if each.seq == made.first)}"
        with pytest.raises(InspectorError) as caught:
            await (self.undoer.redo if undone else self.undoer.undo)(wish)
        assert caught.value.code == ("refused.undo_overtaken" if passed else f"refused.nothing_to_{name}")
        return ""

    async def compare(self) -> None:
        """Entries and journal must be as the model has them."""
        stored = await self.world.rows(
            "SELECT id, agent_id, content, tags, is_deleted FROM archival_entries ORDER BY rowid"
        )
        assert [(*row[:3], tuple(json.loads(str(row[3]))), row[4]) for row in stored] == [
            (id_, each.owner, each.content, each.tags, each.is_deleted)
            for id_, each in self.model.entries.items()
        ]
        told = await self.world.rows(
            "SELECT seq, kind, ref_id, actor_id FROM changes WHERE ref_kind = 'archival' ORDER BY seq"
        )
        assert told == [(each.seq, each.op, each.entry, each.actor.id) for each in self.model.journal]


async def history(seed: int, steps: int) -> set[str]:
    """One history; what was done in it."""
    done: set[str] = set()
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as folder:
        async with new_world(Path(folder)) as world:
            run = Run(world, Random(seed))
            for _ in range(steps):
                done.add(await run.act())
                await run.compare()
    return done


@pytest.mark.slow
@pytest.mark.timeout(120)
async def test_that_archival_entries_of_all_actors_become_what_plain_dicts_do() -> None:
    done: set[str] = set()
    for seed in range(30):
        done |= await history(seed, 50)
    operations = {each.op for each in (InsertArchival, UpdateArchival, DeleteRow, RestoreRow)}
    assert done >= operations | {f"{way} {op}" for way in ("undo", "redo") for op in operations}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@settings(GENTLE, max_examples=25)
@given(seed=st.integers(1000, 2**32))
async def test_that_long_histories_of_archival_entries_become_what_plain_dicts_do(seed: int) -> None:
    await history(seed, 200)
