"""Every string that a person reads in the window, through the translator.

The window's own strings are written where they are used, inside `tr`. What the engine says arrives as a code with
parameters and is worded by `tr_code` from the catalogue that the command line reads too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from inspector.domain.counts import Count, Method
from inspector.domain.errors import InspectorError, Parameters
from inspector.runtime.wording import word, word_error

if TYPE_CHECKING:
    from datetime import datetime

_CONTEXT = "inspector"
_JUST_NOW_SECONDS = 5
_MINUS = "−"
THIN_SPACE = "\u2009"


def tr(text: str, /, **parameters: object) -> str:
    """The string in the user's language, its ``{name}`` places filled.

    Parameters are put in as they are: they may hold untrusted text, so the result belongs in a plain label.
    """
    sentence = QCoreApplication.translate(_CONTEXT, text)
    return sentence.format_map(parameters) if parameters else sentence


def tr_count(one: str, many: str, count: int, /, **parameters: object) -> str:
    """`one` or `many` by the count, which fills ``{count}`` with thousands separators.

    A translation is found by `many` and has as many forms as its language; ``%n`` is the count there, too.
    """
    form = QCoreApplication.translate(_CONTEXT, many, None, count)
    sentence = tr(one) if form == many and count == 1 else form
    return str(sentence.format_map({"count": number(count), **parameters}))


def tr_code(code: str, parameters: Parameters | None = None) -> str:
    """The sentence for a code of the engine."""
    return word(code, parameters, tr)


def tr_error(error: InspectorError) -> str:
    """The sentence for an error of ours."""
    return word_error(error, tr)


def number(value: int) -> str:
    """A whole number with thousands separators and a real minus sign."""
    return f"{value:,}".replace("-", _MINUS)


def counted(count: Count) -> str:
    """A figure of tokens: ``~`` before one that is not exact."""
    return f"{'' if count.method is Method.EXACT else '~'}{number(count.tokens)}"


def tokens(count: Count) -> str:
    """The same with its unit."""
    if count.method is Method.EXACT:
        return tr_count("{count} token", "{count} tokens", count.tokens)
    return tr_count("~{count} token", "~{count} tokens", count.tokens)


def with_unit(figure: str) -> str:
    """A figure of tokens as it is shown (``1``, ``~12``, ``+1``) with its unit; nothing for none."""
    if not figure:
        return ""
    digits = figure.lstrip("~+±−").replace(",", "")
    count = int(digits) if digits.isdecimal() else 0
    return tr_count("{count} token", "{count} tokens", count, count=figure)


def signed(value: int, *, is_exact: bool = True) -> str:
    """A difference: ``+9``, ``−212``, an estimate as ``−~212``, or nothing for none.

    The sign stands first: of ``~−212`` the eye makes two waves.
    """
    mark = "" if is_exact else "~"
    return "" if value == 0 else f"{'+' if value > 0 else _MINUS}{mark}{abs(value):,}"


def share(part: int, whole: int) -> str:
    """A share in per cent with one decimal, ``<0.1 %`` for the least of it and ``–`` where there is no whole."""
    if not whole:
        return "–"
    return "<0.1 %" if 0 < 100 * part < 0.05 * whole else f"{100 * part / whole:.1f} %"


def local_time(at: datetime) -> datetime:
    """A moment in the user's zone; as it is at either end of the calendar, where programs write "never" or nothing."""
    try:
        return at.astimezone()
    except (OverflowError, ValueError, OSError):
        # Ahead of or behind UTC, the first and the last day have hours that no calendar has.
        return at


def moment(at: datetime, now: datetime) -> str:
    """A moment in the user's zone: the time alone for today, else with the date."""
    local, today = local_time(at), local_time(now)
    if local.date() == today.date():
        return tr("today {time}", time=f"{local:%H:%M}")
    if local.year == today.year:
        return f"{local:%d %b %H:%M}"
    return f"{local:%d %b %Y %H:%M}"


def ago(at: datetime, now: datetime) -> str:
    """How long ago something was, in its largest unit."""
    seconds = max(0, int((now - at).total_seconds()))
    if seconds < _JUST_NOW_SECONDS:
        return tr("just now")
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return tr("{count} {unit} ago", count=seconds // size, unit=unit)
    return tr("{count} s ago", count=seconds)
