import json
from datetime import UTC, datetime

import pytest

from inspector.domain.edits.rows import AppendMessage
from inspector.domain.exchange import ImportPlan
from inspector.domain.messages import (
    BatchType,
    ImagePart,
    RedactedThinkingPart,
    Role,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResultPart,
)
from tests.exchange.builders import (
    Fields,
    assistant,
    batches,
    codes,
    found,
    intents_of,
    plan_of,
    result,
    returns,
    roles,
    system,
    user,
    with_messages,
)


def kept_of(message: AppendMessage) -> Fields:
    kept: Fields = json.loads(message.metadata)["letta"]
    return kept


def sent(plan: ImportPlan) -> list[list[str]]:
    """The roles of the batches that may be sent."""
    return [[each.role.value for each in batch] for batch in batches(plan) if not batch[0].is_archived]


def test_that_a_turn_is_what_is_put_to_the_agent_and_all_that_follows() -> None:
    plan = plan_of(
        with_messages(
            user("one"),
            assistant("a", {"c1": "look"}),
            result("c1"),
            assistant("b"),
            user("two"),
            assistant("c"),
        )
    )
    assert roles(plan) == [["user", "assistant", "tool", "assistant"], ["user", "assistant"]]
    assert {batch[0].batch_type for batch in batches(plan)} == {BatchType.USER_REQUEST}


def test_that_messages_put_one_after_another_begin_one_turn() -> None:
    plan = plan_of(
        with_messages(user('{"type": "system_alert", "message": "m"}'), user("two"), assistant("a"))
    )
    assert roles(plan) == [["user", "user", "assistant"]]
    assert batches(plan)[0][0].batch_type is BatchType.USER_REQUEST


@pytest.mark.parametrize(
    ("text", "kind", "source"),
    [
        ("hello", BatchType.USER_REQUEST, "user"),
        ('{"type": "user_message", "message": "hello"}', BatchType.USER_REQUEST, "user"),
        ('{"type": "heartbeat", "reason": "r"}', BatchType.SYSTEM_TRIGGER, "heartbeat"),
        ('{"type": "login"}', BatchType.SYSTEM_TRIGGER, "login"),
        ('{"type": 3}', BatchType.USER_REQUEST, "user"),
        ("{not json", BatchType.USER_REQUEST, "user"),
    ],
)
def test_that_a_packed_event_is_told_from_a_persons_message(text: str, kind: BatchType, source: str) -> None:
    message = found(plan_of(with_messages(user(text), assistant("a"))), AppendMessage)[0]
    assert (message.batch_type, message.source, message.content) == (kind, source, (TextPart(text),))


def test_that_a_message_from_another_agent_is_told() -> None:
    plan = plan_of(with_messages(user("hi", sender_id="agent-7"), assistant("a")))
    assert batches(plan)[0][0].batch_type is BatchType.AGENT_TO_AGENT


def test_that_a_compiled_prompt_stands_alone_archived_and_tears_no_turn_apart() -> None:
    plan = plan_of(
        with_messages(
            system("all memory"), user("one"), assistant("", {"c1": "look"}), system("again"), result("c1")
        )
    )
    assert roles(plan) == [["system"], ["user", "assistant", "tool"], ["system"]]
    prompts = [message for message in found(plan, AppendMessage) if message.role is Role.SYSTEM]
    assert all(prompt.compiled and prompt.is_archived for prompt in prompts)
    assert (plan.agents[0].messages, plan.agents[0].messages_in_context) == (5, 3)
    assert codes(plan) == ["import.compiled_prompts"]


def test_that_the_in_context_list_decides_what_is_archived() -> None:
    plan = plan_of(with_messages(user("old"), assistant("a"), user("new"), assistant("b"), in_context=[2, 3]))
    assert [message.is_archived for message in found(plan, AppendMessage)] == [True, True, False, False]
    assert plan.agents[0].messages_in_context == 2


def test_that_a_turn_half_in_context_is_cut_where_the_source_cut_it() -> None:
    plan = plan_of(with_messages(user("old"), assistant("a"), assistant("b"), user("new"), in_context=[2, 3]))
    assert [[each.is_archived for each in batch] for batch in batches(plan)] == [
        [True, True],
        [False],
        [False],
    ]
    assert batches(plan)[1][0].batch_type is BatchType.CONTINUATION


def test_that_a_result_stays_with_its_call_where_the_source_parts_them() -> None:
    plan = plan_of(
        with_messages(user("u"), assistant("", {"c1": "look"}), result("c1"), user("v"), in_context=[2, 3])
    )
    assert roles(plan) == [["user", "assistant", "tool"], ["user"]]
    assert sent(plan) == [["user"]]
    assert codes(plan) == ["import.context_splits_call"]


def test_that_without_a_list_all_is_in_context_and_an_empty_one_archives_all() -> None:
    file = with_messages(user("u"), assistant("a"))
    del file["agents"][0]["in_context_message_ids"]
    assert plan_of(file).agents[0].messages_in_context == 2
    plan = plan_of(with_messages(user("u"), assistant("a"), in_context=[]))
    assert plan.agents[0].messages_in_context == 0
    assert codes(plan) == ["import.nothing_in_context"]


def test_that_an_unknown_message_in_context_is_told() -> None:
    file = with_messages(user("u"))
    file["agents"][0]["in_context_message_ids"].append("message-9")
    assert codes(plan_of(file)) == ["import.missing_message"]


def test_that_a_context_in_another_order_is_told() -> None:
    assert codes(plan_of(with_messages(user("u"), assistant("a"), in_context=[1, 0]))) == [
        "import.context_order"
    ]


def test_that_a_message_between_a_call_and_its_result_comes_behind_the_result() -> None:
    plan = plan_of(
        with_messages(user("u"), assistant("", {"c1": "look"}), user("wait"), result("c1"), assistant("done"))
    )
    assert roles(plan) == [["user", "assistant", "tool"], ["user", "assistant"]]


def test_that_a_result_without_its_call_is_stored_aside_and_told() -> None:
    plan = plan_of(with_messages(user("u"), result("c9"), assistant("a")))
    assert sent(plan) == [["user", "assistant"]]
    assert ["tool"] in roles(plan)
    assert codes(plan) == ["import.result_without_call"]


def test_that_a_second_result_of_one_call_is_stored_aside_and_told() -> None:
    plan = plan_of(with_messages(user("u"), assistant("", {"c1": "look"}), result("c1"), result("c1")))
    assert sent(plan) == [["user", "assistant", "tool"]]
    assert codes(plan) == ["import.result_twice"]


def test_that_of_several_results_only_those_without_a_call_are_set_aside() -> None:
    plan = plan_of(
        with_messages(
            user("u"), assistant("", {"c1": "look"}), returns(("c1", "one"), ("c9", "nine")), assistant("a")
        )
    )
    assert sent(plan) == [["user", "assistant", "tool", "assistant"]]
    results = [
        part
        for message in found(plan, AppendMessage)
        for part in message.content
        if isinstance(part, ToolResultPart)
    ]
    assert [(part.call_id, part.content) for part in results] == [("c1", "one"), ("c9", "nine")]


def test_that_a_call_that_never_got_its_result_is_told() -> None:
    plan = plan_of(
        with_messages(user("u"), assistant("", {"c1": "look"}), user("v"), assistant("", {"c2": "look"}))
    )
    assert codes(plan) == ["import.call_without_result", "import.call_waits"]


def test_that_an_id_may_serve_again_once_its_call_is_answered() -> None:
    turn = [user("u"), assistant("", {"c1": "look"}), result("c1")]
    plan = plan_of(with_messages(*turn, *turn))
    assert roles(plan) == [["user", "assistant", "tool"]] * 2
    assert codes(plan) == []


def test_that_an_approval_request_is_the_assistants_call() -> None:
    request = {**assistant("may I?", {"c1": "act", "c2": "act"}), "role": "approval", "tool_call_id": "c1"}
    plan = plan_of(with_messages(user("u"), request, returns(("c1", "r1"), ("c2", "r2"))))
    asked = found(plan, AppendMessage)[1]
    assert (asked.role, len(asked.content)) == (Role.ASSISTANT, 3)
    assert kept_of(asked)["role"] == "approval"
    assert sent(plan) == [["user", "assistant", "tool"]]


def test_that_results_that_an_approval_repeats_are_sent_once() -> None:
    request = {**assistant("", {"c1": "act"}), "role": "approval"}
    answer = returns(("c1", "done"), role="approval")
    plan = plan_of(with_messages(user("u"), request, answer, returns(("c1", "done")), assistant("a")))
    assert sent(plan) == [["user", "assistant", "tool", "assistant"]]
    assert plan.agents[0].messages == 5
    assert codes(plan) == ["import.result_repeated"]


def test_that_results_that_only_an_approval_carries_are_the_results() -> None:
    request = {**assistant("", {"c1": "act"}), "role": "approval"}
    plan = plan_of(
        with_messages(user("u"), request, returns(("c1", "done"), role="approval"), assistant("a"))
    )
    assert sent(plan) == [["user", "assistant", "tool", "assistant"]]
    assert found(plan, AppendMessage)[2].content == (ToolResultPart("c1", "done"),)


def test_that_a_denial_without_a_result_answers_the_call_with_its_reason() -> None:
    request = {**assistant("", {"c1": "act"}), "role": "approval"}
    denial = {"type": "approval", "tool_call_id": "c1", "approve": False, "reason": "not now"}
    plan = plan_of(with_messages(user("u"), request, {"role": "approval", "approvals": [denial]}))
    answer = found(plan, AppendMessage)[2]
    assert answer.content == (ToolResultPart("c1", "not now", is_error=True),)
    assert kept_of(answer)["approvals"] == [denial]


def test_that_a_bare_consent_is_stored_and_never_sent() -> None:
    request = {**assistant("", {"c1": "act"}), "role": "approval"}
    consent = {"role": "approval", "approve": True, "approval_request_id": "message-1"}
    plan = plan_of(with_messages(user("u"), request, consent, result("c1")))
    assert sent(plan) == [["user", "assistant", "tool"]]
    aside = [message for message in found(plan, AppendMessage) if message.is_archived]
    assert [kept_of(message)["approve"] for message in aside] == [True]


def test_that_every_kind_of_part_is_read() -> None:
    content = [
        {"type": "reasoning", "reasoning": "hm", "is_native": True, "signature": "s"},
        {"type": "redacted_reasoning", "data": "d"},
        {"type": "text", "text": "answer"},
        {"type": "tool_call", "id": "c1", "name": "look", "input": {"what": "it"}},
        {"type": "omitted_reasoning"},
        {"type": "hologram", "beam": 1},
    ]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    plan = plan_of(
        with_messages({"role": "user", "content": [image]}, {"role": "assistant", "content": content})
    )
    first, second = found(plan, AppendMessage)
    assert first.content == (ImagePart("image/png", 0, 0, "AAAA"),)
    assert second.content == (
        ThinkingPart("hm", "s"),
        RedactedThinkingPart("d"),
        TextPart("answer"),
        ToolCallPart("c1", "look", '{"what":"it"}'),
    )
    assert {"type": "hologram", "beam": 1} in kept_of(second)["content"]
    assert codes(plan) == ["import.thinking_omitted", "import.unknown_part", "import.call_waits"]


def test_that_arguments_stay_as_the_model_wrote_them() -> None:
    calls = [
        {"id": "c1", "function": {"name": "look", "arguments": '{ "what" :"it", }'}},
        {"id": "c2", "function": {"name": "look", "arguments": {"what": "it"}}},
        {"id": "", "function": {"name": "look", "arguments": "{}"}},
    ]
    plan = plan_of(with_messages(user("u"), {"role": "assistant", "tool_calls": calls}))
    parts = found(plan, AppendMessage)[1].content
    assert parts == (
        ToolCallPart("c1", "look", '{ "what" :"it", }'),
        ToolCallPart("c2", "look", '{"what":"it"}'),
    )
    assert "import.unreadable_call" in codes(plan)


@pytest.mark.parametrize(
    ("message", "failed"),
    [
        (result("c1", '{"status": "Failed", "message": "no"}'), True),
        (result("c1", '{"status": "OK"}'), False),
        (result("c1", "plain words"), False),
        (
            {
                "role": "tool",
                "tool_returns": [{"tool_call_id": "c1", "status": "error", "func_response": "no"}],
            },
            True,
        ),
        (
            {
                "role": "tool",
                "tool_call_id": "c1",
                "tool_returns": [{"status": "success", "func_response": "ok"}],
            },
            False,
        ),
    ],
)
def test_that_a_failed_result_is_known_by_its_status(message: Fields, failed: bool) -> None:
    plan = plan_of(with_messages(user("u"), assistant("", {"c1": "look"}), message))
    (part,) = found(plan, AppendMessage)[2].content
    assert isinstance(part, ToolResultPart)
    assert (part.call_id, part.is_error) == ("c1", failed)


def test_that_times_are_taken_over_and_bad_ones_told() -> None:
    plan = plan_of(
        with_messages(
            user("u", created_at="2026-01-01T12:00:00+02:00"),
            assistant("a", created_at="yesterday"),
            assistant("b", created_at="0001-01-01T00:00:00+14:00"),
        )
    )
    times = [intent.at for intent in intents_of(plan, AppendMessage)]
    assert times == [datetime(2026, 1, 1, 10, tzinfo=UTC), None, None]
    assert codes(plan) == ["import.bad_time", "import.bad_time"]


def test_that_an_activation_of_its_own_is_a_turn_of_its_own() -> None:
    plan = plan_of(
        with_messages(user("u", run_id="r1"), assistant("a", run_id="r1"), assistant("b", run_id="r2"))
    )
    assert roles(plan) == [["user", "assistant"], ["assistant"]]


def test_that_an_unknown_role_is_stored_aside_and_told() -> None:
    plan = plan_of(with_messages(user("u"), {"role": "oracle", "content": "o"}, assistant("a")))
    assert sent(plan) == [["user", "assistant"]]
    assert codes(plan) == ["import.unknown_role"]


def test_that_names_and_source_ids_are_kept() -> None:
    message = found(plan_of(with_messages(user("u", name="Noor", otid="o"))), AppendMessage)[0]
    assert (message.name, kept_of(message)) == ("Noor", {"id": "message-0", "otid": "o"})
