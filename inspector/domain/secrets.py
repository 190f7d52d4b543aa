"""Finds text in blocks and messages that looks like a secret: keys, tokens, passwords.

Every pattern is bounded on both sides or anchored at a rare beginning, so that the time is that of one pass.
"""

from __future__ import annotations

import math
import re
from collections import Counter

from inspector.domain.dataclass import dataclass

_SHOWN = 4
"""Characters of a secret that are shown, so that a person knows which one it is."""

_LEAST_BITS = 3.0
"""Bits of entropy a character from which on an assigned value looks drawn by lot (hex has 4, words about 3)."""

_PLACEHOLDER = re.compile(
    r"(?i)(?<![a-z0-9])(?:x{4,}|example|placeholder|changeme|your|redacted|dummy|todo)(?![a-z0-9])"
    r"|x{8,}|\*{3,}|\.{3}|<[^>]{0,200}>|\$\{|\{\{|example(?:key)?$|^(?:changeme|example|placeholder|dummy|your)"
)
"""What nobody's key is. Within a run of letters drawn by lot such a word is chance, so it must stand by itself."""

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("private_key", r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
        ("anthropic_key", r"\bsk-ant-[A-Za-z0-9_-]{20,200}"),
        ("openai_key", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}"),
        ("aws_key", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b"),
        ("google_key", r"\bAIza[A-Za-z0-9_-]{35}"),
        ("google_oauth", r"\bya29\.[A-Za-z0-9_-]{20,400}"),
        ("github_token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})"),
        ("gitlab_token", r"\bgl(?:pat|dt|rt|soat)-[A-Za-z0-9_-]{20,100}"),
        ("slack_token", r"\bxox[abposr]-[A-Za-z0-9-]{10,200}"),
        ("slack_hook", r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,100}"),
        ("stripe_key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}"),
        ("twilio_key", r"\bSK[0-9a-f]{32}\b"),
        ("sendgrid_key", r"\bSG\.[A-Za-z0-9_-]{16,40}\.[A-Za-z0-9_-]{30,60}"),
        ("npm_token", r"\bnpm_[A-Za-z0-9]{36}\b"),
        ("pypi_token", r"\bpypi-[A-Za-z0-9_-]{50,300}"),
        ("huggingface_token", r"\bhf_[A-Za-z0-9]{30,60}\b"),
        ("digitalocean_token", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
        ("telegram_token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b"),
        ("discord_hook", r"https://discord(?:app)?\.com/api/webhooks/[0-9]{10,25}/[A-Za-z0-9_-]{40,100}"),
        ("jwt", r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,1000}"),
        ("azure_key", r"\bAccountKey=[A-Za-z0-9+/]{60,100}={0,2}"),
        ("age_key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
        ("groq_key", r"\bgsk_[A-Za-z0-9]{40,80}\b"),
        ("xai_key", r"\bxai-[A-Za-z0-9]{60,100}\b"),
        ("perplexity_key", r"\bpplx-[A-Za-z0-9]{40,80}\b"),
        ("nvidia_key", r"\bnvapi-[A-Za-z0-9_-]{50,100}"),
        ("replicate_token", r"\br8_[A-Za-z0-9]{37}\b"),
        ("google_client_secret", r"\bGOCSPX-[A-Za-z0-9_-]{28}\b"),
    )
)
# In JSON within JSON, as in a tool call's arguments, quotes stand behind backslashes.
_QUOTES = r"[\\\"'`]{0,8}"
_IN_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}://[^\s:/@'\"<>]{0,100}:([^\s/'\"<>]{3,200})@[^\s@/'\"<>]{1,200}"
)
_IN_QUERY = re.compile(
    r"(?i)[?&](?:key|sig|signature|code|auth|token|(?:api|access|auth|subscription)[-_]?(?:key|token))"
    r"=([^\s&#\"'`\\<>]{8,500})"
)
_AUTHORIZATION = re.compile(
    rf"(?i)authorization{_QUOTES}\s{{0,3}}[:=,]\s{{0,3}}{_QUOTES}(?:basic|bearer|token)\s{{1,3}}([\w+/=.~-]{{8,2000}})"
)
_TO = rf"{_QUOTES}\s{{0,3}}(?:(?:[:=]|=>)\s{{0,3}}|\s(?:is|was|ist|war)\s{{1,3}}|\s){_QUOTES}"
_ASSIGNED = tuple(
    re.compile(rf"(?i)(?:{names}){_TO}([^\s\"'`\\,;]{{{least},200}})")
    for least, names in (
        (7, r"(?:password|passwd|passwort|pwd)(?:[-_.][A-Za-z0-9]{1,20}){0,3}"),
        (
            8,
            r"(?:secret|api[-_ .]?key|access[-_ .]?key|access[-_ .]?token|auth[-_ .]?token|client[-_ .]?secret"
            r"|private[-_ .]?key|(?<![A-Za-z])bearer|credentials?)(?:[-_.][A-Za-z0-9]{1,20}){0,3}",
        ),
        (16, r"token(?:[-_.][A-Za-z0-9]{1,20}){0,3}"),
    )
)
"""Names as in ``DB_PASSWORD`` and ``AWS_SECRET_ACCESS_KEY``: what stands before and behind the word may be anything."""
_BY_PLACE = (
    ("password_in_address", _IN_ADDRESS),
    ("key_in_address", _IN_QUERY),
    ("authorization", _AUTHORIZATION),
)
"""Forms whose place alone says what they are, whatever the value looks like."""


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """What looks like a secret: code points `start` to `end` of the text, and what kind it seems to be."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> tuple[Secret, ...]:
    """All that looks like a secret, in order, none overlapping another."""
    found = [
        Secret(match.start(), match.end(), kind)
        for kind, pattern in _PATTERNS
        for match in pattern.finditer(text)
        if not _is_placeholder(match.group())
    ]
    found += _assigned(text)
    kept: list[Secret] = []
    for each in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if not kept or each.start >= kept[-1].end:
            kept.append(each)
    return tuple(kept)


def masked(text: str) -> str:
    """A secret as it may be shown: how it begins, and how long it is."""
    return f"{text[:_SHOWN]}… ({len(text)})"


def without_secrets(text: str) -> str:
    """A text as it may be shown: what looks like a secret is masked."""
    shown: list[str] = []
    at = 0
    for secret in find_secrets(text):
        shown += (text[at : secret.start], masked(text[secret.start : secret.end]))
        at = secret.end
    return "".join((*shown, text[at:]))


def _assigned(text: str) -> list[Secret]:
    found = [
        Secret(match.start(1), match.end(1), kind)
        for kind, pattern in _BY_PLACE
        for match in pattern.finditer(text)
        if not _is_placeholder(match.group(1))
    ]
    for match in (each for pattern in _ASSIGNED for each in pattern.finditer(text)):
        value = match.group(1)
        if not _is_placeholder(value) and _looks_drawn(value):
            found.append(Secret(match.start(1), match.end(1), "assigned_secret"))
    return found


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.search(value) is not None


def _looks_drawn(value: str) -> bool:
    """Whether a value has figures or signs among letters and is as mixed as one drawn by lot: no word, no sentence."""
    kinds = sum(
        (any(map(str.isdigit, value)), any(map(str.islower, value)), any(map(str.isupper, value)))
    ) + any(not each.isalnum() for each in value[:-1])
    if kinds < 2 or not any(map(str.isdigit, value)) or value.startswith(("http", "/", "(", "$")):
        return False
    counts = Counter(value)
    bits = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return bits >= min(_LEAST_BITS, math.log2(len(value)) * 0.8)
