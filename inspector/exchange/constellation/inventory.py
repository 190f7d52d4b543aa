"""What belongs to a folder: the header says of each file how many rows it has, so what is lost on the way is told.

A person may rename files, add to them, and take out of them on purpose. So nothing is refused here: only less than
was written is told, and a file under another name stands for the one that is not there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping

from inspector.domain.errors import MalformedError
from inspector.exchange.guard import Json

FILES = "files"
"""What the header calls it: the number of rows by path, all files but the header's own."""
_NAMED = frozenset({"agent.json", "persona.txt"})
"""Files that say themselves what they are: what is above them is somebody's name."""
_Kind = Callable[[str, int], Hashable]


def inventory_of(files: Mapping[str, bytes]) -> dict[str, int]:
    """How many rows each file has: a line is one, and whatever has a file to itself."""
    return {path: data.count(b"\n") if path.endswith(".jsonl") else 1 for path, data in sorted(files.items())}


def missing(said: Json, found: Mapping[str, int], where: str) -> list[tuple[str, int, int]]:
    """The files that have fewer rows than the header says: path, rows said, rows found.

    Folders without an inventory have nothing that could be missing.

    Raises:
        MalformedError: it is none.
    """
    expected = _read(said, where)
    short = [(path, count, found[path]) for path, count in expected.items() if found.get(path, count) < count]
    gone = {path: count for path, count in expected.items() if path not in found}
    added = {path: count for path, count in found.items() if path not in expected}
    for same in (_by_name_and_count, _by_count, _by_name):
        for path, other in _pairs(gone, added, same):
            count, there = gone.pop(path), added.pop(other)
            if there < count:
                short.append((path, count, there))
    short.extend((path, count, 0) for path, count in gone.items() if count)
    return sorted(short)


def _read(said: Json, where: str) -> dict[str, int]:
    if said is None:
        return {}
    if not isinstance(said, dict) or not all(type(each) is int and each >= 0 for each in said.values()):
        raise MalformedError("import.malformed", where=where, why="numbers of rows by path are needed")
    return said


def _pairs(gone: Mapping[str, int], added: Mapping[str, int], same: _Kind) -> list[tuple[str, str]]:
    """Files that are not there, each with one that nobody spoke of and that may be it under another name."""
    free: defaultdict[Hashable, list[str]] = defaultdict(list)
    for path in sorted(added, reverse=True):
        free[same(path, added[path])].append(path)
    wanted = ((path, free[same(path, count)]) for path, count in sorted(gone.items()))
    return [(path, others.pop()) for path, others in wanted if others]


def _by_name_and_count(path: str, count: int) -> Hashable:
    return path.rpartition("/")[2], count


def _by_count(path: str, count: int) -> Hashable:
    return _what(path), count


def _by_name(path: str, count: int) -> Hashable:
    del count
    return path.rpartition("/")[2]


def _what(path: str) -> str:
    """What kind of rows a file holds: its name's ending, or its folder where rows have a file each."""
    above, _, name = path.rpartition("/")
    if name.endswith(".jsonl"):
        return name.removesuffix(".jsonl").rpartition(".")[2]
    if name in _NAMED:
        return name
    return f"{above.rpartition('/')[2]}/{name.rpartition('.')[2]}"
