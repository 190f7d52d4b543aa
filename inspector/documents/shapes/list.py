"""Lists: one movable list of maps."""

from __future__ import annotations

from collections.abc import Iterator

from loro import LoroDoc, LoroMap, LoroText

from inspector.documents.checks import check_text, wrong_schema
from inspector.documents.elements import Elements, id_of
from inspector.documents.known import Known
from inspector.documents.objects import Objects
from inspector.documents.part import Part
from inspector.documents.stamp import Stamp
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, ListItem
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import InsertItem, MoveItem, RemoveItem, UpdateItem


class ListShape:
    """Items in order; how many there may be is for those to say who take edits."""

    def __init__(self, doc: LoroDoc, schema: ListSchema, prefix: str) -> None:
        self._items = Elements(doc.get_movable_list(f"{prefix}items"), "item")
        self._objects = Objects(schema.item_schema)

    def fill(self, content: ListContent | None, stamp: Stamp) -> None:
        """Write the first items."""
        items = () if content is None else content.items
        ids = self._items.free_ids([item.id for item in items], stamp)
        for item, id_ in zip(items, ids, strict=True):
            map_ = self._items.insert(len(self._items), id_)
            self._objects.write_content(map_, item.value, stamp)

    def apply(self, operation: Operation, stamp: Stamp) -> tuple[str, ...] | None:
        """Do an item operation."""
        match operation:
            case InsertItem():
                return (self._insert(operation, stamp),)
            case UpdateItem(item, value):
                return (item,) if self._objects.update(self._items.find(item)[1], value, stamp) else None
            case MoveItem(item, before):
                return (item,) if self._items.move(item, before) else None
            case RemoveItem(item):
                self._items.remove(item)
                return (item,)
        raise wrong_schema(operation, "list")

    def merges(self, operation: Operation) -> bool:
        """None: items are named."""
        return False

    def content(self, known: Known) -> ListContent:
        """All items."""
        return ListContent(tuple(known.read(map_, self._read) for _, map_ in self._items.maps()))

    def become(self, content: ListContent, known: Known) -> None:
        """Make the items these, in this order."""
        arranged = self._items.arrange([check_text(item.id) for item in content.items])
        for (map_, is_new), item in zip(arranged, content.items, strict=True):
            if known.of(map_) is not item:
                self._objects.become(map_, item.value, new=is_new)

    def texts(self) -> dict[str, LoroText]:
        """None."""
        return {}

    def parts(self) -> Iterator[Part]:
        """All items and their fields."""
        for _, map_ in self._items.maps():
            yield from self._objects.parts(id_of(map_), map_)

    def _read(self, map_: LoroMap, known: ListItem | None) -> ListItem:
        return known or ListItem(id_of(map_), self._objects.read(map_))

    def _insert(self, operation: InsertItem, stamp: Stamp) -> str:
        value = self._objects.checked(operation.value)
        index = self._items.place(operation.before)
        item = self._items.free_id(operation.id, stamp)
        self._objects.write(self._items.insert(index, item), value, stamp)
        return item
