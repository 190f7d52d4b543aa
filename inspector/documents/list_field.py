"""A list field of a map's document: a movable list of scalars with ids."""

from __future__ import annotations

from loro import LoroMovableList

from inspector.documents.elements import ElementList, id_of
from inspector.documents.stamp import EditStamp
from inspector.documents.stored import VALUE, opcodes, same, scalar_in
from inspector.domain.blocks import FieldDef, FieldScalar
from inspector.domain.content import FieldEntry
from inspector.domain.value_checks import check_element, check_text, refuse


class ListField:
    """The elements of one list field."""

    def __init__(self, container: LoroMovableList, field: FieldDef) -> None:
        self._elements = ElementList(container, "element")
        self._field = field

    def entries(self) -> tuple[FieldEntry, ...]:
        return tuple(FieldEntry(id_of(map_), scalar_in(map_, VALUE)) for _, map_ in self._elements.maps())

    def fill(self, entries: tuple[FieldEntry, ...], stamp: EditStamp) -> None:
        ids = self._elements.free_ids([entry.id for entry in entries], stamp)
        for entry, id_ in zip(entries, ids, strict=True):
            self._insert(len(self._elements), id_, entry.value)

    def set(self, values: tuple[FieldScalar, ...], stamp: EditStamp) -> bool:
        """Make the elements these checked values; those that stay keep their ids. Tells whether any changed."""
        present = list(self._elements.maps())
        places = [index for index, _ in present] + [len(self._elements)]
        steps = opcodes((scalar_in(map_, VALUE) for _, map_ in present), values)
        changes = [step for step in steps if step[0] != "equal"]
        # From the end, so that the places before stay what they are.
        for _, old_from, old_to, new_from, new_to in reversed(changes):
            replaced = min(old_to - old_from, new_to - new_from)
            for index in range(old_to - 1, old_from + replaced - 1, -1):
                self._elements.remove_at(places[index])
            for offset in range(replaced):
                present[old_from + offset][1].insert(VALUE, values[new_from + offset])
            for offset in range(replaced, new_to - new_from):
                at = places[old_from + replaced] + offset - replaced
                self._insert(at, stamp.new_id(), values[new_from + offset])
        return bool(changes)

    def become(self, entries: tuple[FieldEntry, ...]) -> None:
        """Make the elements these, each with its id.

        Raises:
            RefusedError: when a value that is not there yet breaks the field's rules.
        """
        present = self.entries()
        existing = {(entry.id, type(entry.value), entry.value) for entry in present}
        for entry in entries:
            if (entry.id, type(entry.value), entry.value) not in existing:
                check_element(self._field, entry.value)
        maps = self._elements.arrange([check_text(entry.id) for entry in entries])
        for (map_, _), entry in zip(maps, entries, strict=True):
            if not same(scalar_in(map_, VALUE), entry.value):
                map_.insert(VALUE, entry.value)

    def append(self, value: FieldScalar, stamp: EditStamp, item: str | None = None) -> str:
        """Add an element, and give its id: `item` if that is given, else a new one.

        Raises:
            RefusedError: when the value breaks the field's rules, or ``refused.id_taken``.
        """
        check_element(self._field, value)
        made = self._elements.free_id(item, stamp)
        self._insert(len(self._elements), made, value)
        return made

    def remove(self, item: str) -> None:
        """Remove an element.

        Raises:
            RefusedError: when it is not there, or is the last of a required field.
        """
        index = self._elements.find(item)[0]
        if self._field.required and len(self._elements) == 1:
            raise refuse("refused.required", field=self._field.name)
        self._elements.remove_at(index)

    def move(self, item: str, before: str | None) -> bool:
        """Move an element before another, or to the end. Tells whether its place changed."""
        return self._elements.move(item, before)

    def _insert(self, index: int, item: str, value: FieldScalar) -> None:
        self._elements.insert(index, item).insert(VALUE, value)
