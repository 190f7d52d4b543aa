"""Random cases for histories: a snapshot and what is asked of the build, from a seed alone."""

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from inspector.domain.agents import ContextConfig
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
    ImagePart,
    Message,
    Part,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.summaries import Summary
from tests.context.builders import (
    ESTIMATED_MODEL,
    EXACT_MODEL,
    NOW,
    OLDER_EXACT_MODEL,
    a_block,
    a_message,
    a_snapshot,
    a_spec,
    a_summary,
    an_agent,
)
from tests.context.random_histories import OWN_LAYOUT, a_fine_history, a_world, words

LAYOUTS = ("standard", "xml", "minimal", "cache_friendly")
NO_CAP = 10**9


def a_strategy(rng: Random) -> Strategy:
    """One of the six with settings of any size."""
    high = rng.choice((0.95, 0.9, 1.0, 0.5))
    kinds: list[Strategy] = [
        Truncate(rng.choice((0, 1, 3, 8, 30, 100, 1000))),
        RecursiveSummarization(rng.choice((0, 1, 4, 20, 200))),
        ImportanceBased(rng.choice((0, 1, 4, 20, 100)), rng.choice((0, 2, 6, 20, 100))),
        TimeDecay(rng.choice((0.0, 0.5, 3.0, 24.0, 1e9)), rng.choice((0, 1, 4, 10, 50))),
        WindowStrategy(rng.choice((0, 1, 5, 8, 10, 50))),
        Hysteresis(high, min(high, rng.choice((0.5, 0.3, 0.8, 0.95, 0.0)))),
    ]
    return rng.choice(kinds)


def a_history(rng: Random, *, odd: bool = True, largest: int = 120) -> tuple[Batch, ...]:
    """Up to 40 batches; with `odd`, incomplete, archived, unreadable and disordered ones among them."""
    count = rng.choice((0, 1, 2, 5, 12, 40))
    return tuple(a_batch(rng, number, odd=odd, largest=largest) for number in range(1, count + 1))


def a_batch(rng: Random, number: int, *, odd: bool = True, largest: int = 120) -> Batch:
    """One batch."""
    name, at = f"batch_{number}", number * 100
    when = NOW - timedelta(hours=3 * (45 - number), minutes=rng.randrange(600 if odd else 1))
    role = rng.choices((Role.USER, Role.ASSISTANT, Role.SYSTEM), (8, 1 if odd else 0, 1 if odd else 0))[0]
    messages = [_said(rng, at, role, name, when, largest)]
    for _ in range(rng.choice((0, 0, 1, 1, 3))):
        messages += _called(rng, at + len(messages), name, when, largest)
    messages.append(_said(rng, at + len(messages), Role.ASSISTANT, name, when, largest))
    if odd and rng.random() < 0.2:
        messages = _spoiled(rng, messages)
    return Batch(name, tuple(messages))


def a_case(seed: int) -> tuple[Snapshot, RequestSpec]:
    """A snapshot with a history of any shape, and any limits, layout and strategy."""
    rng = Random(seed)
    if seed % 4 == 3:
        return _a_large_case(rng)
    if seed % 8 == 5:
        return _a_world_case(rng)
    if seed % 16 == 9:
        return _a_fine_case(rng)
    history = a_history(rng, odd=rng.random() < 0.6, largest=rng.choice((10, 120, 1500)))
    model = rng.choice((EXACT_MODEL, EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL))
    agent = an_agent(model=model, config=ContextConfig(strategy=a_strategy(rng)))
    blocks = [a_block(f"b{at}", words(rng, 60)) for at in range(rng.randrange(3))]
    summaries = _summaries(rng) if rng.random() < 0.4 else ()
    snapshot = a_snapshot(*blocks, agent=agent, history=history, summaries=summaries)
    return snapshot, a_plain_spec(rng, history)


def _a_large_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A history with much to elide, and room for gaps."""
    history = tuple(a_batch(rng, number, odd=False, largest=60) for number in range(1, 41))
    jumbled = rng.random() < 0.3
    if jumbled:
        history = tuple(_moved(rng, batch) for batch in history)
    strategies: list[Strategy] = [
        Hysteresis(rng.choice((0.95, 1.0)), rng.choice((0.5, 0.8))),
        RecursiveSummarization(rng.choice((4, 20))),
        ImportanceBased(rng.choice((4, 12)), rng.choice((6, 20, 60))),
        TimeDecay(rng.choice((9.0, 24.0, 60.0)), rng.choice((1, 10))),
    ]
    spec = a_spec(
        strategy=rng.choice(strategies),
        limits=LimitOverrides(history_tokens=rng.choice((500, 1200, 2500, 5000))),
        layout=rng.choice(LAYOUTS),
        active_batch=rng.choice((None, None, history[-1].id)),
    )
    return a_snapshot(history=history, summaries=_summaries(rng) if rng.random() < 0.3 else ()), spec


def _a_world_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A history among memory of every kind, under a layout of its own or a shipped one."""
    history = a_history(rng, odd=rng.random() < 0.5, largest=rng.choice((10, 60)))
    model = rng.choice((EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL, "no-such-model"))
    snapshot = replace(a_world(rng, model, history), summaries=_summaries(rng) if rng.random() < 0.5 else ())
    spec = a_plain_spec(rng, history)
    assert spec.limits is not None
    limits = replace(spec.limits, memory_tokens=rng.choice((None, 0, 60, 200, 12_000)))
    layout = rng.choice((OWN_LAYOUT, OWN_LAYOUT, OWN_LAYOUT, *LAYOUTS))
    return snapshot, replace(spec, limits=limits, layout=layout, strategy=a_strategy(rng))


def _a_fine_case(rng: Random) -> tuple[Snapshot, RequestSpec]:
    """A long history of small units, far larger than its budget; most under `truncate` without a cap."""
    strategies: list[Strategy] = [Truncate(NO_CAP), Truncate(NO_CAP), Truncate(NO_CAP), a_strategy(rng)]
    spec = a_spec(
        strategy=rng.choice(strategies),
        limits=LimitOverrides(history_tokens=rng.choice((800, 1500, 2500))),
        layout=rng.choice(LAYOUTS),
        max_messages_cap=NO_CAP,
    )
    agent = an_agent(model=rng.choice((EXACT_MODEL, OLDER_EXACT_MODEL, ESTIMATED_MODEL)))
    return a_snapshot(agent=agent, history=a_fine_history(rng)), spec


def _moved(rng: Random, batch: Batch) -> Batch:
    """The batch at another time, as where a clock was set back."""
    by = timedelta(hours=rng.choice((0, 0, 40, -40)))
    return Batch(batch.id, tuple(replace(each, created_at=each.created_at + by) for each in batch.messages))


def a_plain_spec(rng: Random, history: tuple[Batch, ...]) -> RequestSpec:
    """Limits and a layout; now and then a batch in progress."""
    active = history and rng.random() < 0.25 and rng.choice((history[-1], rng.choice(history))).id
    return a_spec(
        limits=LimitOverrides(
            max_tokens=rng.choice((500, 900, 2000, 6000, 200_000)),
            history_tokens=rng.choice((None, 0, 40, 150, 400, 1000, 3000)),
            reserved_response_tokens=rng.choice((0, 100)),
        ),
        layout=rng.choice(LAYOUTS),
        max_messages_cap=rng.choice((None, None, None, 0, 3, 12)),
        active_batch=active or None,
    )


def _said(rng: Random, at: int, role: Role, batch: str, when: datetime, largest: int) -> Message:
    parts: list[Part] = [TextPart(words(rng, largest))]
    if role is Role.ASSISTANT and rng.random() < 0.2:
        parts.insert(0, ThinkingPart(words(rng, 20), "c2ln"))
    if rng.random() < 0.05:
        parts.append(rng.choice((ImagePart("image/png", 40, 40, "AAAA"), RedactedThinkingPart("QUJD"))))
    return a_message(at, role, *parts, batch=batch, created_at=when)


def _called(rng: Random, at: int, batch: str, when: datetime, largest: int) -> list[Message]:
    """An assistant's message with calls, and all their results in one message or several."""
    ids = [f"call_{at}_{number}" for number in range(rng.randint(1, 3))]
    calls = [ToolCallPart(each, "look", '{"q":1}') for each in ids]
    asked = a_message(at, Role.ASSISTANT, TextPart(words(rng, 8)), *calls, batch=batch, created_at=when)
    results = [ToolResultPart(each, words(rng, 4 * largest), rng.random() < 0.1) for each in ids]
    if rng.random() < 0.5:
        return [asked, a_message(at + 1, Role.TOOL, *results, batch=batch, created_at=when)]
    return [
        asked,
        *(
            a_message(at + 1 + number, Role.TOOL, result, batch=batch, created_at=when)
            for number, result in enumerate(results)
        ),
    ]


def _spoiled(rng: Random, messages: list[Message]) -> list[Message]:
    at = rng.randrange(len(messages))
    match rng.randrange(5):
        case 0:
            del messages[-1]
        case 1:
            messages = [replace(each, is_archived=True) for each in messages]
        case 2:
            messages[at] = replace(messages[at], content=(), problem="not JSON")
        case 3:
            messages[at] = replace(messages[at], is_archived=True)
        case 4:
            messages[at] = replace(messages[at], compiled=True)
    return messages


def _summaries(rng: Random) -> tuple[Summary, ...]:
    ends = sorted(rng.sample(range(1, 41), rng.randint(1, 4)))
    return tuple(
        a_summary(str(at), first * 100 + 100, last * 100 + 99, content=words(rng, 60) or "x")
        for at, (first, last) in enumerate(zip([0, *ends], ends, strict=False))
    )
