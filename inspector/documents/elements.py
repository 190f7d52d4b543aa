"""Finds, places, moves and removes elements with ids in a document's movable list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loro import ContainerID, LoroMap, LoroMovableList, ValueOrContainer

from inspector.documents.stamp import EditStamp
from inspector.documents.stored import ID, scalar_in
from inspector.domain.differences.order import Key, keys_of, moved
from inspector.domain.value_checks import check_text, gone, refuse, shown


class ElementList:
    """A movable list whose elements are maps with an id. `kind` is what refusals call an element."""

    def __init__(self, container: LoroMovableList, kind: str) -> None:
        self._list = container
        self._kind = kind

    def __len__(self) -> int:
        return len(self._list)

    @property
    def id(self) -> ContainerID:
        return self._list.id

    def maps(self) -> Iterator[tuple[int, LoroMap]]:
        """The elements in order with their indices; what a foreign writer put there that is no map is not one."""
        for index in range(len(self._list)):
            each = self._list.get(index)
            if isinstance(each, ValueOrContainer.Container) and isinstance(each.container, LoroMap):
                yield index, each.container

    def find(self, item: str) -> tuple[int, LoroMap]:
        """Where the element of that id is.

        Raises:
            RefusedError: ``refused.no_longer_there``.
        """
        for index, map_ in self.maps():
            if id_of(map_) == item:
                return index, map_
        raise gone(self._kind, item)

    def place(self, before: str | None) -> int:
        """The index at which to insert before an element, or at the end."""
        return len(self._list) if before is None else self.find(before)[0]

    def free_id(self, wanted: str | None, stamp: EditStamp) -> str:
        """The id for a new element: the wanted one if it is not in use, else a new one.

        Raises:
            RefusedError: ``refused.id_taken``.
        """
        if not wanted:
            return stamp.new_id()
        check_text(wanted)
        if any(id_of(map_) == wanted for _, map_ in self.maps()):
            raise refuse("refused.id_taken", kind=self._kind, id=shown(wanted))
        return wanted

    def free_ids(self, wanted: Sequence[str | None], stamp: EditStamp) -> Iterator[str]:
        """As `free_id`, for many new elements at once: looking through all of them for each would take for ever."""
        taken = {id_of(map_) for _, map_ in self.maps()}
        for each in wanted:
            if each and check_text(each) in taken:
                raise refuse("refused.id_taken", kind=self._kind, id=shown(each))
            item = each or stamp.new_id()
            taken.add(item)
            yield item

    def insert(self, index: int, item: str) -> LoroMap:
        """Insert an element with that id, and give its map to be filled."""
        map_ = self._list.insert_container(index, LoroMap())  # type: ignore[no-untyped-call]
        if not isinstance(map_, LoroMap):
            raise TypeError(type(map_).__name__)
        map_.insert(ID, item)
        return map_

    def move(self, item: str, before: str | None) -> bool:
        """Move an element before another, or to the end. Tells whether its place changed."""
        index = self.find(item)[0]
        target = self.place(before)
        if target > index:
            target -= 1
        if target == index or item == before:
            return False
        self._list.mov(index, target)
        return True

    def arrange(self, wanted: Sequence[str]) -> list[tuple[LoroMap, bool]]:
        """Make the elements those of the wanted ids in their order: those that are there stay, new ones are empty.

        Gives their maps, and which of them are new.
        """
        keys, maps = keys_of(wanted), list(self.maps())
        were = keys_of(id_of(map_) for _, map_ in maps)
        if were == keys:
            return [(map_, False) for _, map_ in maps]
        row = self._keep_only(maps, were, frozenset(keys))
        present = [key for key in row if key is not None]
        there, elsewhere = frozenset(present), moved(present, keys)
        at = 0
        for key in keys:
            if key not in there:
                self.insert(at, key[0])
                row.insert(at, key)
            elif key in elsewhere:
                index = row.index(key)
                at -= index < at
                self._list.mov(index, at)
                row.insert(at, row.pop(index))
            else:
                at = row.index(key, at)
            at += 1
        return [(map_, key not in there) for (_, map_), key in zip(self.maps(), keys, strict=True)]

    def remove(self, item: str) -> None:
        self.remove_at(self.find(item)[0])

    def remove_at(self, index: int) -> None:
        self._list.delete(index, 1)

    def _keep_only(
        self, maps: Sequence[tuple[int, LoroMap]], were: Sequence[Key], keys: frozenset[Key]
    ) -> list[Key | None]:
        """Remove all other elements; gives the key of each place, None for what is no element."""
        row: list[Key | None] = [None] * len(self._list)
        for (index, _), key in zip(maps, were, strict=True):
            row[index] = key
        for index in range(len(row) - 1, -1, -1):
            there = row[index]
            if there is not None and there not in keys:
                self.remove_at(index)
                del row[index]
        return row


def id_of(map_: LoroMap) -> str:
    """An element's id. One that a foreign writer left without is known by its container's."""
    stored = scalar_in(map_, ID)
    if isinstance(stored, str):
        return stored
    container = map_.id
    return f"{container.peer}-{container.counter}" if isinstance(container, ContainerID.Normal) else ""
