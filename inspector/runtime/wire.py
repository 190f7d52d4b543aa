"""Requests in providers' own forms: the table of adapters, and the door to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from inspector.context.caching.planning import plan
from inspector.context.counting.pool import ModelSource
from inspector.context.neutral import neutral
from inspector.context.outgoing import outgoing
from inspector.domain.caching import CachePlan
from inspector.domain.exports import RequestWish, WrittenRequest
from inspector.domain.health import Problem, Severity
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import CacheEnd, Outgoing, WireForm, WireRequest
from inspector.exchange.requests.writing import Source, written
from inspector.providers import anthropic, gemini, ollama, openai_chat, openai_responses
from inspector.runtime.budget import log_context_budget
from inspector.runtime.settings import Settings
from inspector.runtime.wording import word

ADAPTERS: Mapping[WireForm, Callable[[Outgoing], WireRequest]] = {
    WireForm.ANTHROPIC: anthropic.to_wire,
    WireForm.OPENAI: openai_chat.to_wire,
    WireForm.OPENAI_RESPONSES: openai_responses.to_wire,
    WireForm.GEMINI: gemini.to_wire,
    WireForm.OLLAMA: ollama.to_wire,
}

_OWN_FORMS: Mapping[str, frozenset[WireForm]] = {
    "anthropic": frozenset({WireForm.ANTHROPIC}),
    "openai": frozenset({WireForm.OPENAI, WireForm.OPENAI_RESPONSES}),
    "gemini": frozenset({WireForm.GEMINI}),
}
"""The forms that a model's own provider takes. Other providers' models are served in several."""


_OPENAI = frozenset({WireForm.OPENAI, WireForm.OPENAI_RESPONSES})


_USUAL_FORMS: Mapping[str, WireForm] = {
    "anthropic": WireForm.ANTHROPIC,
    "openai": WireForm.OPENAI,
    "openai_compatible": WireForm.OPENAI,
    "gemini": WireForm.GEMINI,
    "ollama": WireForm.OLLAMA,
}


class WireDoor:
    """Gives Requests in a provider's form, the last thing before a call. Nothing is sent here.

    Args:
        models: What is known of models.
        settings: From which size on the log warns.
    """

    def __init__(self, models: ModelSource, settings: Settings) -> None:
        self._models = models
        self._settings = settings

    def usual_form(self, request: Request) -> WireForm | None:
        """The form of the provider that serves the Request's model, None where that is not known."""
        facts = self._models.resolve(request.model)
        return None if facts is None else _USUAL_FORMS.get(facts.provider)

    def request(
        self, request: Request, snapshot: Snapshot, form: WireForm, *, cached: bool = False
    ) -> WireRequest:
        """What a provider would be sent, and what had to be changed for it; the log is told how full it is.

        Args:
            request: What was built.
            snapshot: What it was built from.
            form: Whose form.
            cached: Mark the places where the provider's cache is to end.
        """
        log_context_budget(request, self._settings)
        facts = self._models.resolve(request.model)
        planned = plan(request, facts) if cached else None
        ends = () if planned is None else planned.breakpoints
        values = outgoing(request, snapshot, facts, (CacheEnd(each.piece_id) for each in ends))
        made = ADAPTERS[form](values)
        unmarked = () if planned is None else _unmarked(planned, values, form)
        return replace(made, adaptations=(*_misfits(values, form), *unmarked, *made.adaptations))

    def export(
        self, request: Request, snapshot: Snapshot, wish: RequestWish, wire: WireRequest | None = None
    ) -> WrittenRequest:
        """The Request as a text for people or for other programs.

        Args:
            request: What was built.
            snapshot: What it was built from.
            wish: How it is to be written.
            wire: A provider's form of it, where that is what is written or sent.

        Raises:
            InputError: a command was asked for without a provider's form, or with an address that is none.
        """
        return written(Source(request, neutral(request, snapshot, word), wire, word), wish)


def _unmarked(planned: CachePlan, values: Outgoing, form: WireForm) -> tuple[Problem, ...]:
    """Why nothing is marked for the cache where it was to be."""
    told = {"model": values.model, "form": form.value}
    where = f"model:{values.model}"
    if form is not WireForm.ANTHROPIC and not (form in _OPENAI and values.can("prompt_cache_breakpoint")):
        return (Problem("wire.no_cache_marks", Severity.INFO, where, told),)
    if planned.breakpoints:
        return ()
    return planned.problems or (Problem("wire.no_cache_ends", Severity.INFO, where, told),)


def _misfits(values: Outgoing, form: WireForm) -> tuple[Problem, ...]:
    if not values.model:
        return (Problem("wire.no_model", Severity.WARNING, "model:"),)
    forms = _OWN_FORMS.get(values.provider)
    if forms is None or form in forms:
        return ()
    told = {"model": values.model, "provider": values.provider, "form": form.value}
    return (Problem("wire.other_provider", Severity.WARNING, f"model:{values.model}", told),)
