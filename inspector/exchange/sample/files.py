"""The files of the sample's source."""

from __future__ import annotations

from pathlib import Path

from inspector.domain.errors import MalformedError
from inspector.exchange.guard import Json, parse_json, read_bytes, read_json
from inspector.exchange.source import Notes, Record


class SampleFiles:
    """Reads the files of one folder. A value of the wrong type is an error here, not a note."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._notes = Notes()

    def one(self, name: str) -> Record:
        """A file that is one object."""
        return Record(read_json(self._folder / name).value, name, self._notes)

    def many(self, name: str) -> list[Record]:
        """A file that is a list of objects."""
        found: Json = read_json(self._folder / name).value
        if not isinstance(found, list):
            raise MalformedError("sample.malformed", where=name, why="a list is needed")
        return [Record(each, f"{name}[{index}]", self._notes) for index, each in enumerate(found)]

    def lines(self, name: str) -> list[Record]:
        """A file with one object a line."""
        lines = read_bytes(self._folder / name).splitlines()
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        return [Record(parse_json(line).value, f"{name}:{number}", self._notes) for number, line in numbered]

    def check(self) -> None:
        """Raise MalformedError for the first value that had another type than asked for."""
        for problem in self._notes.problems:
            raise MalformedError("sample.malformed", where=problem.where, why=problem.code)
