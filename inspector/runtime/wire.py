"""The wire service: a Request in each provider's own form."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace

from inspector.context.caching.planning import plan
from inspector.context.counting.pool import ModelSource
from inspector.context.neutral import neutral
from inspector.context.outgoing import outgoing
from inspector.domain.caching import CachePlan
from inspector.domain.errors import Problem, Severity
from inspector.domain.exchange import RequestExport, WrittenRequest
from inspector.domain.requests import Request
from inspector.domain.snapshot import Snapshot
from inspector.domain.wire.values import CacheEnd, Outgoing, WireForm, WireRequest
from inspector.exchange.requests.writing import ExportSource, written
from inspector.providers import anthropic, gemini, ollama, openai_chat, openai_responses
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


class WireService:
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
        self, request: Request, snapshot: Snapshot, wish: RequestExport, wire: WireRequest | None = None
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
        return written(ExportSource(request, neutral(request, snapshot, word), wire, word), wish)


def _unmarked(planned: CachePlan, values: Outgoing, form: WireForm) -> tuple[Problem, ...]:
    """Why nothing is marked for the cache where it was to be."""
    parameters = {"model": values.model, "form": form.value}
    where = f"model:{values.model}"
    if not form.has_cache_marks or (form in _OPENAI and not values.can("prompt_cache_breakpoint")):
        return (Problem("wire.no_cache_marks", Severity.INFO, where, parameters),)
    if planned.breakpoints:
        return ()
    return planned.problems or (Problem("wire.no_cache_ends", Severity.INFO, where, parameters),)


def _misfits(values: Outgoing, form: WireForm) -> tuple[Problem, ...]:
    if not values.model:
        return (Problem("wire.no_model", Severity.WARNING, "model:"),)
    forms = _OWN_FORMS.get(values.provider)
    if forms is None or form in forms:
        return ()
    parameters = {"model": values.model, "provider": values.provider, "form": form.value}
    return (Problem("wire.other_provider", Severity.WARNING, f"model:{values.model}", parameters),)


_LOG = logging.getLogger(__name__)


def log_context_budget(request: Request, settings: Settings) -> int:
    """Log a Request's tokens, messages and system segments; gives the level that it was logged at.

    Above the share of the usable window that is set for warnings it is a warning, above the one for errors an
    error: the marks at which the gauge changes too.
    """
    usable = request.limits.usable
    share = request.tokens / usable if usable else float("inf")
    level = logging.INFO
    if share > settings.number("budget.error_share"):
        level = logging.ERROR
    elif share > settings.number("budget.warning_share"):
        level = logging.WARNING
    messages = len(request.messages) + (request.tail is not None)
    _LOG.log(
        level,
        "context of %s for %s: %d of %d tokens (%.0f %%, %s), %d messages, %d system segments",
        request.agent_id,
        request.model or "no model",
        request.tokens,
        usable,
        100 * share,
        request.method.value,
        messages,
        len(request.system_sections),
    )
    return level
