"""The document shape of list content: one movable list of maps."""

from __future__ import annotations

from loro import LoroDoc, LoroMap, LoroText

from inspector.documents.element_cache import ElementCache
from inspector.documents.elements import ElementList, id_of
from inspector.documents.objects import ObjectKind
from inspector.documents.stamp import EditStamp
from inspector.domain.blocks import ListSchema
from inspector.domain.content import ListContent, ListItem
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import InsertItem, MoveItem, RemoveItem, UpdateItem
from inspector.domain.value_checks import check_text, wrong_schema


class ListShape:
    """Items in order; how many there may be is for those to say who take edits."""

    def __init__(self, doc: LoroDoc, schema: ListSchema, prefix: str) -> None:
        self._items = ElementList(doc.get_movable_list(f"{prefix}items"), "item")
        self._objects = ObjectKind(schema.item_schema)

    def fill(self, content: ListContent | None, stamp: EditStamp) -> None:
        items = () if content is None else content.items
        ids = self._items.free_ids([item.id for item in items], stamp)
        for item, id_ in zip(items, ids, strict=True):
            map_ = self._items.insert(len(self._items), id_)
            self._objects.write_content(map_, item.value, stamp)

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
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

    def content(self, cache: ElementCache) -> ListContent:
        return ListContent(tuple(cache.read(map_, self._read) for _, map_ in self._items.maps()))

    def become(self, content: ListContent, cache: ElementCache) -> None:
        """Make the items these, in this order."""
        arranged = self._items.arrange([check_text(item.id) for item in content.items])
        for (map_, is_new), item in zip(arranged, content.items, strict=True):
            if cache.of(map_) is not item:
                self._objects.become(map_, item.value, new=is_new)

    def texts(self) -> dict[str, LoroText]:
        return {}

    def _read(self, map_: LoroMap, cache: ListItem | None) -> ListItem:
        return cache or ListItem(id_of(map_), self._objects.read(map_))

    def _insert(self, operation: InsertItem, stamp: EditStamp) -> str:
        value = self._objects.checked(operation.value)
        index = self._items.place(operation.before)
        item = self._items.free_id(operation.id, stamp)
        self._objects.write(self._items.insert(index, item), value, stamp)
        return item
