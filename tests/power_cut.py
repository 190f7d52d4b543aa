"""What is left of a disk when the power fails: what was synced, and some of the rest.

The model of the disk: data is safe once its file was synced. Of each write since then, every sector of 512 bytes
may have arrived or not, whatever the order; a change of a file's length likewise. Names of files are changed in
order, and are safe once the folder was synced; a journaling file system may have lost the newest such changes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.faulty_disk import Event

SECTOR = 512
JOURNAL = "-journal"
NEVER, ALWAYS = 0.0, 1.0


@dataclass
class _File:
    """One file's bytes that are safe, and what was done to it since."""

    safe: bytearray = field(default_factory=bytearray)
    since: list[Event] = field(default_factory=list)
    is_new_journal: bool = False

    def sync(self) -> None:
        for event in self.since:
            apply(self.safe, event)
        self.since.clear()

    def after_a_cut(self, chance: random.Random) -> bytes:
        """The bytes, when the power fails now."""
        found = bytearray(self.safe)
        likely = chance.choice((NEVER, ALWAYS, 0.5))
        whole = chance.random() < 0.5
        for event in self.since:
            if whole or event.call == "truncate":
                if chance.random() < likely:
                    apply(found, event)
                continue
            for start in range(0, len(event.data), SECTOR):
                if chance.random() < likely:
                    apply(found, Event("write", "", event.offset + start, event.data[start : start + SECTOR]))
        return bytes(found)


def apply(content: bytearray, event: Event) -> None:
    """Do a write or a truncation."""
    if event.call == "truncate":
        del content[event.offset :]
        content.extend(bytes(event.offset - len(content)))
        return
    end = event.offset + len(event.data)
    content.extend(bytes(max(0, end - len(content))))
    content[event.offset : end] = event.data


class PowerCut:
    """Plays a record of calls up to a moment, and gives what a restart would find.

    With `names_are_safe`, creating and deleting a file is safe at once, which no file system promises.
    """

    def __init__(self, before: Path, *, names_are_safe: bool) -> None:
        self._names_are_safe = names_are_safe
        self._files = {before.name: _File(bytearray(before.read_bytes()))}
        self._safe_names = dict(self._files)
        self._renamed: list[tuple[str, _File | None]] = []
        self.marks: list[str] = []

    def play(self, events: Iterable[Event]) -> None:
        """Let calls happen."""
        for event in events:
            self._play(event)

    def restart(self, folder: Path, chance: random.Random) -> None:
        """Write what is left into a folder."""
        names = dict(self._safe_names)
        for name, file in self._renamed[: chance.randint(0, len(self._renamed))]:
            _rename(names, name, file)
        for name, file in names.items():
            path = folder / name
            path.write_bytes(file.after_a_cut(chance))
            path.chmod(0o600)

    def _play(self, event: Event) -> None:
        name = event.name
        match event.call:
            case "mark":
                self.marks.append(name)
            case "create":
                self._files[name] = _File(is_new_journal=name.endswith(JOURNAL))
                self._name(name, self._files[name], safe=self._names_are_safe)
            case "delete":
                self._files.pop(name, None)
                self._name(name, None, safe=self._names_are_safe or event.syncs_folder)
            case "sync":
                file = self._files[name]
                file.sync()
                if file.is_new_journal:
                    # SQLite syncs the folder with the first sync of a journal that it made.
                    file.is_new_journal = False
                    self._sync_folder()
            case _:
                self._files[name].since.append(event)

    def _name(self, name: str, file: _File | None, *, safe: bool) -> None:
        self._renamed.append((name, file))
        if safe:
            self._sync_folder()

    def _sync_folder(self) -> None:
        for name, file in self._renamed:
            _rename(self._safe_names, name, file)
        self._renamed.clear()


def _rename(names: dict[str, _File], name: str, file: _File | None) -> None:
    if file is None:
        names.pop(name, None)
    else:
        names[name] = file
