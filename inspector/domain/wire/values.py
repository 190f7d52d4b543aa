"""A Request as provider adapters read it, and the request that they return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameter, Problem, Severity
from inspector.domain.limits import Limits
from inspector.domain.messages import Part, Role
from inspector.domain.models import ModelFacts

CONVERSATION_START = "[Conversation start]"
"""What a user is made to say where a provider wants a user first and the conversation has none there."""

CONVERSATION_GOES_ON = "[Continue]"
"""What a user is made to say where a provider wants the last word to be a user's."""


class WireForm(StrEnum):
    """The request forms that there are adapters for."""

    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OPENAI_RESPONSES = "openai-responses"
    GEMINI = "gemini"
    OLLAMA = "ollama"

    @property
    def has_cache_marks(self) -> bool:
        """Whether the form has a place for cache marks; some models take none all the same."""
        return self in (WireForm.ANTHROPIC, WireForm.OPENAI, WireForm.OPENAI_RESPONSES)


@dataclass(frozen=True, slots=True)
class PromptSegment:
    """A stretch of the system string, from one piece of the Request."""

    piece_id: str
    text: str


@dataclass(frozen=True, slots=True)
class WireMessage:
    """A message as it is sent. `origin` names the provider whose model wrote it, where that is known.

    Attributes:
        form: The form that it was recorded in, or None.
        extra_body: Its further fields there; None where it goes on with the recorded message before it.
    """

    piece_id: str
    role: Role
    content: tuple[Part, ...]
    name: str | None = None
    origin: str | None = None
    form: str | None = None
    extra_body: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool that is offered.

    Attributes:
        parameters: Its JSON Schema.
        extra_body: Fields of its definition as they are sent, by the provider's form: what has no neutral name.
        own_types: The type of the provider's own tool that it is, by the provider's form.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    extra_body: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own_types: Mapping[str, str] = field(default_factory=dict)

    @property
    def piece_id(self) -> str:
        return f"tool:{self.name}"


@dataclass(frozen=True, slots=True)
class CacheEnd:
    """A place where a cached prefix ends: behind the last of what the piece sends. `ttl` is ``5m`` or ``1h``."""

    piece_id: str
    ttl: str | None = None


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A Request as neutral values.

    Attributes:
        model: The id that is asked for.
        facts: What is known of it, or None.
        system: The system string in segments; joined they are the string, character for character.
        messages: The conversation, with what stands behind it as the last user's word.
        tools: The tools that are offered, in order.
        limits: The window and what of it is kept for the reply.
        parameters: The agent's own (``temperature``, ``stop`` …), by neutral names.
        cache_ends: Where cached prefixes end, first to last.
        instructions: The agent's own, as they are stored.
    """

    model: str
    facts: ModelFacts | None
    system: tuple[PromptSegment, ...]
    messages: tuple[WireMessage, ...]
    tools: tuple[ToolDefinition, ...]
    limits: Limits
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cache_ends: tuple[CacheEnd, ...] = ()
    instructions: tuple[str, ...] = ()

    @property
    def system_text(self) -> str:
        return "".join(segment.text for segment in self.system)

    def can(self, flag: str) -> bool:
        """Whether the model is known to have an ability; also ``no_…`` for one it is known to lack."""
        return self.facts is not None and flag in self.facts.flags

    @property
    def provider(self) -> str:
        """Who serves the model, as far as is known, else an empty text."""
        return "" if self.facts is None else self.facts.provider


@dataclass(frozen=True, slots=True)
class EndpointAddress:
    """Where a body is posted. The key goes into a header, never into the address.

    Attributes:
        base: The provider's usual address.
        path: What follows it.
        headers: The headers besides the key's and the content type.
        key_header: The header that carries the key, empty where none is needed.
        key_prefix: What stands before the key in it.
        key_variable: The environment variable that people keep the key in.
    """

    base: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    key_header: str = ""
    key_prefix: str = ""
    key_variable: str = ""

    @property
    def url(self) -> str:
        return self.base.rstrip("/") + self.path


@dataclass(frozen=True, slots=True)
class WireRequest:
    """What a provider is sent.

    Attributes:
        form: Whose form it is.
        body: The JSON body.
        address: Where it is posted.
        adaptations: What had to be changed, with the message or tool that it concerns.
        tool_names: Names on the wire that differ from the tools' own, and the own ones.
    """

    form: WireForm
    body: Mapping[str, Any]
    address: EndpointAddress
    adaptations: tuple[Problem, ...] = ()
    tool_names: Mapping[str, str] = field(default_factory=dict)


class Adaptations:
    """The list of changes. *Changed* keeps all content, *lost* leaves something out."""

    def __init__(self) -> None:
        self._problems: dict[tuple[str, str, tuple[tuple[str, Parameter], ...]], Problem] = {}

    def changed(self, code: str, where: str, **parameters: Parameter) -> None:
        """Note a change of form; the same one is told once."""
        self._tell(Severity.INFO, code, where, parameters)

    def lost(self, code: str, where: str, **parameters: Parameter) -> None:
        """Note that something is not sent, or not as it is stored."""
        self._tell(Severity.WARNING, code, where, parameters)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return tuple(self._problems.values())

    def _tell(self, severity: Severity, code: str, where: str, parameters: dict[str, Parameter]) -> None:
        key = (code, where, tuple(parameters.items()))
        self._problems.setdefault(key, Problem(f"wire.{code}", severity, where, parameters))
