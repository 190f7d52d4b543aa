"""Turns Loro's errors into the errors of this package's documents.

Loro raises bare `BaseException` for every ordinary error, and panics arrive as another direct child of it.
Neither is caught by ``except Exception``, so every call into Loro stands inside `guarded`.
"""

from __future__ import annotations

from asyncio import CancelledError
from enum import StrEnum
from types import TracebackType

from inspector.domain.errors import DocumentError, InspectorError

_NOT_OURS = (KeyboardInterrupt, SystemExit, CancelledError, GeneratorExit, InspectorError)


class guarded:
    """A context in which whatever Loro raises becomes a DocumentError with `code`.

    The cause is chained for logs; its words hold build paths and are never shown.
    With `reading`, ordinary exceptions (a wrong type, a bad value in foreign bytes) are taken for Loro's too;
    otherwise they pass as what they are, mistakes of ours, but for text that is no Unicode.
    """

    __slots__ = ("_code", "_reading")

    def __init__(self, code: str, *, reading: bool = False) -> None:
        self._code = code
        self._reading = reading

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, _NOT_OURS):
            return
        if isinstance(error, Exception) and not (self._reading or isinstance(error, UnicodeEncodeError)):
            return
        raise DocumentError(_code_of(error, self._code)) from error


def _code_of(error: BaseException, code: str) -> str:
    return f"document.{cause_of(error)}" if code == "document.unreadable" else code


class LoroCause(StrEnum):
    """Why bytes could not be read, as far as Loro says."""

    NEWER = "newer"
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"


def cause_of(error: BaseException) -> LoroCause:
    """The cause that an error's text names."""
    text = str(error)
    if "not forward compatible" in text:
        return LoroCause.NEWER
    return LoroCause.DAMAGED if "hecksum" in text else LoroCause.UNREADABLE
