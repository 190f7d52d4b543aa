"""A wrong key, a wrong model and no network, at each provider: what is said names the cause and what to do."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

import pytest

from inspector.domain.replies import Reply
from inspector.domain.wire.values import WireForm
from inspector.runtime.calls import USUAL_ADDRESSES
from inspector.ui.presentation.calls import failure_words
from tests.providers.provider_server import Answer, ProviderServer
from tests.providers.test_streams import FORMS, answered, reply_of

Body = tuple[int, Mapping[str, Any]]


def anthropic(kind: str, message: str) -> Mapping[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def openai(code: str, message: str) -> Mapping[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def gemini(code: int, status: str, message: str, *details: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


INVALID = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
WRONG_KEY: Mapping[WireForm, Body] = {
    WireForm.ANTHROPIC: (401, anthropic("authentication_error", "invalid x-api-key")),
    WireForm.OPENAI: (401, openai("invalid_api_key", "Incorrect API key provided: sk-n***t.")),
    WireForm.OPENAI_RESPONSES: (401, openai("invalid_api_key", "Incorrect API key provided: sk-n***t.")),
    WireForm.GEMINI: (
        400,
        gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", INVALID),
    ),
    WireForm.OLLAMA: (401, {"error": "unauthorized"}),
}
WRONG_MODEL: Mapping[WireForm, Body] = {
    WireForm.ANTHROPIC: (404, anthropic("not_found_error", "model: claude-nope")),
    WireForm.OPENAI: (404, openai("model_not_found", "The model `nope` does not exist.")),
    WireForm.OPENAI_RESPONSES: (400, openai("model_not_found", "The requested model 'nope' does not exist.")),
    WireForm.GEMINI: (404, gemini(404, "NOT_FOUND", "models/nope is not found for API version v1beta.")),
    WireForm.OLLAMA: (404, {"error": "model 'nope' not found"}),
}


def told(reply: Reply, form: WireForm) -> tuple[str, str, str]:
    assert reply.failure is not None
    words = failure_words(reply.failure, USUAL_ADDRESSES[form].key_variable)
    return words.title, words.server, words.advice


@pytest.mark.parametrize("form", FORMS)
def test_that_a_wrong_key_is_called_that_and_the_variable_is_named(form: WireForm) -> None:
    status, body = WRONG_KEY[form]
    title, server, advice = told(answered(Answer([json.dumps(body).encode()], status), form), form)
    assert title == f"The key was refused ({status})"
    assert server
    assert USUAL_ADDRESSES[form].key_variable in advice
    assert "Check the key" in advice


@pytest.mark.parametrize("form", FORMS)
def test_that_a_wrong_model_is_called_that(form: WireForm) -> None:
    status, body = WRONG_MODEL[form]
    title, server, advice = told(answered(Answer([json.dumps(body).encode()], status), form), form)
    assert title == f"Model or address not found ({status})"
    assert "nope" in server
    assert "Check the model's name" in advice


@pytest.mark.parametrize("form", FORMS)
async def test_that_no_network_says_to_check_it(form: WireForm) -> None:
    with socket.socket() as reserved:
        # Nobody listens there, and nobody else gets the port.
        reserved.bind(("127.0.0.1", 0))
        server = ProviderServer()
        server.port = reserved.getsockname()[1]
        title, _, advice = told(await reply_of(server, form), form)
    assert title == "No connection"
    assert "127.0.0.1" in advice
    assert "Check the address and your network" in advice
