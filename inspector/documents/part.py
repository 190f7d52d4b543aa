"""Where a part of a content is kept in its document."""

from __future__ import annotations

from dataclasses import dataclass

from loro import ContainerID


@dataclass(frozen=True, slots=True)
class Part:
    """One field or element and where it is kept: under a key of a container, or in all of it (`key` None).

    `place` is the path of names and ids to it, a section's name first where there are sections.
    """

    place: tuple[str, ...]
    container: ContainerID
    key: str | None = None
