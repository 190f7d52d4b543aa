"""Bodies of recorded requests out of a grammar, with unknown fields at every level."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
Bodies = st.SearchStrategy[Json]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

_texts = st.text(alphabet="ab \n<&é", min_size=1, max_size=12)
_words = st.text(alphabet="abcdef", min_size=3, max_size=8)
_scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), _words, st.just(""), st.just([]), st.just({})
)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(_words.map("f_{}".format), inner, max_size=2)
    ),
    max_leaves=4,
)


def _extra(known: Json, names: dict[str, st.SearchStrategy[Any]] | None = None) -> Bodies:
    """An object with its known fields, some that no reader knows, and some of `names`."""
    unknown = st.dictionaries(_words.map("x_{}".format), _values, max_size=2)
    further = st.fixed_dictionaries({}, optional=names or {})
    return st.tuples(unknown, further).map(lambda both: {**known, **both[0], **both[1]})


def _flat(
    strategy: st.SearchStrategy[Json], names: dict[str, st.SearchStrategy[Any]] | None = None
) -> Bodies:
    return strategy.flatmap(lambda known: _extra(known, names))


_cache = {"cache_control": st.just({"type": "ephemeral", "ttl": "1h"})}
_arguments = st.fixed_dictionaries({}, optional={"q": _texts, "n": st.integers(0, 9)})


def _own(kind: str, **fields: st.SearchStrategy[Any]) -> Bodies:
    return _flat(st.fixed_dictionaries({"type": st.just(kind), **fields}), _cache)


@st.composite
def anthropic(draw: st.DrawFn) -> Json:
    text = _own("text", text=_texts)
    image = _own(
        "image",
        source=st.one_of(
            _extra({"type": "base64", "media_type": "image/png", "data": PIXEL}),
            _extra({"type": "url", "url": "https://example.org/a.png"}),
        ),
    )
    document = _own("document", source=_extra({"type": "text", "media_type": "text/plain", "data": "x"}))
    messages: list[Json] = []
    for turn in range(draw(st.integers(1, 3))):
        said = st.one_of(_texts, st.lists(st.one_of(text, image, document), min_size=1, max_size=3))
        messages.append(draw(_flat(st.fixed_dictionaries({"role": st.just("user"), "content": said}))))
        call = draw(_own("tool_use", id=st.just(f"c{turn}"), name=st.just("look"), input=_arguments))
        thought = _own("thinking", thinking=_texts, signature=st.just("c2ln"))
        blocks = [*draw(st.lists(st.one_of(thought, text), max_size=2)), call]
        messages.append(draw(_flat(st.just({"role": "assistant", "content": blocks}))))
        inside = st.one_of(_texts, st.lists(st.one_of(text, image, document), min_size=2, max_size=3))
        result = draw(_own("tool_result", tool_use_id=st.just(f"c{turn}"), content=inside))
        if draw(st.booleans()):
            result["is_error"] = draw(st.booleans())
        messages.append({"role": "user", "content": [result, *draw(st.lists(text, max_size=1))]})
    tool = draw(_flat(st.just({"name": "look", "input_schema": SCHEMA}), _cache))
    server = draw(_flat(st.just({"type": "web_search_20250305", "name": "web_search"})))
    body: Json = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64,
        "messages": messages,
        "tools": draw(st.permutations([tool, server])),
        "thinking": draw(_extra({"type": "enabled", "budget_tokens": 2048})),
    }
    system = draw(st.one_of(st.none(), _texts, st.lists(text, min_size=1, max_size=3)))
    if system is not None:
        body["system"] = system
    return draw(_extra(body))


@st.composite
def chat(draw: st.DrawFn) -> Json:
    text = _own("text", text=_texts)
    address = st.one_of(st.just("https://example.org/a.png"), st.just(f"data:image/png;base64,{PIXEL}"))
    image = _own(
        "image_url",
        image_url=_flat(st.fixed_dictionaries({"url": address}), {"detail": st.just("low")}),
    )
    file = _own("file", file=_extra({"file_id": "f1"}))
    said = st.one_of(_texts, st.lists(st.one_of(text, image, file), min_size=1, max_size=3))
    only_text = st.one_of(_texts, st.lists(text, min_size=2, max_size=2))
    roles = st.sampled_from(["system", "developer"])
    system = _flat(st.fixed_dictionaries({"role": roles, "content": only_text}), {"name": _words})
    messages = draw(st.lists(system, max_size=3))
    for turn in range(draw(st.integers(1, 3))):
        user = st.fixed_dictionaries({"role": st.just("user"), "content": said})
        messages.append(draw(_flat(user, {"name": _words})))
        function = draw(
            _flat(st.fixed_dictionaries({"name": st.just("look"), "arguments": _arguments.map(json.dumps)}))
        )
        call = draw(_flat(st.just({"id": f"c{turn}", "type": "function", "function": function})))
        reply = {"role": "assistant", "content": draw(st.one_of(st.none(), only_text)), "tool_calls": [call]}
        messages.append(draw(_flat(st.just(reply), {"refusal": st.none(), "prefix": st.booleans()})))
        inside = st.one_of(_texts, st.lists(st.one_of(text, image), min_size=2, max_size=2))
        result = st.fixed_dictionaries(
            {"role": st.just("tool"), "tool_call_id": st.just(f"c{turn}"), "content": inside}
        )
        messages.append(draw(_flat(result, {"name": _words})))
        messages += draw(st.lists(system, max_size=1))
    function = draw(_flat(st.just({"name": "look", "parameters": SCHEMA}), {"strict": st.booleans()}))
    tool = draw(_flat(st.just({"type": "function", "function": function})))
    server = draw(_flat(st.just({"type": "web_search"})))
    limit = draw(st.sampled_from(["max_tokens", "max_completion_tokens"]))
    body = {
        "model": "gpt-4o",
        "messages": messages,
        limit: 64,
        "tools": draw(st.permutations([tool, server])),
    }
    return draw(_extra(body, {"stop": st.one_of(_words, st.just([])), "tool_choice": st.just("auto")}))


@st.composite
def responses(draw: st.DrawFn) -> Json:
    text = _own("input_text", text=_texts)
    image = _own("input_image", image_url=st.just("https://example.org/a.png"))
    file = _own("input_file", file_id=st.just("f1"))
    said = st.one_of(_texts, st.lists(st.one_of(text, image, file), min_size=1, max_size=3))
    item = {"type": st.just("message"), "id": _words, "status": st.just("completed"), "phase": _words}
    items: list[Json] = []
    if draw(st.booleans()):
        system = {
            "role": st.sampled_from(["system", "developer"]),
            "content": st.one_of(_texts, st.lists(text, min_size=1, max_size=2)),
        }
        items.append(draw(_flat(st.fixed_dictionaries(system), item)))
    for turn in range(draw(st.integers(1, 3))):
        user = st.fixed_dictionaries({"role": st.just("user"), "content": said})
        items.append(draw(_flat(user, item)))
        items.append(draw(_extra({"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e"})))
        output = _flat(
            st.fixed_dictionaries({"type": st.just("output_text"), "text": _texts}),
            {"annotations": st.just([])},
        )
        refusal = _extra({"type": "refusal", "refusal": "no"})
        blocks = st.one_of(_texts, st.lists(st.one_of(output, refusal), min_size=1, max_size=2))
        reply = st.fixed_dictionaries({"role": st.just("assistant"), "content": blocks})
        items += draw(st.lists(_flat(reply, item), max_size=2))
        call = {"type": "function_call", "call_id": f"c{turn}", "name": "look", "arguments": '{"q": "x"}'}
        items.append(draw(_extra(call, {"id": _words, "status": st.just("completed")})))
        if draw(st.booleans()):
            items.append(draw(_extra({"type": "web_search_call", "id": "w"})))
        inside = st.one_of(_texts, st.lists(st.one_of(text, image, file), min_size=2, max_size=2))
        result = {"type": st.just("function_call_output"), "call_id": st.just(f"c{turn}"), "output": inside}
        items.append(draw(_flat(st.fixed_dictionaries(result), {"id": _words})))
    tool = draw(_extra({"type": "function", "name": "look", "parameters": SCHEMA}, {"strict": st.booleans()}))
    server = draw(_extra({"type": "tool_search"}))
    body = {"model": "gpt-5", "input": items, "tools": draw(st.permutations([tool, server]))}
    further = {
        "instructions": _texts,
        "reasoning": _extra({"effort": "low"}, {"summary": st.none()}),
        "text": _extra({"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}}),
    }
    return draw(_extra(body, further))


@st.composite
def gemini(draw: st.DrawFn) -> Json:
    is_snake = draw(st.booleans())

    def key(camel: str, snake: str) -> str:
        return snake if is_snake else camel

    text = _extra({"text": "x"})
    data = {key("mimeType", "mime_type"): "image/png", "data": PIXEL}
    file = {key("mimeType", "mime_type"): "image/png", key("fileUri", "file_uri"): "gs://a/b"}
    image = st.one_of(
        _extra(data).flatmap(lambda inner: _extra({key("inlineData", "inline_data"): inner})),
        _extra(file).flatmap(lambda inner: _extra({key("fileData", "file_data"): inner})),
    )
    contents: list[Json] = []
    signed = {key("thoughtSignature", "thought_signature"): st.just("c2ln")}
    for _ in range(draw(st.integers(1, 3))):
        parts = draw(st.lists(st.one_of(text, image), min_size=1, max_size=3))
        contents.append(draw(_extra({"parts": parts}, {"role": st.just("user")})))
        thought = _extra({"text": "hm", "thought": True}, signed)
        call = draw(_extra({"name": "look", "args": draw(_arguments)}, {"id": _words}))
        made = draw(_extra({key("functionCall", "function_call"): call}, signed))
        spoken = draw(st.lists(st.one_of(thought, _extra({"text": "y"}, signed)), max_size=2))
        contents.append(draw(_extra({"role": "model", "parts": [*spoken, made]})))
        answer = draw(st.sampled_from([{"output": "1"}, {"error": "no"}, {"a": 1}, {"output": {"b": 2}}]))
        response = {"name": "look", "response": answer, **({"id": call["id"]} if "id" in call else {})}
        result = draw(_extra(response, {"parts": st.just([{"inlineData": data}])}))
        contents.append(
            {"role": "user", "parts": [draw(_extra({key("functionResponse", "function_response"): result}))]}
        )
    declared = draw(
        _extra({"name": "look", draw(st.sampled_from(["parameters", "parametersJsonSchema"])): SCHEMA})
    )
    groups = [{key("functionDeclarations", "function_declarations"): [declared]}, {"googleSearch": {}}]
    body: Json = {"contents": contents, "tools": draw(st.permutations(groups))}
    system = draw(_extra({"parts": draw(st.lists(text, min_size=1, max_size=2))}, {"role": st.just("user")}))
    config = draw(
        _extra({key("topK", "top_k"): 3}, {key("maxOutputTokens", "max_output_tokens"): st.just(9)})
    )
    return draw(
        _extra(
            body,
            {
                key("systemInstruction", "system_instruction"): st.just(system),
                key("generationConfig", "generation_config"): st.just(config),
                "safetySettings": st.just([{"category": "X", "threshold": "OFF"}]),
            },
        )
    )


@st.composite
def ollama(draw: st.DrawFn) -> Json:
    system = _flat(st.fixed_dictionaries({"role": st.just("system"), "content": _texts}))
    messages = draw(st.lists(system, max_size=2))
    for _ in range(draw(st.integers(1, 3))):
        user = st.fixed_dictionaries({"role": st.just("user"), "content": _texts})
        messages.append(draw(_flat(user, {"images": st.just([PIXEL])})))
        function = draw(_flat(st.fixed_dictionaries({"name": st.just("look"), "arguments": _arguments})))
        call = draw(_extra({"function": function}, {"id": _words}))
        reply = {"role": "assistant", "content": draw(st.one_of(st.just(""), _texts)), "tool_calls": [call]}
        messages.append(draw(_extra(reply, {"thinking": _texts})))
        result = {"role": "tool", "content": "hot"}
        messages.append(draw(_extra(result, {"tool_name": st.just("look")})))
    tool = draw(_extra({"type": "function", "function": {"name": "look", "parameters": SCHEMA}}))
    body = {
        "model": "llama3.1",
        "messages": messages,
        "tools": [tool],
        "options": draw(_extra({"temperature": 0})),
    }
    return draw(
        _extra(body, {"stream": st.booleans(), "keep_alive": st.just("5m"), "format": st.just(SCHEMA)})
    )


GRAMMARS: dict[str, st.SearchStrategy[Json]] = {
    "anthropic": anthropic(),
    "openai": chat(),
    "openai-responses": responses(),
    "gemini": gemini(),
    "ollama": ollama(),
}
