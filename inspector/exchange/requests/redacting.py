"""Text without what looks like a secret."""

from __future__ import annotations

import re

from inspector.domain.secrets import Secret, find_secrets

_KEY_END = re.compile(r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:\\n|\\r|[A-Za-z0-9+/=\s,:-])*+")
_LONGEST_KEY = 20_000


class Redactor:
    """Replaces secrets and counts them. One secret is counted wherever it stands."""

    def __init__(self) -> None:
        self.count = 0

    def clean(self, text: str) -> str:
        """The text with each secret replaced by its kind and nothing of it."""
        parts: list[str] = []
        at = 0
        for secret in find_secrets(text):
            if secret.end <= at:
                continue
            parts += (text[at : max(at, secret.start)], f"[redacted: {secret.kind}]")
            at = _end(text, secret)
            self.count += 1
        parts.append(text[at:])
        return "".join(parts)


def _end(text: str, secret: Secret) -> int:
    """Where a secret ends. A private key is found by its head; its body goes with it, whole or cut off."""
    if secret.kind != "private_key":
        return secret.end
    limit = secret.end + _LONGEST_KEY
    end = _KEY_END.search(text, secret.end, limit)
    if end is not None:
        return end.end()
    body = _KEY_BODY.match(text, secret.end, limit)
    return secret.end if body is None else body.end()
