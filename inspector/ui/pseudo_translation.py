"""A translator into no language: every string of the window gets longer, accented and bracketed.

It shows strings that are not translated and widgets that have no room for another language.
"""

from __future__ import annotations

import os
import re

from PySide6.QtCore import QCoreApplication, QObject, QTranslator

SWITCH, PSEUDO = "CONTEXT_INSPECTOR_LANGUAGE", "pseudo"
"""The environment's variable, and its value that asks for this."""
BEGIN, END = "[", "]"
_ACCENTS = str.maketrans("aeiouyAEIOUYcnsz", "åéïöüÿÅÉÎÖÛÝçñšž")
_KEPT = re.compile(r"\{[^{}:]*:(?=[^{}]*\|)|\{[^{}|]*\}|%[n\d]+|%L\d|&&|&\w")
"""Of ``{count:message|messages}`` the words are translated, and the name before them is kept."""
_KEYS = "QShortcut"
_MORE = 0.4
_FILLER = " łöñg"


def pseudo(text: str) -> str:
    """The text 40 % longer, with accents, in brackets. What is filled in later stays as it is."""
    if not text.strip():
        return text
    kept = _KEPT.findall(text)
    parts = [part.translate(_ACCENTS) for part in _KEPT.split(text)]
    accented = "".join(each for pair in zip(parts, [*kept, ""], strict=True) for each in pair)
    more = max(1, round(_MORE * len(text)))
    filler = (_FILLER * (more // len(_FILLER) + 1))[:more]
    return f"{BEGIN}{accented}{filler}{END}"


class PseudoTranslator(QTranslator):
    """Translates every string, Qt's own as well, but for the names of keys."""

    def translate(self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1) -> str:
        # Names of keys are read back from the text.
        return sourceText if context == _KEYS else pseudo(sourceText)

    def isEmpty(self) -> bool:
        return False


def translate_if_asked(parent: QObject) -> bool:
    """Install the translator if the environment asks for it; says whether it did."""
    if os.environ.get(SWITCH) != PSEUDO:
        return False
    return QCoreApplication.installTranslator(PseudoTranslator(parent))
