"""Trimming histories: ours beside two named peers, on the same histories, in one run.

    python -m tests.studies.history_trimming [HISTORIES]

It makes an environment for the peers in a temporary folder (from the package index that pip is set up for; it is
gone afterwards) and prints for each way: outputs that are invalid (over the budget, a call parted from its result,
the first message of a trimmed history not a user's, or nothing at all), how much of the budget is used, and the
time for 1 000, 10 000 and 100 000 messages. One neutral counter judges all: a token a character.

Then ours alone: one message more, and a whole build with cold counts of a Request of 80 000 tokens beside what
tiktoken needs for its text.

Where no unit (a message, or one of calls with all their results) is larger than a twentieth of the budget, the use of
it is told apart. A strategy that shortens only past a mark is timed apart where a batch more makes it shorten.

To reach: 0 invalid, utilisation of 95 % under `truncate` where units are small, 100 000 messages in 20 ms from the
index in memory, one batch more in 1 ms, a cold build in 1.5 times tiktoken's time.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from inspector.context.builder import ContextBuilder
from inspector.context.counting.chunks import TextChunks
from inspector.context.counting.frames import FrameCosts
from inspector.context.counting.pool import CounterPool, shipped_pool
from inspector.context.history.history_writer import HistoryWriter
from inspector.context.identity import BuildCache
from inspector.context.plan import BuildPlan, Planner
from inspector.domain.counts import Count, Method, Tokenizer
from inspector.domain.limits import (
    Hysteresis,
    ImportanceBased,
    LimitOverrides,
    RecursiveSummarization,
    Strategy,
    TimeDecay,
    Truncate,
    WindowStrategy,
)
from inspector.domain.messages import (
    Batch,
    BatchType,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.models import Overheads
from inspector.domain.requests import sent_content
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.shipped.layout_files import load_layouts
from inspector.shipped.models import load_model_table
from tests.bench.recount import recount_seconds
from tests.context.builders import an_agent

PEERS = ("langchain-core==1.7.2", "llama-index-core==0.14.25")
PEER_PROGRAM = Path(__file__).with_name("trimming_peers.py")
HISTORIES = 400
LARGE = (1_000, 10_000, 100_000)
LARGE_BUDGET = 200_000
APPENDED = 60
COLD_CHARACTERS = 340_000
COLD_BUILDS = 7
NO_CAP = 10**9
SMALL = 0.05
NOW = datetime(2026, 1, 1, tzinfo=UTC)
OURS: dict[str, Strategy] = {
    "ours, truncate": Truncate(NO_CAP),
    "ours, recursive_summarization": RecursiveSummarization(),
    "ours, hysteresis": Hysteresis(),
    "ours, importance_based": ImportanceBased(),
    "ours, time_decay": TimeDecay(),
    "ours, window": WindowStrategy(),
}
_WORDS = Path(__file__).read_text(encoding="utf-8").split()

Plain = dict[str, Any]


class NeutralCounter:
    """A token a character: what strings take is what all of them joined take, however they are counted."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Its name."""
        return Tokenizer("neutral", Method.ESTIMATE)

    def count(self, text: str) -> Count:
        """The tokens of one text."""
        return Count(len(text), Method.ESTIMATE)

    def count_chunks(self, text: str, previous: TextChunks | None = None) -> tuple[Count, TextChunks]:
        """The same; nothing is kept."""
        return self.count(text), previous or TextChunks((), ())


def neutral_costs(costs: FrameCosts) -> FrameCosts:
    """Frames that cost nothing, around strings of a token a character."""
    free = Overheads("neutral", 0, 0, 0, 0, 0, 0, 0, Method.ESTIMATE, Method.ESTIMATE, "none")
    return FrameCosts(NeutralCounter(), free, costs.tools, costs.images)


def said(rng: Random, most: int) -> str:
    """Words of varied number."""
    return " ".join(rng.choices(_WORDS, k=1 + int(most * rng.random() ** 2)))


def a_turn(rng: Random, number: int, most: int) -> list[Plain]:
    """A user's message, now and then calls with their results, an answer."""
    messages = [_plain("user", said(rng, most))]
    for step in range(rng.choice((0, 0, 1, 1, 2, 4))):
        ids = [f"call_{number}_{step}_{at}" for at in range(rng.choice((1, 1, 2)))]
        calls = [{"id": each, "name": "look_up", "arguments": '{"q": 1}'} for each in ids]
        messages.append(_plain("assistant", said(rng, most // 4), calls))
        messages += [{**_plain("tool", said(rng, 3 * most)), "result_of": each} for each in ids]
    messages.append(_plain("assistant", said(rng, most)))
    return messages


def _plain(role: str, text: str, calls: Sequence[Plain] = ()) -> Plain:
    strings = [text, *(each for call in calls for each in (call["name"], call["arguments"]))]
    tokens = sum(NeutralCounter().count(each).tokens for each in strings)
    return {"role": role, "text": text, "calls": list(calls), "tokens": tokens}


def random_cases(count: int) -> list[Plain]:
    """Histories that are larger than their budgets."""
    found: list[Plain] = []
    for seed in range(count):
        rng = Random(seed)
        # A third of them long ones of small turns, a twentieth of the budget at most.
        is_small = seed % 3 == 0
        sizes, least, most = ((10, 20), 200, 400) if is_small else ((10, 30, 60), 20, 160)
        turns = [a_turn(rng, number, rng.choice(sizes)) for number in range(rng.randint(least, most))]
        total = sum(message["tokens"] for turn in turns for message in turn)
        budget = int(total * rng.uniform(0.4 if is_small else 0.1, 0.8))
        found.append({"messages": [message for turn in turns for message in turn], "budget": budget})
    return found


def large_case(count: int) -> Plain:
    """A history of that many messages."""
    rng = Random(count)
    messages: list[Plain] = []
    while len(messages) < count:
        messages += a_turn(rng, len(messages), 40)
    return {"messages": messages[:count], "budget": LARGE_BUDGET}


def as_history(messages: Sequence[Plain]) -> tuple[Batch, ...]:
    """The same as batches; a message's position is its place."""
    batches: list[list[Message]] = []
    for at, message in enumerate(messages):
        if message["role"] == "user":
            batches.append([])
        parts: tuple[Part, ...] = (TextPart(message["text"]),)
        if message["role"] == "tool":
            parts = (ToolResultPart(message["result_of"], message["text"]),)
        parts += tuple(ToolCallPart(each["id"], each["name"], each["arguments"]) for each in message["calls"])
        batch = f"batch_{len(batches)}"
        when = NOW - timedelta(minutes=2 * (len(messages) - at))
        kind = BatchType.USER_REQUEST
        batches[-1].append(Message(str(at), "a", at, batch, 0, Role(message["role"]), parts, kind, when))
    return tuple(Batch(batch[0].batch_id, tuple(batch)) for batch in batches)


@dataclass
class Bench:
    """Our side: a writer of histories and plans for it."""

    planner: Planner
    pool: CounterPool

    def plan(self, snapshot: Snapshot, strategy: Strategy, budget: int) -> BuildPlan:
        """A plan with the neutral counter."""
        limits = LimitOverrides(history_tokens=budget, max_tokens=NO_CAP, reserved_response_tokens=0)
        spec = RequestSpec(NOW, strategy=strategy, limits=limits, max_messages_cap=NO_CAP)
        plan = self.planner.plan(snapshot, spec)
        return replace(plan, costs=neutral_costs(plan.costs))

    def kept(self, messages: Sequence[Plain], budget: int, strategy: Strategy) -> list[Plain]:
        """What is sent of a history; each message with the tokens of what is sent of it."""
        history = as_history(messages)
        snapshot = Snapshot("c", 0, an_agent(), (), history=history)
        opened = HistoryWriter(BuildCache()).open(snapshot, self.plan(snapshot, strategy, budget))
        run = opened.run(opened.choose(NO_CAP))
        stored = {message.id: message for batch in history for message in batch.messages}
        pieces = run.section.pieces if run.section else ()
        costs = {piece.source.id: piece.tokens for piece in pieces}
        found = []
        for sent in run.messages:
            content = sent_content(sent, stored[sent.id])
            found.append({"at": int(sent.id), "tokens": costs[sent.id], "parts": len(content)})
        return found


def judge(messages: Sequence[Plain], budget: int, kept: Sequence[int], tokens: int) -> Iterable[str]:
    """What is wrong with an output."""
    if not kept:
        yield "nothing"
        return
    if tokens > budget:
        yield "over budget"
    sent = [messages[at] for at in kept]
    calls = {call["id"] for message in sent for call in message["calls"]}
    results = {message["result_of"] for message in sent if message["role"] == "tool"}
    if calls != results:
        yield "split pair"
    if sent[0]["role"] != "user":
        yield "first not a user's"


def has_small_units(case: Plain) -> bool:
    """Whether nothing that must stay together is larger than a twentieth of the budget."""
    units: list[int] = []
    for message in case["messages"]:
        if message["role"] == "tool":
            units[-1] += message["tokens"]
        else:
            units.append(message["tokens"])
    return bool(max(units) <= case["budget"] * SMALL)


def tell(name: str, outcomes: Sequence[tuple[list[str], float]], seconds: Plain | None) -> None:
    """One line of the table."""
    count = len(outcomes)
    wrong = Counter(each for faults, _ in outcomes for each in faults)
    invalid = sum(bool(faults) for faults, _ in outcomes) / count
    used = statistics.fmean(share for _, share in outcomes)
    faults = ", ".join(f"{what} {100 * number / count:.1f} %" for what, number in sorted(wrong.items()))
    times = (
        ""
        if seconds is None
        else " | ".join("not run" if each is None else f"{1000 * each:.1f} ms" for each in seconds.values())
    )
    print(f"{name:32} invalid {100 * invalid:5.1f} %  utilisation {100 * used:5.1f} %  {times:38} {faults}")


def run_peers(cases: Plain) -> Plain:
    """The peers' results, from an environment that is made for it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "peers", with_pip=True)
        python = place / "peers" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        (place / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
        subprocess.run([python, PEER_PROGRAM, place / "cases.json", place / "results.json"], check=True)
        read: Plain = json.loads((place / "results.json").read_text(encoding="utf-8"))
        return read


def peer_outcomes(cases: Sequence[Plain], kept: Sequence[list[int] | None]) -> list[tuple[list[str], float]]:
    """What the peers kept, judged."""
    found = []
    for case, places in zip(cases, kept, strict=True):
        tokens = sum(case["messages"][at]["tokens"] for at in places or ())
        faults = list(judge(case["messages"], case["budget"], places or (), tokens))
        found.append((faults, min(1.0, tokens / case["budget"])))
    return found


def our_outcomes(bench: Bench, cases: Sequence[Plain], strategy: Strategy) -> list[tuple[list[str], float]]:
    """What we kept, judged."""
    found = []
    for case in cases:
        kept = bench.kept(case["messages"], case["budget"], strategy)
        tokens = sum(each["tokens"] for each in kept)
        faults = list(judge(case["messages"], case["budget"], [each["at"] for each in kept], tokens))
        found.append((faults, tokens / case["budget"]))
    return found


def our_seconds(bench: Bench, strategy: Strategy, large: Sequence[Plain]) -> Plain:
    """The choice and its run from the index in memory, the best of five each with a fresh memory of runs."""
    found: Plain = {}
    for case in large:
        history = as_history(case["messages"])
        snapshot = Snapshot("c", 0, an_agent(), (), history=history)
        plan = bench.plan(snapshot, strategy, case["budget"])
        opened = HistoryWriter(BuildCache()).open(snapshot, plan)
        # What a strategy itself remembers of a history is a part of the index.
        opened.choose(NO_CAP)
        times = []
        for _ in range(5):
            fresh = replace(opened, cache=BuildCache())
            begun = time.perf_counter()
            fresh.run(fresh.choose(NO_CAP))
            times.append(time.perf_counter() - begun)
        found[str(len(case["messages"]))] = min(times)
    return found


def append_seconds(bench: Bench, strategy: Strategy, case: Plain) -> tuple[list[float], list[float]]:
    """One batch more: index, choice and run. Apart: where the history was shortened anew for it."""
    history = as_history(case["messages"])
    costs = neutral_costs(bench.planner.plan(Snapshot("c", 0, an_agent(), ()), RequestSpec(NOW)).costs)
    writer, state = HistoryWriter(BuildCache()), None
    times: tuple[list[float], list[float]] = ([], [])
    rng = Random(1)
    for number in range(APPENDED + 1):
        snapshot = Snapshot("c", 0, an_agent(), (), history=history, history_state=state)
        plan = replace(bench.plan(snapshot, strategy, case["budget"]), costs=costs)
        begun = time.perf_counter()
        opened = writer.open(snapshot, plan)
        choice = opened.choose(NO_CAP)
        opened.run(choice)
        taken = time.perf_counter() - begun
        if number:
            times[choice.state != state].append(taken)
        else:
            leave_out_of_collections()
        state = choice.state
        history = (*history, a_batch_more(rng, number))
    return times


def a_batch_more(rng: Random, number: int) -> Batch:
    """One more than there are."""
    at = 10**7 + 100 * number
    more = as_history(a_turn(rng, at, 40))[0]
    moved = tuple(
        replace(each, id=str(at + step), position=at + step, batch_id=f"more_{number}")
        for step, each in enumerate(more.messages)
    )
    return Batch(f"more_{number}", moved)


def leave_out_of_collections() -> None:
    """What was made so far is not looked through again and again while something is timed; the program does so too."""
    gc.collect()
    gc.freeze()


def cold_build(strategy: Strategy) -> tuple[int, float, float]:
    """Tokens of a Request, and the seconds of its build with cold counts and of tiktoken for its text."""
    rng, total = Random(2), 0
    messages: list[Plain] = []
    while total < COLD_CHARACTERS:
        turn = a_turn(rng, len(messages), 200)
        messages += turn
        total += sum(message["tokens"] for message in turn)
    pool = shipped_pool()
    builder = ContextBuilder(load_model_table(), load_layouts(), pool)
    snapshot = Snapshot("c", 0, an_agent(), (), history=as_history(messages))
    limits = LimitOverrides(max_tokens=1_000_000, history_tokens=900_000)
    spec = RequestSpec(NOW, strategy=strategy, limits=limits, max_messages_cap=NO_CAP)
    builder.build(replace(snapshot, history=snapshot.history[:1]), spec)
    leave_out_of_collections()
    begun = time.perf_counter()
    request = builder.build(snapshot, spec)
    return request.tokens, time.perf_counter() - begun, recount_seconds(request)


def main() -> None:
    """Run all of it and print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else HISTORIES
    cases: Plain = {"random": random_cases(count), "large": [large_case(each) for each in LARGE]}
    pool = shipped_pool()
    bench = Bench(Planner(load_model_table(), load_layouts(), pool), pool)
    print(f"{count} random histories; times for {', '.join(map(str, LARGE))} messages")
    for name, strategy in OURS.items():
        seconds = our_seconds(bench, strategy, cases["large"])
        outcomes = our_outcomes(bench, cases["random"], strategy)
        tell(name, outcomes, seconds)
        shares = [
            share for case, (_, share) in zip(cases["random"], outcomes, strict=True) if has_small_units(case)
        ]
        if shares:
            print(f"{'':32} of {len(shares)} with small units {100 * statistics.fmean(shares):5.1f} %")
    for name, strategy in OURS.items():
        times, shortened = append_seconds(bench, strategy, cases["large"][-1])
        middle, worst = 1000 * statistics.median(times), 1000 * max(times)
        told = f"; {len(shortened)} shorten it, {1000 * max(shortened):.2f} ms at most" if shortened else ""
        print(f"{name:32} one batch more: median {middle:.2f} ms, longest {worst:.2f} ms{told}")
    builds = [cold_build(Truncate(NO_CAP)) for _ in range(COLD_BUILDS)]
    tokens, ours, theirs = sorted(builds, key=lambda each: each[1] / each[2])[COLD_BUILDS // 2]
    ratio = ours / theirs
    print(
        f"cold build of {tokens} tokens: {1000 * ours:.0f} ms, tiktoken {1000 * theirs:.0f} ms:"
        f" {ratio:.2f} (the middle of {COLD_BUILDS})"
    )
    for name, result in run_peers(cases).items():
        tell(name, peer_outcomes(cases["random"], result["kept"]), result["seconds"])


if __name__ == "__main__":
    main()
