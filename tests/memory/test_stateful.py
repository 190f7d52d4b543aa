"""Any operations of five actors on blocks of all schemas, with undo and redo among them, against a plain-Python model.

After every step the outcome (or the refusal's code), the journal and the content must be what the model said; at the
end all blocks, all sharing and every block's versions. See `tests.memory.model` for what it predicts and what it only
bounds. Not in here: a change of schema that keeps data of another kind, and edits made for an older version of a
text, which have tests of their own.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.blocks import BlockType, Permission
from inspector.domain.edits.base import Edit, Intent, Operation, Receipt, Version
from inspector.domain.edits.block_rows import AttachBlock, CreateBlock, SetSchema
from inspector.domain.edits.history import RestoreVersion
from inspector.domain.edits.items import InSection
from inspector.domain.errors import InspectorError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.snapshot import BlockState
from inspector.domain.undo import UndoneStep, UndoRequest
from inspector.memory.undo import Undoer
from inspector.storage import blocks
from tests.conftest import SHARED_MEMORY
from tests.memory.model import LATER_RULES, Effect, Guess, Made, Model
from tests.memory.model_contents import Refused
from tests.memory.model_forms import ANY, learned, plain, visible
from tests.memory.model_operations import LIMITS, ON_BLOCKS, ON_CONTENTS, SCHEMAS, Maker
from tests.memory.model_rules import ModelBlock
from tests.memory.world import AGENT, HUMAN, OTHER, PARTNER, START, World, open_world

EVE = Actor(ActorKind.HUMAN, "eve", "Eve")
MAX = Actor(ActorKind.HUMAN, "max", "Max")
ACTORS = (AGENT, OTHER, MAX, PARTNER, EVE)
LETTERS = ("abcdef", "ghijkl", "mnopqr", "stuvwx", "yzäöüß")
KINDS = tuple(SCHEMAS)
FOCUS: tuple[int, ...] = (
    *range(len(KINDS)),
    *(KINDS.index(each) for each in ("text", "map", "list", "composite")),
)
"""The kinds on which most of a history is done, those with most operations more often."""
SHARED = (
    *(Permission.READ_WRITE, Permission.APPEND, Permission.READ_WRITE),
    *(Permission.READ_ONLY, Permission.ADMIN, Permission.READ_WRITE),
)
"""What the second agent may do at first with each block; their own level is read_write."""
AGENTS = (AGENT.id, OTHER.id, "agt_none")
LABELS = ("text", "map", "a/b", "<b>", "new", "", "two\nlines", "other", "more", "list")
SIMPLE = {(kind, op) for kind, op in ON_CONTENTS if kind != "composite"}
SINCE = """
    SELECT seq, kind, ref_kind, ref_id, ref_part, actor_id FROM changes
    WHERE seq > (SELECT max(3, max(seq) - 3) FROM changes) ORDER BY seq
"""
MOST_STEPS = 200
GENTLE = settings(
    deadline=None,
    # The steps are made fewer here: a smaller seed is no smaller history.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@dataclass(frozen=True)
class Stage:
    """What all runs of a test share."""

    template: Path
    loop: asyncio.AbstractEventLoop
    done: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The changes that were made, by kind of content and operation."""
    undone: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Those that were taken back or made again, likewise."""


class Memory:
    """A constellation and its model, changed together."""

    def __init__(self, stage: Stage, favourite: int, focus: int) -> None:
        self.focus = FOCUS[focus]
        self.favourite = favourite
        self.loop = stage.loop
        self.stage = stage
        self.random = Random(0)
        self.turn = 0
        self.told: list[str] = []
        self.folder = Path(tempfile.mkdtemp(prefix="run-", dir=stage.template.parent))
        path = self.folder / "a.constellation"
        shutil.copyfile(stage.template, path)
        self.world: World = self.loop.run_until_complete(open_world(path, prefix="r"))
        memory = self.world.memory
        self.undoer = Undoer(self.world.database, self.world.ids, memory, memory, memory.ahead)
        self.model = Model(frozenset(AGENTS[:2]), PARTNER.id)
        self.steps = 0
        for kind in KINDS:
            self._do(AGENT, kind, CreateBlock(AGENT.id, kind, SCHEMAS[kind][0], char_limit=LIMITS[kind]))
        for kind, level in zip(KINDS, SHARED, strict=True):
            self._do(MAX, kind, AttachBlock(OTHER.id, level))

    def check(self) -> None:
        """Everything must be as the model has it."""
        self.loop.run_until_complete(self._compare_all())

    def close(self) -> None:
        """Leave nothing."""
        self.loop.run_until_complete(self.world.close())
        shutil.rmtree(self.folder)

    def act(self, number: int) -> None:
        """One step: whose and what, comes from a number; 0 is none, so that failures shrink to few steps."""
        self.random = Random(number * MOST_STEPS + self.turn)
        self.turn += 1
        if number:
            self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0](self)

    def edit(self) -> None:
        """Somebody edits a content."""
        who, block = self._who(), self._block()
        operation = self._maker(who).content(block.schema, block.part)
        self._do(ACTORS[who], block.id, operation, unlock=self._chance(0.5))

    def change(self) -> None:
        """Somebody changes a block itself, or with whom it is shared."""
        who, block = self._who(), self._block()
        operation = self._maker(who).row(_kind(block), AGENTS, self.random.choice(LABELS))
        if block.id == "text" and block.part and self._chance(0.1):
            operation = SetSchema(SCHEMAS["map"][0])
        self._do(ACTORS[who], block.id, operation, unlock=self._chance(0.5))

    def make(self) -> None:
        """Somebody makes a block."""
        operation = CreateBlock(
            self.random.choice((*AGENTS, *AGENTS[:2])),
            self.random.choice(LABELS),
            SCHEMAS[self.random.choice(KINDS)][0],
            self.random.choice(tuple(BlockType)),
            char_limit=self.random.choice((200, 200, 0, 60, 10, -1)),
            permission=self.random.choice((*Permission, Permission.READ_WRITE)),
            pinned=self._chance(0.5),
        )
        target = f"made{self.steps}" if self._chance(0.9) else self._block().id
        self._do(ACTORS[self._who()], target, operation)

    def go_back(self) -> None:
        """Somebody restores a version that was made under the present schema."""
        block = self._block()
        fitting = [version for version, _, schema in block.versions if schema == block.schema]
        if fitting:
            operation = RestoreVersion(Version(self.random.choice(fitting)))
            self._do(ACTORS[self._who()], block.id, operation, unlock=self._chance(0.5))

    def undo(self) -> None:
        """Somebody undoes a step, of one block or of all."""
        self._step(undone=False)

    def redo(self) -> None:
        """Somebody redoes a step, of one block or of all."""
        self._step(undone=True)

    def _chance(self, part: float) -> bool:
        return self.random.random() < part

    def _who(self) -> int:
        return self.random.choices(range(len(ACTORS)), (5, 3, 3, 2, 1))[0]

    def _block(self) -> ModelBlock:
        every = list(self.model.blocks.values())
        if self._chance(0.5):
            # Where all meet, so that they come into one another's way.
            return every[self.focus]
        return self.random.choice(every[: len(KINDS)] if self._chance(0.8) else every)

    def _maker(self, who: int) -> Maker:
        dice = [self.random.randrange(4096) for _ in range(40)]
        return Maker(LETTERS[who], self.steps, dice, self.favourite)

    def _at(self) -> datetime:
        self.steps += 1
        return START + timedelta(hours=1, seconds=self.steps)

    def _do(self, actor: Actor, target: str, operation: Operation, *, unlock: bool = False) -> None:
        """Let the model and the store do the same, and compare."""
        at = self._at()
        effect, code = None, ""
        try:
            effect = self.model.predict(actor, target, operation, at, unlock=unlock)
        except Refused as error:
            code = error.code
        intent = Intent(Edit(Ref(RefKind.BLOCK, target), operation), actor, at=at, unlock=unlock)
        self.loop.run_until_complete(self._apply(intent, effect, code))

    async def _apply(self, intent: Intent, effect: Effect | None, code: str) -> None:
        receipt: Receipt | None = None
        refusal = ""
        self.told.append(f"{intent.actor.name}: {intent.edit.target} {intent.edit.operation} {code}")
        try:
            receipt = (await self.world.apply((intent,)))[0]
        except InspectorError as error:
            refusal = error.code
        assert refusal == code, (refusal, code, intent)
        if receipt is None or effect is None:
            await self._compare(self.model.blocks.get(intent.edit.target.id))
            return
        assert receipt.changed is effect.changed, (receipt, effect)
        await self._commit(receipt.seq, effect, intent.actor, None)

    async def _commit(self, seq: int | None, effect: Effect, actor: Actor, taking: Made | None) -> None:
        """Take over what the store alone can know: ids that it made, numbers, versions."""
        if seq is None:
            await self._compare(effect.block)
            return
        self._count(effect if taking is None else self.model.first_of(taking).effect, taking)
        state = await self.world.state(effect.block.id)
        assert state.content is not None
        shown = plain(state.content)
        if effect.what == "content" and ANY in str(effect.part):
            part = learned(effect.part, shown)
            effect = Effect(effect.block, "content", effect.operation, effect.before, part, part)
        self.model.commit(effect, actor, seq, state.version, taking)
        await self._compare(effect.block)

    def _count(self, effect: Effect, taking: Made | None) -> None:
        operation = effect.operation
        inner = operation.operation if isinstance(operation, InSection) else operation
        counted = self.stage.done if taking is None else self.stage.undone
        counted[_kind(effect.block), inner.op] += 1

    async def _compare(self, block: ModelBlock | None) -> None:
        """A block, and the newest rows of the journal, must be as the model has them."""
        async with self.world.database.read() as connection:
            state = None if block is None else await blocks.get(connection, block.id)
            told = await connection.fetch_all(SINCE)
        newest = [(each.seq, *each.told) for each in self.model.journal[-3:]]
        assert [tuple(row) for row in told] == newest
        if block is not None:
            _same(block, state)

    def _step(self, *, undone: bool) -> None:
        at, actor, unlock = self._at(), ACTORS[self._who()], self._chance(0.5)
        target = self._block().id if self._chance(0.5) else None
        if self._chance(0.7):
            # Mostly one who has something to take back, or to make again.
            able = [
                (each, None) for each in ACTORS if next(self.model.steps(each, None, undone=undone), None)
            ]
            actor, target = self.random.choice(able) if able else (actor, target)
        guesses = []
        for made in self.model.steps(actor, target, undone=undone):
            guesses.append(self.model.guess(actor, made, at, unlock=unlock))
            if guesses[-1].verdict in ("refused", "done"):
                break
        wish = UndoRequest(actor, None if target is None else Ref(RefKind.BLOCK, target), unlock=unlock)
        self.loop.run_until_complete(self._undo(wish, guesses, undone=undone))

    async def _undo(self, wish: UndoRequest, guesses: list[Guess], *, undone: bool) -> None:
        verdicts = [each.verdict for each in guesses]
        self.told.append(f"{wish.actor.name}: undoes {wish.ref}, {undone}; {verdicts}")
        door = self.undoer.redo if undone else self.undoer.undo
        try:
            outcome = await door(wish)
        except InspectorError as error:
            _check_refusal(error.code, guesses, undone=undone)
            for each in guesses[-1:]:
                await self._compare(each.made.effect.block)
            return
        await self._undone(outcome, guesses, wish.actor)

    async def _undone(self, outcome: UndoneStep, guesses: list[Guess], actor: Actor) -> None:
        passed = [each.seq for each in outcome.passed]
        assert [guess.made.first for guess in guesses[: len(passed) + 1]] == [*passed, outcome.step.seq]
        assert all(guess.verdict in ("passed", "open") for guess in guesses[: len(passed)])
        guess = guesses[len(passed)]
        assert guess.verdict in ("done", "open"), (guess, outcome)
        (receipt,) = outcome.receipts
        effect = guess.effect
        if effect is None:
            state = await self.world.state(guess.made.effect.block.id)
            assert state.content is not None
            effect = self.model.bounded(guess.made, plain(state.content))
            self.model.check_bounds(guess.made, effect)
        else:
            assert outcome.skipped == ()
        await self._commit(receipt.seq, effect, actor, guess.made)

    async def _compare_all(self) -> None:
        there = {each.block.id: each for each in await self.world.memory.list(deleted=True)}
        assert there.keys() == self.model.blocks.keys()
        for block in self.model.blocks.values():
            _same(block, there[block.id])
            versions = await self.world.memory.versions.versions(block.id)
            assert [each.version for each in versions] == [each for each, _, _ in block.versions]
            written = [(json.loads(each.operation)["op"], each.actor.id) for each in versions]
            assert written == block.writers
            # Going through all of them would take longer than the rest.
            for version, part, schema in self.random.sample(block.versions, min(2, len(block.versions))):
                content = (await self.world.memory.versions.content_at(block.id, Version(version))).content
                assert plain(content) == visible(schema, part)
        every = await self.world.memory.all_attachments()
        sharing = {(each.block_id, each.agent_id): each.permission for each in every}
        assert sharing == {
            (block.id, agent): level
            for block in self.model.blocks.values()
            for agent, level in block.attached.items()
        }
        told = await self.world.rows(
            "SELECT kind, ref_kind, ref_id, ref_part, actor_id FROM changes"
            " WHERE ref_kind IN ('block', 'attachment') ORDER BY seq"
        )
        assert told == [each.told for each in self.model.journal]


def _kind(block: ModelBlock) -> str:
    return next(kind for kind, schemas in SCHEMAS.items() if block.schema in schemas)


def _same(block: ModelBlock, state: BlockState | None) -> None:
    assert state is not None
    assert state.content is not None
    assert plain(state.content) == block.shown
    assert {name: getattr(state.block, name) for name in block.row} == block.row
    assert state.block.owner == block.owner


def _check_refusal(code: str, guesses: list[Guess], *, undone: bool) -> None:
    """A refused undo: the first step that is not passed over must have been refused so."""
    if not guesses:
        assert code == f"refused.nothing_to_{'redo' if undone else 'undo'}"
        return
    for guess in guesses:
        if guess.verdict == "refused":
            assert code == guess.code
            return
        if guess.verdict == "open" and (
            code in LATER_RULES or code in ("refused.locked", "refused.read_only_part")
        ):
            return
        assert guess.verdict in ("passed", "open"), (code, guess)
    assert code == "refused.undo_overtaken"


WEIGHTS: Mapping[Callable[[Memory], None], int] = {
    Memory.edit: 50,
    Memory.change: 20,
    Memory.make: 3,
    Memory.go_back: 5,
    Memory.undo: 18,
    Memory.redo: 12,
}


@pytest.fixture
def stage() -> Iterator[Stage]:
    """A constellation to begin with, and one loop for all runs."""
    shared = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="context-inspector-", dir=shared))
    with asyncio.Runner() as runner:
        made = Stage(folder / "template", runner.get_loop())
        runner.run(_make_template(made.template))
        yield made
    shutil.rmtree(folder)


async def _make_template(path: Path) -> None:
    world = await open_world(path, create=True)
    await world.consent.set_partner(PARTNER.id, PARTNER.name, actor=HUMAN)
    await world.close()


def run(stage: Stage, numbers: Sequence[int]) -> list[str]:
    """One history, by a number for each step. Gives what was done; on a failure that is in the error's notes."""
    memory = Memory(stage, *divmod(numbers[0], len(FOCUS)))
    try:
        for number in numbers:
            memory.act(number)
        memory.check()
    except BaseException as error:
        error.add_note("\n".join(memory.told))
        raise
    finally:
        memory.close()
    return memory.told


def run_seed(stage: Stage, seed: int, steps: int) -> None:
    """One history of a seed's; when it fails, the fewest of its steps that fail too.

    The seed is all that hypothesis draws: of lists of numbers it draws the same few again and again.
    """
    chance = Random(seed)
    numbers = [chance.randrange(1, 2**32) for _ in range(steps)]
    try:
        run(stage, numbers)
    except Exception:
        smallest = numbers
        for index in reversed(range(1, steps)):
            fewer = [*smallest[:index], 0, *smallest[index + 1 :]]
            with suppress(Exception):
                run(stage, fewer)
                continue
            smallest = fewer
        run(stage, smallest)
        raise


def check_variety(stage: Stage, done: set[tuple[str, str]], undone: set[tuple[str, str]]) -> None:
    """What must have been done with the contents of each kind, and taken back; all of it with blocks themselves."""
    assert done - stage.done.keys() == set()
    assert undone - stage.undone.keys() == set()
    assert {kind for kind, op in stage.undone if op not in ON_BLOCKS} == set(KINDS)
    assert {(kind, RestoreVersion.op) for kind in KINDS} - stage.done.keys() == set()
    assert ON_BLOCKS - {op for _, op in stage.done} == set()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_any_operations_of_all_actors_do_what_a_plain_model_does(stage: Stage) -> None:
    @settings(GENTLE, max_examples=50)
    @given(seed=st.integers(0, 2**32))
    def each(seed: int) -> None:
        run_seed(stage, seed, 50)

    each()
    # In a composite there are too many to meet each of them in so few steps.
    check_variety(stage, SIMPLE, set())


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_that_long_histories_of_all_actors_do_what_a_plain_model_does(stage: Stage) -> None:
    @settings(GENTLE, max_examples=60)
    @given(seed=st.integers(0, 2**32))
    def each(seed: int) -> None:
        run_seed(stage, seed, MOST_STEPS)

    each()
    check_variety(stage, ON_CONTENTS, SIMPLE)
