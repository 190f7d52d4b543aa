"""Who did what in the journal, in words: for the versions of a block and the changes of the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from inspector.domain.actor import Actor, ActorKind
from inspector.domain.changes import ChangeRole
from inspector.domain.edits.history import TakeBack
from inspector.runtime.wording import catalogue
from inspector.ui.wording import tr, tr_code

_KINDS = {
    ActorKind.AGENT: lambda: tr("agent"),
    ActorKind.HUMAN: lambda: tr("person"),
    ActorKind.PARTNER: lambda: tr("partner"),
    ActorKind.SYSTEM: lambda: tr("system"),
    ActorKind.IMPORT: lambda: tr("import"),
}
_TURNED = {ChangeRole.UNDONE: lambda: tr("Undone"), ChangeRole.REDONE: lambda: tr("Redone")}


def who(actor: Actor, oneself: Actor | None) -> str:
    """A name with what kind of actor it is, where the name alone doesn't say."""
    if actor == oneself:
        return tr("{name} (you)", name=actor.name)
    kind = _KINDS[actor.kind]()
    return actor.name if actor.name == kind else tr("{name} · {kind}", name=actor.name, kind=kind)


def operation_name(operation: str) -> str:
    """What was done, as a person says it; one that this version doesn't know by its stored name."""
    code = f"operation.{operation}"
    return tr_code(code) if code in catalogue() else operation.replace("_", " ")


def operation_names(operations: Sequence[str], role: ChangeRole = ChangeRole.DONE) -> str:
    """What was done together, each once with how often."""
    if role in _TURNED and set(operations) == {TakeBack.op}:
        # Both are stored as the same operation, whose name says no more than the role.
        return _TURNED[role]()
    turned = {TakeBack.op: tr("Content changed")} if role in _TURNED else {}
    counts = Counter(turned.get(each) or operation_name(each) for each in operations)
    names = [
        name if count == 1 else tr("{name} ({count})", name=name, count=count)
        for name, count in counts.items()
    ]
    what = ", ".join(names)
    if role is ChangeRole.UNDONE:
        return tr("Undo: {what}", what=what)
    return tr("Redo: {what}", what=what) if role is ChangeRole.REDONE else what
