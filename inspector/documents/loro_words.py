"""What Loro's error texts tell. They are all that it gives: there are no kinds and no codes."""

from __future__ import annotations

from enum import StrEnum


class Cause(StrEnum):
    """Why bytes could not be read, as far as Loro says."""

    NEWER = "newer"
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"


def cause_of(error: BaseException) -> Cause:
    """The cause that an error's text names."""
    told = str(error)
    if "not forward compatible" in told:
        return Cause.NEWER
    return Cause.DAMAGED if "hecksum" in told else Cause.UNREADABLE
