import pytest

from inspector.context.counting.definitions import bare, typescript, words
from inspector.context.history.framing import MessageFramer
from inspector.domain.counts import Method
from inspector.domain.messages import ImagePart, Role, ThinkingPart, ToolCallPart
from tests.context.builders import MODELS, POOL, a_message

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
    frames = costs.system_frame(with_tools=True).tokens + costs.message().tokens + costs.reply().tokens
    texts = sum(costs.counter.count(text).tokens for text in ASKED)
    assert tool.tokens + costs.tools_end().tokens + frames + texts == reported


def test_that_a_title_a_default_and_a_nested_field_are_lines_of_their_own() -> None:
    choice = {"anyOf": [{"type": "integer"}, {"const": "all"}], "title": "Count", "default": 3}
    steps = {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}
    schema = {"properties": {"count": choice, "steps": steps}, "required": ["steps"]}
    assert typescript("plan", "Plans.\nTwice.", schema) == (
        '// Plans.\n// Twice.\ntype plan = (_: {\n// Count\n//\ncount?: number | "all", // default: 3\n'
        "steps: {\n    name?: string,\n}[],\n}) => any;\n\n"
    )
    assert typescript("now", "", None) == "type now = () => any;\n\n"


def test_that_titles_are_no_part_of_a_bare_schema_but_a_field_of_that_name_is() -> None:
    fields = {"title": {"type": "string", "title": "Title"}}
    schema = {"type": "object", "properties": fields, "additionalProperties": False}
    assert bare(schema) == {"type": "object", "properties": {"title": {"type": "string"}}}


def test_that_an_older_gemini_is_charged_the_words_of_a_definition_alone() -> None:
    assert list(words("find", "", {"properties": {"name": {"type": "string", "description": "Whose."}}})) == [
        "find",
        "name",
        "Whose.",
    ]
    older, newer = (POOL.costs(MODELS.resolve(f"gemini-{each}-flash")) for each in ("2.0", "2.5"))
    assert older.tool("find", "Finds.", WEATHER).tokens < newer.tool("find", "Finds.", WEATHER).tokens


@pytest.mark.parametrize(("model", "charged"), [("gemini-2.5-flash", False), ("gpt-4o", True)])
def test_that_a_schema_of_the_reply_costs_only_where_it_is_charged(model: str, charged: bool) -> None:
    assert (POOL.costs(MODELS.resolve(model)).output_schema(WEATHER).tokens > 0) is charged


@pytest.mark.parametrize("model", ["gpt-4.5-preview", "gpt-4o-search-preview", "gpt-35-turbo"])
def test_that_frames_are_estimates_where_the_models_own_are_not_known(model: str) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    assert {costs.message().method, costs.reply().method} == {Method.ESTIMATE}


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
        # By bills.
        ("gpt-5-mini", 640, 480, 360),
        ("gpt-5-nano", 640, 480, 450),
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


@pytest.mark.parametrize(
    ("model", "width", "tokens"),
    [
        ("gpt-4o", 2048, 85),
        ("gpt-4o", 0, 85),
        ("gpt-5", 2048, 70),
        ("gpt-5-mini", 2048, 308),
        ("claude-sonnet-4-5", 1000, 1296),
    ],
)
@pytest.mark.parametrize("extra", ['{"detail": "low"}', '{"image_url": {"detail": "low"}}'])
def test_that_an_image_wished_with_little_detail_costs_less_where_the_provider_knows_the_wish(
    model: str, width: int, tokens: int, extra: str
) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    assert costs.image(ImagePart("image/png", width, width, "", extra)).tokens == tokens
    high = extra.replace("low", "high")
    assert (
        costs.image(ImagePart("image/png", 900, 900, "", high)).tokens
        == costs.image(ImagePart("image/png", 900, 900, "")).tokens
    )


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


def framed(model: str, *, is_finished: bool) -> int:
    message = a_message(1, Role.ASSISTANT, ThinkingPart("", "s" * 491), ToolCallPart("c", "find", "{}"))
    runs, _ = MessageFramer(message, POOL.costs(MODELS.resolve(model)), is_finished=is_finished).write()
    return sum(run.tokens for run in runs)


@pytest.mark.parametrize(("model", "charged"), [("claude-sonnet-4-5", False), ("claude-opus-4-6", True)])
def test_that_thinking_of_a_finished_turn_costs_only_where_the_provider_charges_it(
    model: str, charged: bool
) -> None:
    costs = POOL.costs(MODELS.resolve(model))
    message = a_message(1, Role.ASSISTANT, ThinkingPart("Let me think of it at length.", None))
    finished, going_on = (
        sum(run.tokens for run in MessageFramer(message, costs, is_finished=each).write()[0])
        for each in (True, False)
    )
    assert going_on > costs.message(Role.ASSISTANT).tokens
    assert (finished == going_on) is charged


def test_that_a_signature_hides_thinking_of_a_turn_that_goes_on_where_the_provider_charges_it() -> None:
    newer, older = "gemini-3-flash-preview", "gemini-2.5-flash"
    assert framed(newer, is_finished=False) - framed(newer, is_finished=True) == 100
    assert framed(older, is_finished=False) == framed(newer, is_finished=True)
