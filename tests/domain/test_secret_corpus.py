"""Planted secrets are found, and lines without any raise no alarm: 200 of every form, and 2,000 clean lines."""

from __future__ import annotations

import base64
import hashlib
import json
import string
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from inspector.domain.secrets import find_secrets

ROOT = Path(__file__).resolve().parents[2]
PLANTED, CLEAN, LEAST_FOUND, MOST_ALARMS = 200, 2_000, 0.95, 0.01
_WORDS = string.ascii_letters + string.digits
_HEX, _UPPER = "0123456789abcdef", string.ascii_uppercase + string.digits

# Each is put together when it is used, so that no file of ours holds what looks like a key.
FORMS: tuple[Callable[[Random], str], ...] = (
    lambda chance: "-----BEGIN " + chance.choice(("RSA ", "EC ", "OPENSSH ", "")) + "PRIVATE " + "KEY-----",
    lambda chance: "sk-" + "ant-api03-" + _drawn(chance, _WORDS + "-_", 93),
    lambda chance: "sk-" + chance.choice(("proj-", "svcacct-", "")) + _drawn(chance, _WORDS, 48),
    lambda chance: chance.choice(("AKIA", "ASIA")) + _drawn(chance, _UPPER, 16),
    lambda chance: "AIza" + _drawn(chance, _WORDS + "-_", 35),
    lambda chance: "ya29." + _drawn(chance, _WORDS + "-_", 120),
    lambda chance: "gh" + chance.choice("pousr") + "_" + _drawn(chance, _WORDS, 36),
    lambda chance: "github_" + "pat_" + _drawn(chance, _WORDS, 82),
    lambda chance: "glpat-" + _drawn(chance, _WORDS + "-_", 20),
    lambda chance: (
        "xox"
        + chance.choice("bp")
        + "-"
        + _drawn(chance, string.digits, 12)
        + "-"
        + _drawn(chance, _WORDS, 24)
    ),
    lambda chance: (
        "https://hooks.slack"
        + ".com/services/T"
        + _drawn(chance, _UPPER, 8)
        + "/B"
        + _drawn(chance, _UPPER, 8)
        + "/"
        + _drawn(chance, _WORDS, 24)
    ),
    lambda chance: chance.choice("rs") + "k_live_" + _drawn(chance, _WORDS, 24),
    lambda chance: "SK" + _drawn(chance, _HEX, 32),
    lambda chance: "SG." + _drawn(chance, _WORDS, 22) + "." + _drawn(chance, _WORDS, 43),
    lambda chance: "npm_" + _drawn(chance, _WORDS, 36),
    lambda chance: "pypi-" + _drawn(chance, _WORDS, 120),
    lambda chance: "hf_" + _drawn(chance, _WORDS, 34),
    lambda chance: "dop_v1_" + _drawn(chance, _HEX, 64),
    lambda chance: _drawn(chance, "123456789", 9) + ":AA" + _drawn(chance, _WORDS, 33),
    lambda chance: (
        "eyJ"
        + _drawn(chance, _WORDS, 33)
        + ".eyJ"
        + _drawn(chance, _WORDS, 90)
        + "."
        + _drawn(chance, _WORDS, 43)
    ),
    lambda chance: "AccountKey=" + _drawn(chance, _WORDS, 86) + "==",
    lambda chance: "AGE-SECRET-KEY-" + "1" + _drawn(chance, _UPPER, 58),
    lambda chance: "gsk_" + _drawn(chance, _WORDS, 52),
    lambda chance: "xai-" + _drawn(chance, _WORDS, 80),
    lambda chance: "pplx-" + _drawn(chance, _WORDS, 48),
    lambda chance: "nvapi-" + _drawn(chance, _WORDS, 64),
    lambda chance: "r8_" + _drawn(chance, _WORDS, 37),
)
NAMED = (
    "password",
    "DB_PASSWORD",
    "api_key",
    "AWS_SECRET_ACCESS_KEY",
    "client_secret",
    "auth-token",
    "bearer",
)
AROUND = (
    "export KEY={}",
    'key = "{}"',
    "  apiKey: '{}'",
    "Use {} for the staging server, please.",
    "curl -H 'X-Key: {}' localhost",
    "| staging | {} | Noor |",
    "> {}",
    "{}",
)


def _drawn(chance: Random, alphabet: str, length: int) -> str:
    return "".join(chance.choices(alphabet, k=length))


def planted(chance: Random) -> Iterator[tuple[str, str]]:
    """A secret, and a text that it stands in: as it is, in JSON, in JSON within JSON."""
    for number in range(PLANTED):
        if number % 5 == 4:
            value = _drawn(chance, _WORDS, chance.randint(16, 40))
            line = chance.choice(('{}="{}"', "{}: {}", "{} = '{}'")).format(chance.choice(NAMED), value)
        else:
            value = FORMS[number % len(FORMS)](chance)
            line = chance.choice(AROUND).format(value)
        text = f"Yesterday it went wrong.\n{line}\nThat is all."
        for _ in range(number % 3):
            text = json.dumps({"text": text})
        yield value, text


def clean(chance: Random) -> list[str]:
    """Lines of code and prose, and names, numbers, times, hashes and pictures as tools give them."""
    sources = [*(ROOT / "inspector").rglob("*.py"), *(ROOT / "resources" / "help").glob("*.md")]
    lines = {line.strip() for path in sources for line in path.read_text(encoding="utf-8").splitlines()}
    # What the search itself looks for stands in its own module.
    own = (ROOT / "inspector" / "domain" / "secrets.py").read_text(encoding="utf-8")
    written = sorted(line for line in lines if len(line) > 20 and line not in own)
    made = (
        lambda: (
            f"id {uuid.UUID(int=chance.getrandbits(128))} was stored at 2026-11-{chance.randint(1, 30):02}T08:15:00Z"
        ),
        lambda: f"commit {hashlib.sha1(chance.randbytes(8), usedforsecurity=False).hexdigest()}",
        lambda: f"sha256:{hashlib.sha256(chance.randbytes(8)).hexdigest()}  ./dist/package.tar.gz",
        lambda: (
            f'{{"tool": "look", "call": "toolu_{_drawn(chance, _WORDS, 24)}", "tokens": {chance.randint(1, 99999)}}}'
        ),
        lambda: f"data:image/png;base64,{base64.b64encode(chance.randbytes(60)).decode()}",
        lambda: (
            f"https://example.com/items/{chance.randint(1, 10**9)}?page={chance.randint(1, 99)}&sort=price"
        ),
        lambda: (
            f"The password for step {chance.randint(1, 99)} is in the safe; ask Noor for the token count."
        ),
        lambda: (
            f"msg_{_drawn(chance, string.ascii_lowercase + string.digits, 22)} answers agt_{_drawn(chance, _HEX, 22)}"
        ),
    )
    half = CLEAN // 2
    return [*chance.sample(written, half), *(made[at % len(made)]() for at in range(half))]


def test_that_planted_secrets_are_found_in_code_prose_and_json() -> None:
    missed = []
    for value, text in planted(Random(41)):
        found = {text[each.start : each.end] for each in find_secrets(text)}
        if not any(value in each or (each in value and len(each) >= len(value) - 2) for each in found):
            missed.append(text)
    assert len(missed) <= PLANTED * (1 - LEAST_FOUND), missed


def test_that_lines_without_a_secret_raise_no_alarm() -> None:
    alarms = [line for line in clean(Random(43)) if find_secrets(line)]
    assert len(alarms) <= CLEAN * MOST_ALARMS, alarms


def test_that_every_form_is_known_by_itself() -> None:
    chance = Random(47)
    assert not [form(chance)[:8] for form in FORMS if not find_secrets(f"It is {form(chance)} now.")]
