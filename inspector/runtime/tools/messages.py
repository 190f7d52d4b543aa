"""The tool that sends a message: to whoever talks with the agent, or into another agent's queue."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from inspector.domain.activity import PREVIEW_KEPT, EventKind
from inspector.domain.actor import SYSTEM
from inspector.domain.agents import Agent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.rows import EnqueueMessage, LogEvent
from inspector.domain.errors import InputError
from inspector.domain.ref import Ref, RefKind
from inspector.domain.rendering.activity import shorten
from inspector.domain.turns import MessageSent
from inspector.runtime.tools.blocks import agent_named
from inspector.runtime.tools.memory_access import MemoryAccess, number_argument, text_argument
from inspector.runtime.tools.registry import ToolUse
from inspector.runtime.wording import word

USER = "user"
ORIGIN = "send_message"
"""The origin of messages that agents put into one another's queue."""


Endpoint = Callable[[Agent, str], Awaitable[None]]
"""Takes a message of an agent to where it goes. An `InspectorError` is told to the model in words."""


class Endpoints:
    """Where messages of agents go besides people and other agents, by name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Endpoint] = {}

    def register(self, name: str, endpoint: Endpoint) -> None:
        """Send what agents address to a name to an endpoint, in place of one of that name.

        Raises:
            InputError: ``input.endpoint_name``, the name is empty or that of the user.
        """
        if not name.strip() or name == USER:
            raise InputError("input.endpoint_name", name=name)
        self._by_name[name] = endpoint

    def get(self, name: str) -> Endpoint | None:
        """The endpoint of a name, None where there is none."""
        return self._by_name.get(name)


class SendMessageTool:
    """The calls of ``send_message``, to a person or an agent."""

    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "to": {"type": "string", "description": "user, an agent or an endpoint"},
            "text": {"type": "string"},
            "priority": {"type": "integer"},
            "request_heartbeat": {"type": "boolean", "description": "Run again afterwards"},
        },
        "required": ["text"],
    }

    def __init__(self, access: MemoryAccess, endpoints: Endpoints) -> None:
        self._access = access
        self._endpoints = endpoints

    async def __call__(self, use: ToolUse, arguments: Mapping[str, Any]) -> str:
        recipient, text = text_argument(arguments, "to", USER), text_argument(arguments, "text")
        details = json.dumps({"preview": shorten(text, PREVIEW_KEPT)}, ensure_ascii=False)
        logged = LogEvent(use.agent.id, EventKind.MESSAGE_SENT.value, details, None, use.batch_id)
        event = Intent(Edit(Ref(RefKind.EVENT, ""), logged), SYSTEM, "", use.batch_id, use.call_id)
        partner = await self._access.consent.partner()
        if recipient == USER or (partner is not None and recipient == partner.name):
            await self._access.edits.apply([event], guard=use.guard)
            use.emit(MessageSent(text))
            return word("told.tool_sent", {"to": USER})
        if (endpoint := self._endpoints.get(recipient)) is not None:
            await endpoint(use.agent, text)
            await self._access.edits.apply([event], guard=use.guard)
            return word("told.tool_sent", {"to": recipient})
        target = await agent_named(self._access, recipient)
        metadata = json.dumps({"batch_id": use.batch_id})
        priority = number_argument(arguments, "priority", 0)
        message = EnqueueMessage(use.agent.id, target, text, priority, metadata, ORIGIN)
        queued = Intent(Edit(Ref(RefKind.QUEUE, ""), message), use.actor, "", use.batch_id, use.call_id)
        await self._access.edits.apply([queued, event], guard=use.guard)
        return word("told.tool_sent", {"to": recipient})
