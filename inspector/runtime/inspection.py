"""The inspection service: compares Requests, accounts for the prompt cache, runs lint."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

from inspector.context.alignment import aligned
from inspector.context.caching.account import account
from inspector.context.comparison import diff, diff_of, paired
from inspector.context.compiled_prompt import as_compiled, compiled_prompt
from inspector.context.counting.pool import CounterPool, ModelSource
from inspector.context.linting.lint import lint
from inspector.context.token_place import tokens_until
from inspector.domain.caching import CacheAccount
from inspector.domain.errors import MalformedError, NotFoundError
from inspector.domain.lint import Finding, LintSettings
from inspector.domain.request_comparison import ComparedRequests
from inspector.domain.requests import Diff, Request
from inspector.domain.snapshot import RequestSpec
from inspector.runtime.context import ContextService
from inspector.runtime.past_requests import PastRequestService
from inspector.runtime.pausing import in_pauses


class InspectionService:
    """Looks at Requests and changes nothing."""

    def __init__(
        self, context: ContextService, past: PastRequestService, models: ModelSource, counters: CounterPool
    ) -> None:
        self._context = context
        self._past = past
        self._models = models
        self._counters = counters

    async def diff(self, before: Request, after: Request) -> Diff:
        """The pieces that two Requests differ in; the rows' tokens sum to the totals' difference."""
        return await asyncio.to_thread(diff, before, after)

    async def compare(self, before: Request, after: Request) -> ComparedRequests:
        """Two Requests with every piece beside its other, and what the later reads of the earlier one's cache.

        Of two agents, and of a recorded request, pieces are paired by their texts and labels. The `after` of the
        result then has the earlier one's ids on those.
        """
        if before.agent_id != after.agent_id:
            after = await asyncio.to_thread(aligned, before, after)
        pairs = await asyncio.to_thread(paired, before, after)
        cache = await self.cache(after, before)
        token = None
        if cache.difference is not None:
            counter = self._counters.counter(self._models.resolve(before.model))
            token = await asyncio.to_thread(tokens_until, before, cache.difference.offset, counter)
        found = await asyncio.to_thread(diff_of, before, after, pairs)
        return ComparedRequests(before, after, pairs, found, cache, token, self._lost_cost(after, cache))

    def _lost_cost(self, request: Request, cache: CacheAccount) -> float | None:
        """What the lost tokens cost more than had they been read from the cache, in US dollars."""
        facts, rules = self._models.resolve(request.model), cache.plan.rules
        prices = None if facts is None or facts.prices is None else facts.prices.at(request.tokens)
        if prices is None or rules is None or not cache.lost_tokens:
            return None
        anew = prices.cache_write if rules.writes_billed else prices.input
        if anew is None or prices.cache_read is None:
            return None
        return cache.lost_tokens * (anew - prices.cache_read) / 1_000_000

    async def compiled(self, agent_id: str, request: Request) -> Request:
        """The Request with the compiled prompt that came with its agent in place of the system string.

        Raises:
            NotFoundError: there is no such agent, or ``not_found.compiled_prompt``, none came with it.
        """
        prompt = compiled_prompt(await self._context.snapshot(agent_id))
        if prompt is None:
            raise NotFoundError("not_found.compiled_prompt")
        counter = self._counters.counter(self._models.resolve(request.model))
        return await asyncio.to_thread(as_compiled, request, prompt, counter)

    async def lint(
        self, agent_id: str, spec: RequestSpec, settings: LintSettings | None = None
    ) -> tuple[Finding, ...]:
        """What could be mended in an agent's context, by as much of its history as its Request reads.

        Raises:
            NotFoundError: there is no such agent. BudgetError: what must be sent cannot fit.
        """
        snapshot = await self._context.recent(agent_id, spec)
        request = await self._context.build(snapshot, spec)
        counter = self._counters.counter(self._models.resolve(request.model))
        return await in_pauses(partial(lint, snapshot, request, counter, settings))

    async def cache(self, request: Request, last: Request | None = None) -> CacheAccount:
        """What a Request would read of the provider's cache and write to it.

        Without `last` it is held against the Request that its agent sent last, if that can be read.
        """
        at = None
        sent = await self._past.last_sent(request.agent_id) if last is None else None
        if sent is not None:
            at = sent.started_at
            # Of a text that cannot be read nothing is known, and nothing is claimed.
            with contextlib.suppress(MalformedError):
                last = await self._past.logged(sent)
        facts = self._models.resolve(request.model)
        return await asyncio.to_thread(account, request, facts, last, at)
