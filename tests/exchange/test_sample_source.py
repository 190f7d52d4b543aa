"""The sample constellation's source holds together: references, times, conversation, what surrounds it."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise

from tests.exchange.sample_source import (
    AGENTS,
    ATTACHMENTS,
    BLOCKS,
    CONSTELLATION,
    DAY,
    HISTORY,
    MESSAGES,
    SOURCE,
    SUMMARIES,
    TOOLS,
    Row,
    batches,
    fields_of,
    load,
    parts,
    schema_and_operation,
    seconds,
    set_values,
)

EVENT_KINDS = {
    "message_received",
    "message_sent",
    "tool_called",
    "archival_operation",
    "context_compressed",
    "heartbeat",
    "task_changed",
    "agent_status_changed",
    "external_event",
    "coordination",
    "system",
}


def test_that_there_is_enough_of_everything() -> None:
    assert len(AGENTS) >= 3
    assert len(BLOCKS) >= 16
    assert len(MESSAGES) >= 210
    assert len(load("activity")) >= 65
    assert len(load("archival")) >= 20
    assert 8 <= len(TOOLS) <= 12
    assert len(load("runs")) == 2
    assert len(load("wakeups")) >= 1


def test_that_every_id_is_given_once() -> None:
    names = ("agents", "blocks", "archival", "summaries", "queue", "wakeups", "consent", "runs")
    ids = [each["id"] for name in names for each in load(name)]
    ids += [part["id"] for part in parts(MESSAGES, "tool_call")]
    assert [each for each, count in Counter(ids).items() if count > 1] == []
    assert len(TOOLS) == len(load("tools"))


def test_that_every_reference_finds_its_target() -> None:
    assert {each["owner"] for each in BLOCKS.values()} == {*AGENTS, CONSTELLATION}
    for name in ("archival", "wakeups", "runs", "consent", "summaries"):
        assert {each["agent_id"] for each in load(name)} <= set(AGENTS), name
    assert {each["agent_id"] for each in MESSAGES} == set(AGENTS)
    assert {each["block_id"] for each in (*ATTACHMENTS, *load("consent"))} <= set(BLOCKS)
    assert {each["agent_id"] for each in ATTACHMENTS} <= set(AGENTS)
    queue = load("queue")
    assert {each["target"] for each in queue} <= set(AGENTS)
    assert {each["from"] for each in queue} <= {*AGENTS, None}
    for agent in AGENTS.values():
        assert set(agent["tools"]) <= set(TOOLS)
        assert {rule["tool"] for rule in agent["tool_rules"]} <= set(agent["tools"])
    actors = [row["actor"] for _, row in HISTORY]
    assert all(AGENTS[each["id"]]["name"] == each["name"] for each in actors if each["kind"] == "agent")
    assert {each["kind"] for each in actors} == {"agent", "human", "partner", "system", "import"}


def every_offset() -> list[str]:
    found = [row["at"] for _, row in HISTORY] + [each["at"] for each in MESSAGES]
    for name in ("attachments", "archival", "activity", "queue", "wakeups", "consent", "runs", "summaries"):
        found += [each["at"] for each in load(name)]
    found += [each["next_attempt"] for each in load("queue") if each["next_attempt"]]
    for block, row in HISTORY:
        schema, operation = schema_and_operation(block, row["operation"])
        defined = fields_of(schema)
        found += [
            value
            for name, value in set_values(operation).items()
            if defined[name]["field_type"] == "timestamp"
        ]
    return found


def test_that_offsets_parse_and_only_the_future_lies_ahead() -> None:
    for offset in every_offset():
        seconds(offset)
    past = [row["at"] for _, row in HISTORY] + [each["at"] for each in MESSAGES]
    for name in ("attachments", "archival", "activity", "queue", "consent", "runs", "summaries"):
        past += [each["at"] for each in load(name)]
    assert max(map(seconds, past)) == 0
    assert min(seconds(each["at"]) for each in load("wakeups")) > 0


def test_that_messages_and_histories_are_in_order() -> None:
    for agent in AGENTS:
        times = [seconds(each["at"]) for each in MESSAGES if each["agent_id"] == agent]
        assert all(before < after for before, after in pairwise(times)), agent
    for block in BLOCKS.values():
        times = [seconds(row["at"]) for row in block["history"]]
        assert times == sorted(times), block["label"]
    events = [seconds(each["at"]) for each in load("activity")]
    assert events == sorted(events)


def test_that_a_batch_stands_together_and_belongs_to_one_agent() -> None:
    runs = [before["batch"] for before, after in pairwise(MESSAGES) if before["batch"] != after["batch"]]
    assert len(set(runs)) == len(runs)
    for messages in batches().values():
        assert len({(each["agent_id"], each["batch_type"], each["archived"]) for each in messages}) == 1
        assert messages[0]["role"] in ("user", "system")
    assert {each["batch_type"] for each in MESSAGES} == {
        "user_request",
        "agent_to_agent",
        "system_trigger",
        "continuation",
    }


def is_complete(messages: list[Row]) -> bool:
    calls = {part["id"] for part in parts(messages, "tool_call")}
    answered = {part["call_id"] for part in parts(messages, "tool_result")}
    return calls == answered and messages[-1]["role"] in ("assistant", "tool")


def test_that_every_call_has_one_result_in_its_batch_but_for_one_batch() -> None:
    found = batches()
    incomplete = [name for name, messages in found.items() if not is_complete(messages)]
    assert len(incomplete) == 1
    for name, messages in found.items():
        calls = [part["id"] for part in parts(messages, "tool_call")]
        answers = [part["call_id"] for part in parts(messages, "tool_result")]
        assert answers == calls[: len(answers)], name
        assert len(answers) == len(calls) or name in incomplete
    newest = {messages[0]["agent_id"]: name for name, messages in found.items()}
    assert not set(incomplete) & set(newest.values()), (
        "an incomplete batch that is the newest would be active"
    )


def test_that_calls_name_tools_of_their_agent_with_known_parameters() -> None:
    for message in MESSAGES:
        for call in parts([message], "tool_call"):
            assert call["name"] in AGENTS[message["agent_id"]]["tools"], call
            schema = TOOLS[call["name"]]["parameters"]
            assert set(schema["required"]) <= set(call["arguments"]) <= set(schema["properties"]), call
    results = parts(MESSAGES, "tool_result")
    failed = [each for each in results if each["is_error"]]
    assert 5 <= len(failed) < len(results) / 4
    assert max(len(each["content"]) for each in results) > 1000


def test_that_a_role_holds_what_it_may() -> None:
    allowed = {
        "user": {"text"},
        "system": {"text"},
        "assistant": {"text", "thinking", "tool_call"},
        "tool": {"tool_result"},
    }
    for message in MESSAGES:
        assert message["content"]
        assert {part["type"] for part in message["content"]} <= allowed[message["role"]]
    assert {message["role"] for message in MESSAGES} == set(allowed)


def test_that_a_message_sent_to_an_agent_arrives_there_later() -> None:
    by_name = {agent["name"]: name for name, agent in AGENTS.items()}
    arrived = {
        (each["agent_id"], each["content"][0]["text"]): seconds(each["at"])
        for each in MESSAGES
        if each["role"] == "user"
    }
    sent = 0
    for message in MESSAGES:
        for call in parts([message], "tool_call"):
            target = by_name.get(call["arguments"].get("to", ""))
            if call["name"] == "send_message" and target is not None:
                assert arrived[target, call["arguments"]["content"]] > seconds(message["at"])
                sent += 1
    assert sent >= 10


def test_that_several_scripts_and_emoji_occur() -> None:
    everything = "".join(path.read_text("utf-8") for path in sorted(SOURCE.iterdir()))
    for script in (
        r"[\u3040-\u30ff]",
        r"[\u4e00-\u9fff]",
        r"[\uac00-\ud7a3]",
        r"[\U0001f300-\U0001faff]",
        "\u3000",
    ):
        assert re.search(script, everything), script
    assert not re.search(r"sk-[A-Za-z0-9]{16}|AKIA[0-9A-Z]{12}|BEGIN [A-Z ]*PRIVATE KEY|ghp_", everything)


def test_that_summaries_form_a_chain_of_depth_two() -> None:
    depths = Counter(each["depth"] for each in SUMMARIES.values())
    assert depths[0] >= 4
    assert (depths[1], depths[2]) == (2, 1)
    for name, summary in SUMMARIES.items():
        children = [SUMMARIES[child] for child in summary["covers"].get("children", ())]
        assert all(child["depth"] == summary["depth"] - 1 for child in children), name
        assert bool(children) == (summary["depth"] > 0)
        assert all(seconds(child["at"]) <= seconds(summary["at"]) for child in children)
        assert set(summary["metadata"]) == {"decisions", "facts", "tasks", "entities"}
        previous = summary["previous"]
        assert previous is None or SUMMARIES[previous]["agent_id"] == summary["agent_id"]


def covered(summary: Row) -> list[str]:
    """The batches below a summary, in order."""
    if "children" in summary["covers"]:
        return [name for child in summary["covers"]["children"] for name in covered(SUMMARIES[child])]
    first, last = summary["covers"]["batches"]
    names = list(batches())
    return names[names.index(first) : names.index(last) + 1]


def test_that_summaries_of_messages_cover_each_batch_once_and_after_it_ended() -> None:
    found = batches()
    bottom = [each for each in SUMMARIES.values() if each["depth"] == 0]
    names = [name for each in bottom for name in covered(each)]
    assert len(set(names)) == len(names)
    for summary in bottom:
        messages = [message for name in covered(summary) for message in found[name]]
        assert {each["agent_id"] for each in messages} == {summary["agent_id"]}
        assert seconds(messages[-1]["at"]) < seconds(summary["at"])
    archived = {each["batch"] for each in MESSAGES if each["archived"]}
    assert archived
    assert archived < set(names)


def test_that_events_are_of_all_kinds_and_recent_for_every_agent() -> None:
    events: list[Row] = load("activity")
    kinds = {each["event_type"] for each in events}
    assert kinds > EVENT_KINDS, "no event of a kind of the sample's own"
    assert "memory_modified" not in kinds, "the store logs those itself as the histories are applied"
    assert {each["importance"] for each in events} == {"low", "medium", "high", "critical"}
    recent = {each["agent_id"] for each in events if seconds(each["at"]) > -DAY}
    assert recent == {*AGENTS, None}
    assert events[-1]["at"] == "-0s"
    owners = {name: messages[0]["agent_id"] for name, messages in batches().items()}
    assert all(owners[each["batch"]] == each["agent_id"] for each in events if each["batch"] is not None)


def test_that_tool_events_say_what_the_messages_say() -> None:
    told = Counter(
        (each["agent_id"], each["at"], each["details"]["tool"], each["details"]["success"])
        for each in load("activity")
        if each["event_type"] == "tool_called"
    )
    happened = Counter(
        (each["agent_id"], each["at"], each["name"], not part["is_error"])
        for each in MESSAGES
        for part in parts([each], "tool_result")
    )
    assert told == happened


def test_that_compression_events_name_stored_summaries() -> None:
    named = [
        (each["details"]["summary_created"], each["at"], each["agent_id"])
        for each in load("activity")
        if each["event_type"] == "context_compressed"
    ]
    stored = [(name, each["at"], each["agent_id"]) for name, each in SUMMARIES.items()]
    assert sorted(named) == sorted(stored)


def test_that_the_queue_shows_every_state() -> None:
    queue: list[Row] = load("queue")
    assert {each["state"] for each in queue} == {"pending", "processed", "failed", "dead"}
    received = {
        (each["agent_id"], each["content"][0]["text"]): seconds(each["at"])
        for each in MESSAGES
        if each["role"] == "user"
    }
    for each in queue:
        if each["state"] == "processed":
            assert received[each["target"], each["content"]] >= seconds(each["at"])
        if each["state"] == "failed":
            assert seconds(each["next_attempt"]) > 0
        assert (each["last_error"] is not None) >= (each["state"] in ("failed", "dead"))
    assert [each["attempts"] for each in queue if each["state"] == "dead"] == [5]


def test_that_the_consent_request_waits_for_the_partner() -> None:
    (request,) = load("consent")
    block = BLOCKS[request["block_id"]]
    assert block["permission"] == request["level"] == "partner"
    assert block["owner"] == request["agent_id"]
    assert request["operation"]["field"] in fields_of(block["schema"])
    assert load("constellation")["partner"]["name"] in {
        row["actor"]["name"] for row in block["history"] if row["actor"]["kind"] == "partner"
    }


def visible(agent: str) -> set[str]:
    shared = {each["block_id"] for each in ATTACHMENTS if each["agent_id"] == agent}
    return {name for name, each in BLOCKS.items() if each["owner"] in (agent, CONSTELLATION)} | shared


def test_that_only_the_run_that_says_so_was_overtaken_by_an_edit() -> None:
    runs: list[Row] = load("runs")
    assert sorted(each["reproducible"] for each in runs) == [False, True]
    for run in runs:
        seen = visible(run["agent_id"])
        later = [
            block["label"]
            for block, row in HISTORY
            if block["id"] in seen and seconds(row["at"]) > seconds(run["at"])
        ]
        assert bool(later) == (not run["reproducible"])


def test_that_a_run_ends_in_a_reply_of_its_agent() -> None:
    replies = {
        (each["agent_id"], part["text"]): seconds(each["at"])
        for each in MESSAGES
        if each["role"] == "assistant"
        for part in parts([each], "text")
    }
    for run in load("runs"):
        assert seconds(run["at"]) < replies[run["agent_id"], run["reply_text"]]
        assert run["first_token_ms"] < run["duration_ms"]
        assert run["usage"]["cache_read"] < run["usage"]["input"]


def test_that_history_outgrows_the_smallest_budget() -> None:
    tight = [each for each in AGENTS.values() if each["limits"]["history_tokens"] is not None]
    assert len(tight) == 1
    budget = tight[0]["limits"]["history_tokens"]
    mine = [each for each in MESSAGES if each["agent_id"] == tight[0]["id"]]
    characters = sum(
        len(part.get("text") or part.get("content") or json.dumps(part["arguments"]))
        for each in mine
        for part in each["content"]
    )
    assert characters > 6 * budget
    assert sum(1 for each in SUMMARIES.values() if each["agent_id"] == tight[0]["id"]) >= 9
