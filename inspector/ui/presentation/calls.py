"""Words for model calls: where one goes, what it is expected to cost, what it was charged, and why it failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inspector.domain.calibration import Correction
from inspector.domain.calls import Destination, HostPlace, PreparedCall
from inspector.domain.counts import Count, Method
from inspector.domain.dataclass import dataclass
from inspector.domain.messages import TextPart, ToolCallPart
from inspector.domain.replies import CallFailure, Reply, StopReason
from inspector.domain.requests import Request
from inspector.ui.wording import number, share, signed, tokens, tr, tr_code, tr_count

GAP_SHARE = 0.01
"""From this share on, charged tokens differ from predicted ones enough to look into it."""
_MILLISECONDS = 1000


def dollars(value: float | None) -> str:
    """A price, with as many decimals as a small one needs; ``–`` where none is known."""
    if value is None:
        return "–"
    return f"${value:,.2f}" if value >= 1 else f"${value:,.4f}"


def expected_text(call: PreparedCall, correction: Correction | None = None) -> str:
    """What a call is expected to take: tokens, beside them what earlier calls say of the count, and the price."""
    parts = [tokens(Count(call.tokens, call.method))]
    if correction is not None and call.url and correction.corrected(call.tokens) != call.tokens:
        parts.append(
            tr_count(
                "about {tokens} by {count} earlier call",
                "about {tokens} by {count} earlier calls",
                correction.runs,
                tokens=number(correction.corrected(call.tokens)),
            )
        )
    if call.destination.place is HostPlace.OFFLINE:
        parts.append(tr("offline, no network"))
    elif call.price.input is not None:
        price = dollars(call.price.input)
        if call.price.reply:
            most = dollars(call.price.input + call.price.reply)
            parts.append(tr("{price}, with the longest reply {most}", price=price, most=most))
        else:
            parts.append(price)
    else:
        parts.append(tr("price not known"))
    return " · ".join(parts)


def secrets_text(call: PreparedCall) -> str:
    """What of a call looks like a secret, nothing where nothing does."""
    if not call.secrets:
        return ""
    found = tuple(dict.fromkeys(f"{each.shown} ({each.kind})" for each in call.secrets))
    names = ", ".join(found[:3]) + (" …" if len(found) > 3 else "")
    return tr("The Request holds what looks like a secret: {names}", names=names)


def leaving_text(size: int, counted: Count, secrets: int) -> str:
    """What of a call leaves this computer: bytes, tokens, and how many texts look like secrets."""
    found = (
        tr_count("{count} text looks like a secret.", "{count} texts look like secrets.", secrets)
        if secrets
        else tr("No text looks like a secret.")
    )
    return tr(
        "{size}, {tokens}. {secrets}",
        size=tr_count("{count} byte", "{count} bytes", size),
        tokens=tokens(counted),
        secrets=found,
    )


def call_leaving_text(call: PreparedCall) -> str:
    """What of a prepared call leaves this computer."""
    return leaving_text(len(call.body), Count(call.tokens, call.method), len(call.secrets))


def distance_text(destination: Destination) -> str:
    """How far away a destination is, and what that means."""
    lines = [
        tr("This address is in your own network. Nothing was sent yet.")
        if destination.place is HostPlace.PRIVATE
        else tr("This address isn't on your computer. Nothing was sent yet.")
    ]
    if not destination.is_encrypted:
        lines.append(tr("The connection isn't encrypted."))
    return " ".join(lines)


def head_lines(call: PreparedCall) -> str:
    """The lines above a body as it is sent: address and headers, with a variable in place of the key."""
    if not call.url:
        return tr("Answered in this program. Nothing leaves this computer.")
    headers = "\n".join(f"{name}: {value}" for name, value in call.shown_headers.items())
    return f"POST {call.url}\n{headers}"


def _charged_gap(call: PreparedCall, reply: Reply) -> int | None:
    """Charged input tokens less predicted ones, None where nothing was charged."""
    charged = reply.usage.input_tokens
    return None if charged is None or not call.url else charged - call.tokens


def has_gap(call: PreparedCall, reply: Reply) -> bool:
    """Whether more than `GAP_SHARE` of the input was charged otherwise than predicted."""
    gap = _charged_gap(call, reply)
    return gap is not None and abs(gap) > GAP_SHARE * max(1, call.tokens)


def seconds(milliseconds: int | None) -> str:
    """A time in seconds with one decimal, ``–`` for none."""
    return "–" if milliseconds is None else tr("{count} s", count=f"{milliseconds / _MILLISECONDS:.1f}")


def usage_text(call: PreparedCall, reply: Reply, cost: float | None) -> str:
    """A line of figures for a reply: tokens, times and price."""
    parts: list[str] = []
    usage = reply.usage
    if usage.input_tokens is not None:
        parts.append(tr("{count} tokens in", count=number(usage.input_tokens)))
        gap = _charged_gap(call, reply)
        if gap is not None:
            parts[-1] += tr(
                " ({gap} against {predicted})", gap=signed(gap) or "±0", predicted=number(call.tokens)
            )
    if usage.output_tokens is not None:
        parts.append(tr("{count} out", count=number(usage.output_tokens)))
    if usage.cache_read_tokens:
        parts.append(tr("{count} from the cache", count=number(usage.cache_read_tokens)))
    if usage.cache_write_tokens:
        parts.append(tr("{count} written to the cache", count=number(usage.cache_write_tokens)))
    if reply.first_token_ms is not None:
        parts.append(tr("first token {time}", time=seconds(reply.first_token_ms)))
    parts.append(tr("{time} in all", time=seconds(reply.duration_ms)))
    if speed := _speed(reply):
        parts.append(speed)
    if cost is not None:
        parts.append(dollars(cost))
    return " · ".join(parts)


def _speed(reply: Reply) -> str:
    out, first = reply.usage.output_tokens, reply.first_token_ms
    took = 0 if first is None else reply.duration_ms - first
    if not out or took < _MILLISECONDS // 10:
        return ""
    return tr("{count} tokens/s", count=number(round(out * _MILLISECONDS / took)))


def ended_text(reply: Reply) -> str:
    """Why a reply ended, nothing for one that is whole."""
    reasons = {
        StopReason.LENGTH: tr("Cut off at the length limit."),
        StopReason.STOP_SEQUENCE: tr("Ended at a stop sequence."),
        StopReason.REFUSAL: tr("The model refused to answer."),
        StopReason.PAUSED: tr("The provider paused the turn."),
        StopReason.STOPPED: tr("You stopped it. What came until then is kept."),
        StopReason.UNKNOWN: tr("The provider didn't say why it ended."),
    }
    return reasons.get(reply.stop, "")


@dataclass(frozen=True, slots=True)
class FailureWords:
    """What is said of a failed call: what happened, the server's own words, and what to do."""

    title: str
    server: str
    advice: str


def failure_words(failure: CallFailure, variable: str) -> FailureWords:
    """The words for a failure; `variable` is where people keep the key."""
    title = tr_code(f"call_failed.{failure.kind.value}")
    if failure.status is not None:
        title += f" ({failure.status})"
    lines = [tr_code(failure.code, failure.parameters)] if failure.code else []
    lines.append(tr_code(f"call_advice.{failure.kind.value}", {"variable": variable}))
    if failure.retry_after is not None:
        lines.append(tr_code("call_advice.wait", {"seconds": f"{failure.retry_after:g}"}))
    return FailureWords(title, failure.message, " ".join(lines))


@dataclass(frozen=True, slots=True)
class BillRow:
    """One line of predicted against charged: texts, and whether they differ enough to stand out."""

    name: str
    predicted: str
    charged: str = ""
    difference: str = ""
    stands_out: bool = False


def bill_rows(
    call: PreparedCall, request: Request, reply: Reply | None, cost: float | None
) -> Sequence[BillRow]:
    """What was predicted of a call beside what was charged: the input, its groups, the reply and the price."""
    return tuple(_bill_rows(call, request, reply, cost))


def _bill_rows(
    call: PreparedCall, request: Request, reply: Reply | None, cost: float | None
) -> Iterator[BillRow]:
    usage = None if reply is None else reply.usage
    gap = None if reply is None else _charged_gap(call, reply)
    charged = None if usage is None or not call.url else usage.input_tokens
    difference = ""
    if gap is not None:
        difference = f"{signed(gap) or '0'} ({share(abs(gap), max(1, call.tokens))})"
    yield BillRow(
        tr("Input"),
        _figure(call.tokens, call.method),
        _charged(charged),
        difference,
        reply is not None and has_gap(call, reply),
    )
    shares = {} if gap is None else gap_shares(request, gap)
    for section in request.sections:
        if section.tokens:
            part = shares.get(section.name)
            yield BillRow(
                f"    {section.title or section.name}",
                _figure(section.tokens, section.method),
                difference=tr("about {gap}", gap=signed(part)) if part else "",
            )
    if request.correction is not None and call.url:
        fixed = request.correction
        yield BillRow(
            tr_count("    by {count} earlier call", "    by {count} earlier calls", fixed.runs),
            f"{number(fixed.corrected(call.tokens))} ~",
            difference=f"× {fixed.ratio:.3f}",
        )
    if usage is not None and call.url:
        yield BillRow(tr("    of that from the cache"), "", _charged(usage.cache_read_tokens))
        yield BillRow(tr("    of that written to the cache"), "", _charged(usage.cache_write_tokens))
    most = tr("at most {count}", count=number(request.limits.reserved_response_tokens))
    yield BillRow(tr("Reply"), most, _charged(None if usage is None else usage.output_tokens))
    if call.url:
        yield BillRow(tr("Price"), dollars(call.price.input), dollars(cost) if reply is not None else "")


def gap_shares(request: Request, gap: int) -> Mapping[str, int]:
    """How a gap spreads over a Request's sections, by name; the shares add up to it.

    Providers charge the whole and no section. Sections that were counted exactly have no part in it as long as others
    were estimated.
    """
    counted = [each for each in request.sections if each.tokens]
    open_ = [each for each in counted if each.method is not Method.EXACT] or counted
    whole = sum(each.tokens for each in open_)
    shares: dict[str, int] = {}
    reached = given = 0
    for each in open_:
        reached += each.tokens
        shares[each.name] = round(gap * reached / whole) - given
        given += shares[each.name]
    return shares


def _figure(count: int, method: Method) -> str:
    return f"{number(count)} {'=' if method is Method.EXACT else '~'}"


def _charged(count: int | None) -> str:
    return "–" if count is None else number(count)


def reply_text(reply: Reply) -> str:
    """A reply as plain text: what the model said, with a line for each tool call."""
    lines: list[str] = []
    for part in reply.parts:
        if isinstance(part, TextPart):
            lines.append(part.text)
        elif isinstance(part, ToolCallPart):
            lines.append(f"{part.name} {part.arguments}")
    return "\n\n".join(lines)
