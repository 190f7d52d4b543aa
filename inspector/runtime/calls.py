"""The call service: prepares a model call, makes it, and records what came of it.

How a panel or a command uses it::

    destination = engine.calls.destination("offline")
    drafted = await engine.calls.draft(agent_id, "Hello")
    prepared = await engine.calls.prepare(drafted.request, drafted.snapshot, destination)
    async with engine.calls.stream(prepared, key) as call:
        async for event in call:
            ...  # TextDelta, ThinkingDelta, CallDelta, UsageDelta, RawEvent, at last ReplyEnded
    await engine.calls.record(prepared, call.reply)

Nothing is sent before the first step of the iteration, and nothing is stored before `record`.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from inspector.context.counting.pool import ModelSource
from inspector.context.outgoing import outgoing
from inspector.domain.calls import (
    DRAFTED,
    OFFLINE,
    ApiKey,
    CallError,
    CallOverrides,
    Destination,
    PreparedCall,
    PriceEstimate,
    SecretFinding,
)
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError
from inspector.domain.keys import KeyPlace, KeyStoreError
from inspector.domain.messages import Batch, BatchType, Message, Role, TextPart
from inspector.domain.models import ModelFacts
from inspector.domain.replies import CallFailure, FailureKind, Reply
from inspector.domain.requests import Request
from inspector.domain.secrets import find_secrets, masked
from inspector.domain.simulation import UnsavedWork
from inspector.domain.snapshot import RequestSpec, Snapshot
from inspector.domain.wire.key_masks import KeyPattern
from inspector.domain.wire.values import EndpointAddress, Outgoing, WireForm, WireRequest
from inspector.providers import (
    anthropic,
    anthropic_stream,
    gemini,
    gemini_stream,
    offline,
    ollama,
    ollama_stream,
    openai_chat,
    openai_chat_stream,
    openai_responses,
    openai_responses_stream,
)
from inspector.providers.addresses import checked_base, joined_url
from inspector.runtime.call_network import counted_tokens, listed_models, posted
from inspector.runtime.call_records import CallRecords
from inspector.runtime.context import ContextService
from inspector.runtime.environment import Environment
from inspector.runtime.model_stream import CallLimits, ReadEvent, RunningCall, ServerAnswer
from inspector.runtime.wire import ADAPTERS, WireService

USUAL_ADDRESSES: Mapping[WireForm, EndpointAddress] = {
    WireForm.ANTHROPIC: anthropic.ADDRESS,
    WireForm.OPENAI: openai_chat.ADDRESS,
    WireForm.OPENAI_RESPONSES: openai_responses.ADDRESS,
    WireForm.GEMINI: gemini.address_of(""),
    WireForm.OLLAMA: ollama.ADDRESS,
}
_ESCAPED = re.compile(r"\\[nrtbf\"/\\]")
_BREAKS = str.maketrans({"\\": " ", "n": "\n", "r": "\n", "t": "\t", "b": " ", "f": " "})
OWN_KEY_VARIABLE = "CONTEXT_INSPECTOR_API_KEY"
"""Where the key of an address of one's own is looked for: a provider's own key never goes there by itself."""
_JSON_HEADERS = {"content-type": "application/json", "accept-encoding": "identity"}
READERS: Mapping[WireForm | None, ReadEvent] = {
    None: offline.read,
    WireForm.ANTHROPIC: anthropic_stream.read,
    WireForm.OPENAI: openai_chat_stream.read,
    WireForm.OPENAI_RESPONSES: openai_responses_stream.read,
    WireForm.GEMINI: gemini_stream.read,
    WireForm.OLLAMA: ollama_stream.read,
}


@dataclass(frozen=True, slots=True)
class DraftedRequest:
    """A Request with a user's message that no file has yet, and what it was built from."""

    request: Request
    snapshot: Snapshot


class CallService:
    """Prepares, makes and records model calls. It holds no key and stores none."""

    def __init__(
        self,
        context: ContextService,
        wire: WireService,
        models: ModelSource,
        surroundings: Environment,
        records: CallRecords,
    ) -> None:
        self._context = context
        self._wire = wire
        self._models = models
        self._surroundings = surroundings
        self._records = records

    @property
    def models(self) -> ModelSource:
        """What is known of models, their prices among it."""
        return self._models

    def destination(self, name: str, form: WireForm | None = None) -> Destination:
        """Where a call goes: ``offline``, a form's name for its provider's own address, or an ``https://`` address.

        Args:
            name: What was asked for.
            form: The form that an address takes; OpenAI's Chat Completions unless it is given.

        Raises:
            InputError: it is no such name, or an address that nothing may be sent to.
        """
        if name == OFFLINE:
            return Destination(None)
        if name in set(WireForm):
            named = WireForm(name)
            checked = checked_base(USUAL_ADDRESSES[named].base)
            return Destination(named, checked.base, name, checked.place)
        if "://" not in name:
            names = (OFFLINE, *(each.value for each in WireForm))
            raise InputError("input.no_provider", name=name[:200], candidates=names)
        checked = checked_base(name)
        return Destination(form or WireForm.OPENAI, checked.base, checked.host, checked.place, is_custom=True)

    def require_online(self, destination: Destination) -> None:
        """Pass if something may be sent there now; every connection asks this before it is made.

        Raises:
            CallError: ``call.offline``, the user works offline and it is not on this computer.
        """
        if self._surroundings.is_cut_off(destination):
            raise CallError(CallFailure(FailureKind.OFFLINE, code="call.offline"))

    def key_variable(self, destination: Destination) -> str:
        """The environment variable that a destination's key is looked for in, empty where it takes none."""
        if destination.form is None or not USUAL_ADDRESSES[destination.form].key_header:
            return ""
        return OWN_KEY_VARIABLE if destination.is_custom else USUAL_ADDRESSES[destination.form].key_variable

    def key_place(self, destination: Destination) -> KeyPlace | None:
        """What a destination's key is found by, None where it takes none."""
        variable = self.key_variable(destination)
        return KeyPlace(destination.name, destination.origin, variable) if variable else None

    async def find_key(self, destination: Destination) -> ApiKey | None:
        """The key for a destination: entered, of the environment, or of the system's key store; see `KeyService.find`.

        Raises:
            KeyStoreError: nobody else has a key, and the key store can't be used or didn't answer.
        """
        place = self.key_place(destination)
        found = None if place is None else await self._surroundings.keys.find(place)
        return None if found is None else found.key

    async def require_key(self, destination: Destination) -> ApiKey | None:
        """The key for a destination; None only where it takes none, or where an address of one's own may need none.

        Raises:
            InputError: ``input.no_key``, a provider's own address takes one and nobody has it.
            KeyStoreError: as `find_key`, at a provider's own address.
        """
        try:
            key = await self.find_key(destination)
        except KeyStoreError as error:
            if not (error.is_absent or destination.is_custom):
                raise
            key = None
        if key is None and (variable := self.key_variable(destination)) and not destination.is_custom:
            # What the agent remembers would go out for nothing but a refusal.
            raise InputError("input.no_key", variable=variable)
        return key

    async def draft(
        self,
        agent_id: str,
        message: str = "",
        spec: RequestSpec | None = None,
        work: UnsavedWork | None = None,
    ) -> DraftedRequest:
        """The Request of an agent with one more user's message, which is stored nowhere.

        Args:
            agent_id: Whose Request.
            message: The message; without one the Request is that of `ContextService.request`.
            spec: How it is built, another model among it.
            work: Unsaved contents and settings, and what is tried.

        Raises:
            NotFoundError: there is no such agent. BudgetError: what must be sent cannot fit.
        """
        asked = spec or RequestSpec(now=self._surroundings.clock())
        request, snapshot = await self._context.drafted(
            agent_id, asked, work or UnsavedWork(), lambda read: self._with_message(read, message)
        )
        return DraftedRequest(request, snapshot)

    def _with_message(self, snapshot: Snapshot, text: str) -> Snapshot:
        if not text:
            return snapshot
        ids, now = self._surroundings.ids, self._surroundings.clock()
        newest = snapshot.history[-1] if snapshot.history else None
        goes_on = newest is not None and newest.is_unanswered
        batch_id = newest.id if newest is not None and goes_on else ids("bat")
        before = newest.messages if newest is not None else ()
        message = Message(
            id=ids("msg"),
            agent_id=snapshot.agent.id,
            position=before[-1].position + 1 if before else 1,
            batch_id=batch_id,
            sequence_in_batch=len(before) if goes_on else 0,
            role=Role.USER,
            content=(TextPart(text),),
            batch_type=BatchType.USER_REQUEST,
            created_at=now,
            source=DRAFTED,
        )
        if newest is not None and goes_on:
            grown = Batch(newest.id, (*newest.messages, message))
            return replace(snapshot, history=(*snapshot.history[:-1], grown))
        return replace(snapshot, history=(*snapshot.history, Batch(batch_id, (message,))))

    async def prepare(
        self,
        request: Request,
        snapshot: Snapshot,
        destination: Destination,
        overrides: CallOverrides | None = None,
    ) -> PreparedCall:
        """A call as it will be made: the exact bytes, where they go, tokens, price, and what looks like a secret.

        Nothing is sent. The key isn't needed: headers are without it.

        Args:
            request: What was built.
            snapshot: What it was built from.
            destination: Where it goes.
            overrides: What this one send does differently.
        """
        return await asyncio.to_thread(
            self._prepared, request, snapshot, destination, overrides or CallOverrides()
        )

    def _prepared(
        self, request: Request, snapshot: Snapshot, destination: Destination, overrides: CallOverrides
    ) -> PreparedCall:
        changed = _with_parameters(snapshot, overrides)
        facts = self._models.resolve(request.model)
        made = self._wired(request, changed, destination, facts)
        body = _body(made)
        return PreparedCall(
            agent_id=request.agent_id,
            model=request.model,
            destination=destination,
            body=body,
            tokens=request.tokens,
            method=request.method,
            price=_price(request, facts),
            secrets=_secrets(body.decode()),
            adaptations=made.adaptations,
            tool_names=made.tool_names,
            request_text=request.text,
            manifest=self._context.manifest_text(request),
            history_state=request.history_state,
            message=_drafted(snapshot),
            parameters=overrides.parameters,
            **self._addressed(made, destination),
        )

    def _addressed(self, made: WireRequest, destination: Destination) -> dict[str, Any]:
        """Address, headers and key of a prepared call."""
        address = made.address
        return {
            "url": joined_url(destination.base, address.path) if destination.base else "",
            "headers": {**_JSON_HEADERS, **address.headers} if destination.base else {},
            "key_header": address.key_header,
            "key_prefix": address.key_prefix,
            "key_variable": self.key_variable(destination) if address.key_header else "",
        }

    def _wired(
        self, request: Request, snapshot: Snapshot, destination: Destination, facts: ModelFacts | None
    ) -> WireRequest:
        if destination.form is None:
            return _offline_wire(outgoing(request, snapshot, facts))
        return _streamed(self._wire.request(request, snapshot, destination.form))

    def prepare_text(
        self, agent_id: str, prompt: str, values: Outgoing, destination: Destination, counted: Count
    ) -> PreparedCall:
        """A call for a summary of an agent's, which carries no Request of it. Nothing is sent.

        Args:
            agent_id: The agent.
            prompt: The one text that is sent.
            values: What is said to the model.
            destination: Where it goes.
            counted: The tokens of that.
        """
        form = destination.form
        made = _offline_wire(values) if form is None else _streamed(ADAPTERS[form](values))
        return PreparedCall(
            agent_id=agent_id,
            model=values.model,
            destination=destination,
            body=_body(made),
            tokens=counted.tokens,
            method=counted.method,
            price=PriceEstimate(),
            secrets=(),
            adaptations=made.adaptations,
            tool_names=made.tool_names,
            request_text=prompt,
            manifest="{}",
            **self._addressed(made, destination),
        )

    def stream(
        self, prepared: PreparedCall, key: ApiKey | None = None, limits: CallLimits | None = None
    ) -> RunningCall:
        """A call that its first event makes; see `RunningCall`. Whatever happens its last event is `ReplyEnded`.

        Raises:
            InputError: ``input.key_of_other_origin``, the key was entered for another place.
        """
        _require_own(key, prepared.destination)
        allowed, form = limits or CallLimits(), prepared.destination.form
        answered = (
            partial(_offline, prepared) if form is None else partial(self._posted, prepared, key, allowed)
        )
        return RunningCall(
            answered, READERS[form], allowed, None if key is None else KeyPattern(key.spellings)
        )

    @asynccontextmanager
    async def _posted(
        self, prepared: PreparedCall, key: ApiKey | None, limits: CallLimits
    ) -> AsyncIterator[ServerAnswer]:
        # Not when the call was made ready: the user may work offline since.
        self.require_online(prepared.destination)
        async with posted(prepared, key, limits) as answer:
            yield answer

    async def list_models(self, destination: Destination, key: ApiKey | None = None) -> tuple[str, ...]:
        """The names of the models that a destination serves, sorted; none for the offline provider.

        Raises:
            InputError: the key was entered for another place. CallError: it can't be asked, or refuses.
        """
        self.require_online(destination)
        _require_own(key, destination)
        address = USUAL_ADDRESSES[destination.form or WireForm.OPENAI]
        return await listed_models(destination, address, key, CallLimits())

    async def count(self, prepared: PreparedCall, key: ApiKey | None = None) -> int:
        """The input tokens of a prepared call as its provider counts them, over the network.

        Raises:
            InputError: ``input.no_exact_count``, that provider doesn't count; or the key was entered for another
                place. CallError: it can't be asked, or refuses.
        """
        destination = prepared.destination
        self.require_online(destination)
        _require_own(key, destination)
        address = USUAL_ADDRESSES[destination.form or WireForm.OPENAI]
        return await counted_tokens(prepared, address, key, CallLimits())

    async def record(self, prepared: PreparedCall, reply: Reply, *, keep: bool = False) -> str:
        """Store a call as a run of kind ``test``; with `keep` its message and reply go on with the conversation.

        Nothing of the key is stored. All is one transaction, and one step to undo.

        Returns:
            The run's id.

        Raises:
            RefusedError, NotFoundError, FileError: nothing was stored.
        """
        return await self._records.record(prepared, reply, keep=keep)

    async def record_summary(self, prepared: PreparedCall, reply: Reply) -> str:
        """Store a call that was made for a summary; see `prepare_text`. Gives the run's id.

        Raises:
            RefusedError, NotFoundError, FileError: nothing was stored.
        """
        return await self._records.record_summary(prepared, reply)


def _require_own(key: ApiKey | None, destination: Destination) -> None:
    if key is not None and key.origin != destination.origin:
        raise InputError("input.key_of_other_origin", origin=destination.origin, entered=key.origin)


def _with_parameters(snapshot: Snapshot, overrides: CallOverrides) -> Snapshot:
    if not overrides.parameters:
        return snapshot
    own = json.loads(snapshot.agent.parameters or "{}")
    merged = {**(own if isinstance(own, dict) else {}), **overrides.parameters}
    written = json.dumps({name: value for name, value in merged.items() if value is not None})
    return replace(snapshot, agent=replace(snapshot.agent, parameters=written))


def _offline_wire(values: Outgoing) -> WireRequest:
    return WireRequest(WireForm.OPENAI, offline.offline_body(values), EndpointAddress("", ""))


def _body(made: WireRequest) -> bytes:
    return json.dumps(made.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _streamed(made: WireRequest) -> WireRequest:
    """The same as a stream, which each form asks for in a way of its own."""
    body: dict[str, Any] = dict(made.body)
    address = made.address
    if made.form is WireForm.GEMINI:
        path = address.path.replace(":generateContent", ":streamGenerateContent?alt=sse")
        return replace(made, address=replace(address, path=path))
    body["stream"] = True
    if made.form is WireForm.OPENAI:
        options = body.get("stream_options")
        body["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
    return replace(made, body=body)


def _price(request: Request, facts: ModelFacts | None) -> PriceEstimate:
    if facts is None or facts.prices is None:
        return PriceEstimate()
    prices = facts.prices.at(request.tokens)
    reply = request.limits.reserved_response_tokens
    return PriceEstimate(_dollars(request.tokens, prices.input), _dollars(reply, prices.output))


def _dollars(tokens: int, price: float | None) -> float | None:
    return None if price is None else tokens * price / 1_000_000


def _secrets(text: str) -> tuple[SecretFinding, ...]:
    # An escaped break before a key would be read as a letter of it. What takes its place is as long.
    plain = _ESCAPED.sub(lambda each: each.group().translate(_BREAKS), text)
    return tuple(
        SecretFinding(each.kind, masked(text[each.start : each.end]), each.start, each.end)
        for each in find_secrets(plain)
    )


def _drafted(snapshot: Snapshot) -> Message | None:
    last = snapshot.history[-1].messages[-1] if snapshot.history else None
    return last if last is not None and last.source == DRAFTED else None


@asynccontextmanager
async def _offline(prepared: PreparedCall) -> AsyncIterator[ServerAnswer]:
    yield offline.OfflineServer(prepared.body, prepared.tokens)
