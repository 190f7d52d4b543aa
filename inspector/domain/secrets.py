"""Finds text in blocks and messages that looks like a secret: keys, tokens, passwords.

Every pattern is bounded on both sides or anchored at a rare beginning, so that the time is that of one pass.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from inspector.domain.dataclass import dataclass
from inspector.domain.pauses import Pause, no_pause

_LEAST_TELLING = 8
"""Characters of a value from which on it is a secret also where nothing around it says so."""

_SHOWN = 4
"""Characters of a secret that are shown, so that a person knows which one it is."""

_ANY_CASE = "(?i)"

_LEAST_BITS, _LEAST_PASSWORD_BITS = 3.0, 2.5
"""Bits of entropy a character from which on an assigned value looks drawn by lot (hex has 4, words about 3).

People make up passwords and repeat themselves in them; figures must be in these too.
"""

_PLACEHOLDER = (
    r"(?i)(?<![a-z0-9])(?:x{4,}|example|placeholder|changeme|your|redacted|dummy|todo)(?![a-z0-9])"
    r"|x{8,}|\*{3,}|\.{3}|<[^>]{0,200}>|\$\{|\{\{|example(?:key)?$|^(?:changeme|example|placeholder|dummy|your)"
)
"""What nobody's key is. Within a run of letters drawn by lot such a word is chance, so it must stand by itself."""

_LETTERS = string.ascii_letters + string.digits + "_-"

_MARK = r"\b"
"""In the table below: an edge of a run of ASCII letters and figures, which other letters and an underscore end."""

_AFTER_ESCAPES = (
    r"\\[bfnrt]",
    r"\\u[0-9A-Fa-f]{4}",
    r"\\x[0-9A-Fa-f]{2}",
    r"\\U[0-9A-Fa-f]{8}",
    r"%[0-9A-Fa-f]{2}",
)
"""What else a form may follow: in JSON, program text and addresses, the letter before it may be that of an escape."""


def _begun(head: str = "") -> str:
    """Where a form may begin, looked at from behind its head."""
    escapes = "|".join(f"(?<={each}{head})" for each in _AFTER_ESCAPES)
    return f"(?:(?<![A-Za-z0-9]{head})|{escapes})"


def _bounded(pattern: str) -> str:
    """A pattern with its edges written out: behind the letters it begins with, as these are searched for fastest."""
    rest = pattern.removeprefix(_MARK)
    inner = rest.removesuffix(_MARK)
    end = "" if inner == rest else "(?![A-Za-z0-9])"
    if rest == pattern:
        return inner + end
    body = inner.lstrip(_LETTERS)
    head = inner.removesuffix(body)
    return head + _begun(head) + body + end


_PATTERNS = tuple(
    (kind, _bounded(pattern), hints)
    for kind, pattern, *hints in (
        ("private_key", r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----", "-----BEGIN "),
        ("anthropic_key", r"\bsk-ant-[A-Za-z0-9_-]{20,200}", "sk-ant-"),
        ("openai_key", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}", "sk-"),
        ("aws_key", r"\bA(?:KIA|SIA|GPA|IDA|ROA)[A-Z0-9]{16}\b", "AKIA", "ASIA", "AGPA", "AIDA", "AROA"),
        ("google_key", r"\bAIza[A-Za-z0-9_-]{35}", "AIza"),
        ("google_oauth", r"\bya29\.[A-Za-z0-9_-]{20,400}", "ya29."),
        (
            "github_token",
            r"\bg(?:h[pousr]_[A-Za-z0-9]{36,255}|ithub_pat_[A-Za-z0-9_]{40,255})",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
        ),
        (
            "gitlab_token",
            r"\bgl(?:pat|dt|rt|soat)-[A-Za-z0-9_-]{20,100}",
            "glpat-",
            "gldt-",
            "glrt-",
            "glsoat-",
        ),
        ("slack_token", r"\bxox[abposr]-[A-Za-z0-9-]{10,200}", "xox"),
        ("slack_hook", r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,100}", "hooks.slack.com"),
        ("stripe_key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}", "k_live_", "k_test_"),
        ("twilio_key", r"\bSK[0-9a-f]{32}\b", "SK"),
        ("sendgrid_key", r"\bSG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,60}", "SG."),
        ("npm_token", r"\bnpm_[A-Za-z0-9]{36}\b", "npm_"),
        ("pypi_token", r"\bpypi-[A-Za-z0-9_-]{50,300}", "pypi-"),
        ("huggingface_token", r"\bhf_[A-Za-z0-9]{30,60}\b", "hf_"),
        ("digitalocean_token", r"\bdo[opr]_v1_[0-9a-f]{64}\b", "_v1_"),
        ("telegram_token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b", ":AA"),
        (
            "discord_hook",
            r"https://discord(?:app)?\.com/api/webhooks/[0-9]{10,25}/[A-Za-z0-9_-]{40,100}",
            "/api/webhooks/",
        ),
        ("jwt", r"\beyJ[A-Za-z0-9_-]{8,2000}+\.eyJ[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{16,1000}", ".eyJ"),
        ("azure_key", r"\bAccountKey=[A-Za-z0-9+/]{60,100}={0,2}", "AccountKey="),
        ("age_key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b", "AGE-SECRET-KEY-1"),
        ("groq_key", r"\bgsk_[A-Za-z0-9]{40,80}\b", "gsk_"),
        ("xai_key", r"\bxai-[A-Za-z0-9]{60,100}\b", "xai-"),
        ("perplexity_key", r"\bpplx-[A-Za-z0-9]{40,80}\b", "pplx-"),
        ("nvidia_key", r"\bnvapi-[A-Za-z0-9_-]{50,100}", "nvapi-"),
        ("replicate_token", r"\br8_[A-Za-z0-9]{37}\b", "r8_"),
        ("google_client_secret", r"\bGOCSPX-[A-Za-z0-9_-]{28}\b", "GOCSPX-"),
    )
)
# In JSON within JSON, as in a tool call's arguments, quotes stand behind backslashes.
_QUOTES = r"[\\\"'`]{0,8}"
_IN_ADDRESS = rf"{_begun()}[a-z][a-z0-9+.-]{{1,15}}://[^\s:/@'\"<>]{{0,100}}:([^\s/'\"<>]{{3,200}})@[^\s@/'\"<>]{{1,200}}"
_IN_QUERY = (
    r"(?i)[?&](?:key|sig|signature|code|auth|token|(?:api|access|auth|subscription)[-_]?(?:key|token))"
    r"=([^\s&#\"'`\\<>]{8,500})"
)
_AUTHORIZATION = (
    rf"(?i)authorization{_QUOTES}\s{{0,3}}[:=,]\s{{0,3}}{_QUOTES}"
    r"(?:basic|bearer|token)\s{1,3}([\w+/=.~-]{8,2000})"
)
_TO = rf"{_QUOTES}\s{{0,3}}(?:(?:[:=]|=>)\s{{0,3}}|\s(?:is|was|ist|war)\s{{1,3}}|\s){_QUOTES}"
_KEYS = tuple(
    f"{whose}{joint}{what}"
    for whose, what in (
        ("api", "key"),
        ("access", "key"),
        ("access", "token"),
        ("auth", "token"),
        ("private", "key"),
    )
    for joint in ("", "-", "_", " ", ".")
)
_OF_PASSWORDS = ("passw", "pwd")
_WIDE_MARKS = r"\u3001\u3002\u300d\u300f\u3011\uff01\uff09\uff0c\uff1b\uff1f"
"""What ends a value in Chinese and Japanese, where no space does."""

_ASSIGNED = tuple(
    (rf"(?i)(?:{names}){_TO}([^\s\"'`\\,;{_WIDE_MARKS}]{{{least},200}})", hints)
    for least, hints, names in (
        (7, _OF_PASSWORDS, r"(?:password|passwd|passwort|pwd)(?:[-_.][A-Za-z0-9]{1,20}){0,3}"),
        (
            8,
            ("secret", "bearer", "credential", *_KEYS),
            r"(?:secret|api[-_ .]?key|access[-_ .]?key|access[-_ .]?token|auth[-_ .]?token|client[-_ .]?secret"
            r"|private[-_ .]?key|(?:(?<![A-Za-z])|" + _begun() + r")bearer|credentials?)"
            r"(?:[-_.][A-Za-z0-9]{1,20}){0,3}",
        ),
        (16, ("token",), r"token(?:[-_.][A-Za-z0-9]{1,20}){0,3}"),
    )
)
"""Names as in ``DB_PASSWORD`` and ``AWS_SECRET_ACCESS_KEY``: what stands before and behind the word may be anything."""
_BY_PLACE = (
    ("password_in_address", _IN_ADDRESS, ("://",)),
    ("key_in_address", _IN_QUERY, ("=",)),
    ("authorization", _AUTHORIZATION, ("authorization",)),
)
"""Forms whose place alone says what they are, whatever the value looks like."""

_DRAWN = "assigned_secret"
"""The kind that a name alone announces, so that its value must look drawn by lot."""

_PRIVATE_KEY = "private_key"
_KEY_END = r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:\\+[nr]|\s)"
_KEY_BODY = (
    rf"(?:{_BREAK}*+[A-Z][A-Za-z-]{{1,20}}: [A-Za-z0-9,. -]{{1,80}})*+"
    rf"(?:{_BREAK}*+[A-Za-z0-9+/=]{{16,}}+)++(?:{_BREAK}++[A-Za-z0-9+/]{{1,15}}(?:={{1,2}}|\Z))?"
)
"""Headers, then lines of letters that no word has so many of; the last one may be short."""
_LONGEST_KEY = 20_000
"""Code points from the head of a private key within which its end is looked for."""

_STRETCH = 32_000
"""Code points that are searched at once, about a millisecond for one pattern."""

_REACH = 8_000
"""No pattern reads as many code points from where its match begins."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How secrets of a kind look; where a form has a group, that is the secret.

    Each match has one of the `hints` in it: as it stands, or folded where the pattern takes any case. Its value has
    `least_bits` a character, where that alone says whether it is one.
    """

    kind: str
    pattern: str
    hints: tuple[str, ...]
    folds: bool
    least_bits: float = 0.0


_FORMS = tuple(
    _Form(kind, pattern, tuple(hints), pattern.startswith(_ANY_CASE))
    for kind, pattern, hints in (*_PATTERNS, *_BY_PLACE)
) + tuple(
    _Form(
        _DRAWN,
        pattern,
        hints,
        pattern.startswith(_ANY_CASE),
        _LEAST_PASSWORD_BITS if hints == _OF_PASSWORDS else _LEAST_BITS,
    )
    for pattern, hints in _ASSIGNED
)


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """What looks like a secret: code points `start` to `end` of the text, and what kind it seems to be."""

    start: int
    end: int
    kind: str


def find_secrets(text: str, pause: Pause = no_pause) -> tuple[Secret, ...]:
    """All that looks like a secret, in order, none overlapping another."""
    found: list[tuple[int, int, int]] = []
    for rank, match in _matches(text, pause):
        start, end = match.span(match.lastindex or 0)
        value = text[start:end]
        if not _is_placeholder(value) and _looks_drawn(value, _FORMS[rank].least_bits):
            whole = _end_of_key(text, end) if _FORMS[rank].kind == _PRIVATE_KEY else end
            found.append((start, -whole, rank))
    kept: list[Secret] = []
    for start, past, rank in sorted(found):
        if not kept or start >= kept[-1].end:
            kept.append(Secret(start, -past, _FORMS[rank].kind))
    return tuple(kept)


def _matches(text: str, pause: Pause) -> Iterator[tuple[int, re.Match[str]]]:
    """What every form's pattern finds in the whole text, with the form's place among the forms.

    No other thread runs while a pattern searches, so it searches one stretch after another.
    """
    ends = [0] * len(_FORMS)
    for begin in range(0, len(text), _STRETCH):
        pause()
        stop = begin + _STRETCH
        stretch = text[begin : stop + _REACH]
        folded = _folded(stretch)
        for rank, form in enumerate(_FORMS):
            if not any(hint in (folded if form.folds else stretch) for hint in form.hints):
                continue
            at = max(begin, ends[rank])
            while (match := _compiled(form.pattern).search(text, at, stop + _REACH)) and match.start() < stop:
                yield rank, match
                at = ends[rank] = match.end()


def _end_of_key(text: str, end: int) -> int:
    """Where a private key ends that is found by its head: its body goes with it, whole or cut off."""
    limit = end + _LONGEST_KEY
    foot = _compiled(_KEY_END).search(text, end, limit)
    if foot is not None:
        return foot.end()
    body = _compiled(_KEY_BODY).match(text, end, limit)
    return end if body is None else body.end()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern at its first use: to compile all of them would delay every start, and few texts have a hint."""
    return re.compile(pattern)


def _folded(text: str) -> str:
    """A text in which every hint stands that a pattern for any case would match; Turkish has two more cases of i."""
    return text.lower() if text.isascii() else text.casefold().replace("i\u0307", "i").replace("\u0131", "i")


def masked(text: str) -> str:
    """A secret as it may be shown: how it begins, and how long it is."""
    return f"{text[:_SHOWN]}… ({len(text)})"


def without_secrets(text: str) -> str:
    """A text as it may be shown: what looks like a secret is masked."""
    return stretch_without_secrets(text, 0, len(text))


def stretch_without_secrets(text: str, start: int, end: int) -> str:
    """A stretch of a text as it may be shown: what stands around it may tell a secret, and none is shown in part."""
    shown: list[str] = []
    at = start
    for secret in find_secrets(text):
        if secret.end > at and secret.start < end:
            shown += (text[at : max(at, secret.start)], masked(text[secret.start : secret.end]))
            at = secret.end
    return "".join((*shown, text[at:end]))


def secret_kinds(text: str, pause: Pause = no_pause) -> dict[str, str]:
    """The values in a text that are secrets wherever they stand, not by their place alone, with their kinds."""
    found = {text[each.start : each.end]: each.kind for each in find_secrets(text, pause)}
    return {
        value: kind
        for value, kind in found.items()
        if len(value) >= _LEAST_TELLING and _looks_drawn(value, _LEAST_PASSWORD_BITS)
    }


def replace_values(text: str, values: Iterable[str], by: Callable[[str], str]) -> str:
    """A text with whole words of these values replaced by what `by` makes of each."""
    # Few of many are there, and one expression for all of them would take long.
    there = sorted((each for each in values if each in text), key=len, reverse=True)
    if not there:
        return text
    words = "|".join(map(re.escape, there))
    return re.sub(f"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])", lambda each: by(each.group()), text)


def _is_placeholder(value: str) -> bool:
    return _compiled(_PLACEHOLDER).search(value) is not None


def _looks_drawn(value: str, least_bits: float) -> bool:
    """Whether a value has figures or signs among letters and is as mixed as one drawn by lot: no word, no sentence."""
    if not least_bits:
        return True
    kinds = sum(
        (any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value)))
    ) + any(not each.isalnum() for each in value[:-1])
    if kinds < 2 or not any(map(str.isdigit, value)) or value.startswith(("http", "/", "(", "$")):
        return False
    counts = Counter(value)
    bits = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return bits >= min(least_bits, math.log2(len(value)) * 0.8)
