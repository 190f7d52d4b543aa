"""A model behind a provider that answers one text with one text, as summaries need it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from inspector.domain.calls import ApiKey, CallError, Destination, PreparedCall, cost_of
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError, InspectorError
from inspector.domain.limits import ASSUMED_WINDOW, Limits
from inspector.domain.messages import Role, TextPart
from inspector.domain.records import TokenUsage
from inspector.domain.replies import Reply, StopReason
from inspector.domain.secrets import find_secrets, masked
from inspector.domain.wire.values import Outgoing, WireMessage
from inspector.runtime.calls import CallService
from inspector.runtime.catalogues import shipped_counter

_log = logging.getLogger(__name__)
_ROOM = 4_096
"""Tokens of the longest reply beyond the summary itself: what the model thinks first counts as reply."""


@dataclass(frozen=True, slots=True)
class CallSum:
    """What calls took together. Tokens and dollars are None where one of them isn't known."""

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0

    def with_call(self, usage: TokenUsage, cost: float | None) -> CallSum:
        """The sum with one call more."""
        return CallSum(
            self.calls + 1,
            _added(self.input_tokens, usage.input_tokens),
            _added(self.output_tokens, usage.output_tokens),
            None if self.cost is None or cost is None else self.cost + cost,
        )


class CalledModel:
    """A text model. Each `complete` is one call, and nothing is sent before; `sum` is what all of them took."""

    def __init__(  # noqa: PLR0913  where calls go, whose they are, and who hears of them
        self,
        calls: CallService,
        destination: Destination,
        agent_id: str,
        model: str,
        on_secret: Callable[[str, str], None] = lambda _kind, _shown: None,
        on_call: Callable[[PreparedCall, int], None] = lambda _call, _secrets: None,
        *,
        leaves_record: bool = True,
    ) -> None:
        """`agent_id` is whose summaries they are: each call is recorded as one of that agent's if `leaves_record`.

        Before a call goes out two are told, and an error of theirs stops it: `on_secret` hears what looks like a
        secret, masked, and `on_call` the call with the number of those.
        """
        self._on_secret, self._on_call = on_secret, on_call
        self._calls, self._models = calls, calls.models
        self._destination, self._agent_id, self._model = destination, agent_id, model
        self._leaves_record = leaves_record
        self.sum = CallSum()

    @property
    def name(self) -> str:
        return f"{self._model} ({self._destination.name})"

    @property
    def key_variable(self) -> str:
        """The environment variable of its key, empty where it takes none."""
        return self._calls.key_variable(self._destination)

    @property
    def origin(self) -> str:
        """Where its calls go, empty where nothing leaves the program."""
        return self._destination.origin

    async def complete(self, prompt: str, most_tokens: int) -> str:
        """What the model answers, without its thinking.

        Args:
            prompt: The one message that it gets.
            most_tokens: What the answer should take at most.

        Raises:
            InputError: ``input.no_key``; ``summary.cut_off``, it wasn't done at the limit of its reply.
            CallError: the call failed. KeyStoreError: the key store didn't give its key.
        """
        self._calls.require_online(self._destination)
        prepared = await asyncio.to_thread(self._prepared, prompt, most_tokens)
        key = await self._calls.require_key(self._destination)
        secrets = await asyncio.to_thread(_secrets, prompt)
        for kind, shown in secrets:
            self._on_secret(kind, shown)
        self._on_call(prepared, len(secrets))
        reply = await self._sent(prepared, key)
        if reply.failure is not None:
            raise CallError(reply.failure)
        if reply.stop is StopReason.LENGTH:
            raise InputError("summary.cut_off", summariser=self.name)
        return "".join(part.text for part in reply.parts if isinstance(part, TextPart))

    async def _sent(self, prepared: PreparedCall, key: ApiKey | None) -> Reply:
        call = self._calls.stream(prepared, key)
        try:
            async with call:
                async for _ in call:
                    pass
        finally:
            # Also one that took too long, or that somebody has cancelled, was sent and is paid for.
            reply = call.reply
            facts = self._models.resolve(self._model)
            self.sum = self.sum.with_call(reply.usage, cost_of(reply.usage, facts) if prepared.url else 0.0)
            await self._record(prepared, reply)
        return reply

    async def _record(self, prepared: PreparedCall, reply: Reply) -> None:
        if not self._leaves_record:
            return
        try:
            await self._calls.record_summary(prepared, reply)
        except InspectorError:
            # The summary is there, and worth more than the record of its call.
            _log.warning("the call for a summary could not be recorded", exc_info=True)

    def _prepared(self, prompt: str, most_tokens: int) -> PreparedCall:
        facts = self._models.resolve(self._model)
        window = (facts.context_window if facts else None) or ASSUMED_WINDOW
        most = min(most_tokens + _ROOM, (facts.max_output if facts else None) or window)
        message = WireMessage("message:summary", Role.USER, (TextPart(prompt),))
        values = Outgoing(self._model, facts, (), (message,), (), Limits(window, None, None, most))
        counted: Count = shipped_counter(self._model).count(prompt)
        return self._calls.prepare_text(self._agent_id, prompt, values, self._destination, counted)


def _secrets(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((each.kind, masked(text[each.start : each.end])) for each in find_secrets(text))


def _added(whole: int | None, more: int | None) -> int | None:
    return None if whole is None or more is None else whole + more
