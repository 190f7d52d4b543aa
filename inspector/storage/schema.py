"""The version and objects of a constellation's file, and how older files get there."""

from __future__ import annotations

from inspector.domain.dataclass import dataclass
from inspector.storage.tables.contents import AGENTS, CONVERSATION, MEMORY, RUNNING
from inspector.storage.tables.journal import JOURNAL, SEARCH

APPLICATION_ID = 0x434E5354
"""``CNST`` in the file's header: what makes it ours."""


@dataclass(frozen=True, slots=True, order=True)
class SchemaVersion:
    """A newer minor version adds and takes nothing away; a newer major one may change anything."""

    major: int
    minor: int

    @classmethod
    def unpack(cls, user_version: int) -> SchemaVersion:
        return cls(user_version >> 16, user_version & 0xFFFF)

    @property
    def packed(self) -> int:
        return self.major << 16 | self.minor

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


CURRENT = SchemaVersion(1, 0)

STATEMENTS: tuple[str, ...] = (
    *JOURNAL,
    *AGENTS,
    *MEMORY,
    *CONVERSATION,
    *RUNNING,
    *SEARCH,
)
"""Makes an empty constellation of version `CURRENT`, in this order."""


@dataclass(frozen=True, slots=True)
class Migration:
    """The statements that bring a file to version `to` from the one before; they run as one transaction."""

    to: SchemaVersion
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What a program expects of a file: its version, its objects, and how older files get there."""

    version: SchemaVersion
    statements: tuple[str, ...]
    migrations: tuple[Migration, ...] = ()


FORMAT = FileFormat(CURRENT, STATEMENTS)
