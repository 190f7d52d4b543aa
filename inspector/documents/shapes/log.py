"""The document shape of log content: one movable list of maps, in order of writing."""

from __future__ import annotations

from loro import LoroDoc, LoroMap, LoroText

from inspector.documents.element_cache import ElementCache
from inspector.documents.elements import ElementList, id_of
from inspector.documents.objects import ObjectKind
from inspector.documents.stamp import EditStamp
from inspector.documents.stored import scalar_in
from inspector.domain.blocks import LogSchema
from inspector.domain.codec import write_time
from inspector.domain.content import LogContent, LogEntry
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import AppendEntry, RemoveEntry
from inspector.domain.value_checks import check_text, wrong_schema

TIMESTAMP = "timestamp"
AUTHOR = "author"


class LogShape:
    """Entries in the order in which they were written: it is the list's, and no clock has a say in it.

    Whoever writes has all that others have written before, so each new entry is the last; a clock that was set back,
    or that of another machine, puts it nowhere else. What two writers add without knowing of each other stands in
    the order that the list gives it, the same for both, and each one's own stays in its order.
    """

    def __init__(self, doc: LoroDoc, schema: LogSchema, prefix: str) -> None:
        self._schema = schema.entry_schema
        self._entries = ElementList(doc.get_movable_list(f"{prefix}entries"), "entry")
        self._objects = ObjectKind(schema.entry_schema.fields)

    def fill(self, content: LogContent | None, stamp: EditStamp) -> None:
        """Write the first entries with the times and authors that they come with."""
        entries = () if content is None else content.entries
        ids = self._entries.free_ids([entry.id for entry in entries], stamp)
        for entry, id_ in zip(entries, ids, strict=True):
            map_ = self._entries.insert(len(self._entries), id_)
            for key, value in ((TIMESTAMP, entry.timestamp), (AUTHOR, entry.author)):
                if value is not None:
                    map_.insert(key, check_text(value))
            self._objects.write_content(map_, entry.fields, stamp)

    def apply(self, operation: Operation, stamp: EditStamp) -> tuple[str, ...] | None:
        match operation:
            case AppendEntry():
                return (self._append(operation, stamp),)
            case RemoveEntry(entry):
                self._entries.remove(entry)
                return (entry,)
        raise wrong_schema(operation, "log")

    def content(self, cache: ElementCache) -> LogContent:
        """All entries, the one that was written first at the beginning."""
        return LogContent(tuple(cache.read(map_, self._read) for _, map_ in self._entries.maps()))

    def become(self, content: LogContent, cache: ElementCache) -> None:
        """Make the entries these; those that come back have the times and authors that they had."""
        arranged = self._entries.arrange([check_text(entry.id) for entry in content.entries])
        for (map_, is_new), entry in zip(arranged, content.entries, strict=True):
            if cache.of(map_) is not entry:
                self._write(map_, entry, new=is_new)

    def texts(self) -> dict[str, LoroText]:
        return {}

    def _write(self, map_: LoroMap, entry: LogEntry, *, new: bool) -> None:
        for key, value in ((TIMESTAMP, entry.timestamp), (AUTHOR, entry.author)):
            if value is not None and scalar_in(map_, key) != value:
                map_.insert(key, check_text(value))
        self._objects.become(map_, entry.fields, new=new)

    def _append(self, operation: AppendEntry, stamp: EditStamp) -> str:
        value = self._objects.checked(operation.fields)
        author = check_text(stamp.author)
        item = self._entries.free_id(operation.id, stamp)
        map_ = self._entries.insert(len(self._entries), item)
        if self._schema.timestamp:
            map_.insert(TIMESTAMP, write_time(stamp.at))
        if self._schema.agent_id:
            map_.insert(AUTHOR, author)
        self._objects.write(map_, value, stamp)
        return item

    def _read(self, map_: LoroMap, cache: LogEntry | None) -> LogEntry:
        if cache is not None:
            return cache
        timestamp = scalar_in(map_, TIMESTAMP) if self._schema.timestamp else None
        author = scalar_in(map_, AUTHOR) if self._schema.agent_id else None
        fields = self._objects.read(map_)
        return LogEntry(
            id_of(map_),
            timestamp if isinstance(timestamp, str) else None,
            author if isinstance(author, str) else None,
            {} if isinstance(fields, str) else fields,
        )
