import pytest

from inspector.domain.counts import Method
from inspector.domain.messages import ImagePart
from tests.context.builders import MODELS, POOL

WEATHER = {
    "type": "object",
    "properties": {
        "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
        "unit": {
            "type": "string",
            "description": "The unit of temperature to return",
            "enum": ["celsius", "fahrenheit"],
        },
    },
    "required": ["location"],
}
ASKED = (
    "You are a helpful assistant that can answer to questions about the weather.",
    "What's the weather like in San Francisco?",
)
JARGON = (
    (
        "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        "",
    ),
    ("New synergies will help drive top-line growth.", "example_user"),
    ("Things working well together will increase revenue.", "example_assistant"),
    (
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        "example_user",
    ),
    ("Let's talk later when we're less busy about how to do better.", "example_assistant"),
    ("This late pivot means we don't have time to boil the ocean for the client deliverable.", ""),
)


@pytest.mark.parametrize(("model", "reported"), [("gpt-4o", 124), ("gpt-4o-mini", 124), ("gpt-4", 129)])
def test_that_a_chat_costs_what_the_provider_published_for_it(model: str, reported: int) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    tokens = costs.reply().tokens
    for text, name in JARGON:
        tokens += costs.message(named=bool(name)).tokens + costs.counter.count(text).tokens
        tokens += costs.counter.count(name).tokens
    assert tokens == reported


@pytest.mark.parametrize(
    ("model", "reported"), [("gpt-4o", 101), ("gpt-4o-mini", 101), ("gpt-4", 105), ("gpt-3.5-turbo", 105)]
)
def test_that_a_tool_costs_what_the_provider_published_for_it(model: str, reported: int) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    tool = costs.tool("get_current_weather", "Get the current weather in a given location", WEATHER)
    assert tool.method is Method.ESTIMATE
    messages = sum(costs.message().tokens + costs.counter.count(text).tokens for text in ASKED)
    assert tool.tokens + costs.tools_end().tokens + messages + costs.reply().tokens == reported


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        # The examples that the providers publish.
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4o", 2048, 4096, 1105),
        ("gpt-4.1-mini", 1024, 1024, 1659),
        ("gpt-4.1-mini", 1800, 2400, 2353),
        ("o4-mini", 1024, 1024, 1762),
        ("gemini-2.5-flash", 384, 384, 258),
        ("gemini-2.5-flash", 960, 540, 1548),
        ("gemini-3-flash-preview", 4000, 3000, 1120),
        ("claude-sonnet-4-5", 1000, 1000, 1296),
        ("claude-opus-4-7", 1000, 1000, 1296),
        # By the same rules.
        ("gpt-4o", 512, 512, 255),
        ("gpt-4o-mini", 512, 512, 8500),
        ("o3", 512, 512, 225),
        ("gpt-5", 512, 512, 210),
        ("gpt-5.6", 3200, 3200, 10000),
        ("claude-sonnet-4-5", 28, 28, 1),
    ],
)
def test_that_an_image_costs_what_its_providers_rule_says(
    model: str, width: int, height: int, tokens: int
) -> None:
    count = POOL.costs(MODELS.resolve(model)).image(ImagePart("image/png", width, height, ""))
    assert (count.tokens, count.method) == (tokens, Method.ESTIMATE)


@pytest.mark.parametrize(
    ("model", "most"),
    [("claude-sonnet-4-5", 1568), ("claude-opus-5-5", 4784), ("gpt-5.5", 10000), ("gpt-4.1-nano", 3779)],
)
def test_that_no_image_costs_more_than_its_rule_allows(model: str, most: int) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    for width in (1, 31, 500, 1568, 4001, 30_000):
        for height in (1, 33, 700, 2576, 9000):
            assert 1 <= costs.image(ImagePart("image/png", width, height, "")).tokens <= most


def test_that_an_image_of_unknown_size_is_taken_for_a_large_one() -> None:
    for model in ("gpt-4o", "claude-opus-5-5", "gemini-2.5-pro", "no-such-model"):
        costs = POOL.costs(MODELS.resolve(model))
        unknown = costs.image(ImagePart("image/png", 0, 0, "")).tokens
        assert unknown == costs.image(ImagePart("image/png", 0, 900, "")).tokens
        assert unknown >= costs.image(ImagePart("image/png", 800, 600, "")).tokens


def test_that_a_model_without_a_rule_of_its_own_says_so() -> None:
    assert POOL.costs(MODELS.resolve("no-such-model")).images.is_assumed
    assert POOL.costs(MODELS.resolve("llama3")).images.is_assumed
    assert not POOL.costs(MODELS.resolve("gpt-4o")).images.is_assumed
    assert not POOL.costs(MODELS.resolve("claude-2.1")).images.is_assumed
