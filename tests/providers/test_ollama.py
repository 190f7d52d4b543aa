"""Ollama's rules, one by one."""

from __future__ import annotations

from inspector.domain.messages import ImagePart, ThinkingPart
from inspector.domain.wire.values import WireForm
from tests.providers.builders import LIMITS, call, codes, outgoing, reply, result, tool, user, wire
from tests.providers.request_strategies import PIXEL

FORM = WireForm.OLLAMA


def test_that_the_whole_window_is_asked_for() -> None:
    body = wire(FORM, outgoing("llama3.2:3b", user(1, "?"), parameters={"temperature": 0.5})).body
    assert body["options"] == {"num_ctx": LIMITS.max_tokens, "temperature": 0.5}
    assert body["stream"] is False


def test_that_results_name_their_tool() -> None:
    said = (
        user(1, "?"),
        reply(2, ThinkingPart("hm"), call("a", "one"), call("b", "two")),
        tool(3, result("b", "B")),
    )
    made = wire(FORM, outgoing("llama3.2:3b", *said))
    asking, first, second = made.body["messages"][1:]
    assert asking["thinking"] == "hm"
    assert [each["function"]["arguments"] for each in asking["tool_calls"]] == [{"q": "x"}, {"q": "x"}]
    assert (first["tool_name"], first["content"]) == ("one", "[No result]")
    assert (second["tool_name"], second["content"]) == ("two", "B")


def test_that_an_image_behind_an_address_is_named_instead() -> None:
    images = (ImagePart("image/png", 1, 1, PIXEL), ImagePart("image/png", 2, 3, "https://example.org/x.png"))
    made = wire(FORM, outgoing("llava", user(1, *images)))
    assert made.body["messages"] == [
        {"role": "user", "content": "[Image image/png 2x3 left out]", "images": [PIXEL]}
    ]
    assert codes(made) == ["image_left_out"]
