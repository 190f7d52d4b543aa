"""Telling the log how full a Request is, before it is sent."""

from __future__ import annotations

import logging

from inspector.domain.requests import Request
from inspector.runtime.settings import Settings

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
