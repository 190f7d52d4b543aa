"""Changes of the file in words: what was saved, and what an undo or redo would do next."""

from __future__ import annotations

from inspector.domain.changes import Change
from inspector.domain.edits.block_rows import SetLabel, SetPinned
from inspector.domain.edits.rows import ArchiveMessage, ConfigureAgent, CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.domain.undo import UndoneStep, UndoStep
from inspector.runtime.wording import catalogue
from inspector.ui.file_state import FileState, SavedChange, TurnedStep
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tr, tr_code, tr_count

_CONTENT = "content"
"""What every operation on the content of a block is called."""
_NAME_LENGTH, _TEXT_LENGTH = 40, 90
_BY_REASON = (ConfigureAgent.op, ArchiveMessage.op)
"""Operations that say little by themselves: what was set, and to what, is their reason."""
_KIND_NAMES = {
    RefKind.CONSTELLATION: lambda: tr("file"),
    RefKind.FILE: lambda: tr("file"),
    RefKind.ARCHIVAL: lambda: tr("archival entry"),
    RefKind.TOOL_RULE: lambda: tr("tool rule"),
    RefKind.CONTEXT_STATE: lambda: tr("context state"),
}


def saved_text(saved: SavedChange, file: FileState) -> str:
    """What was saved, as a sentence."""
    if saved.text:
        return saved.text
    if saved.count > 1:
        return tr_count("Saved {count} change.", "Saved {count} changes.", saved.count)
    operation, name = saved.edit.operation, name_of_ref(saved.ref, file)
    if isinstance(operation, SetPinned):
        return tr("{name} pinned.", name=name) if operation.pinned else tr("{name} unpinned.", name=name)
    if isinstance(operation, ArchiveMessage):
        return tr("Message archived.") if operation.archived else tr("Message restored.")
    if isinstance(operation, SetLabel):
        name = one_line(operation.label, _NAME_LENGTH)
    elif isinstance(operation, CreateAgent) or hasattr(operation, "label"):
        name = one_line(getattr(operation, "label", "") or getattr(operation, "name", ""), _NAME_LENGTH)
    return tr_code(f"saved.{_code(saved.edit.operation.op, saved.ref)}", {"name": name})


def turned_text(turned: TurnedStep, file: FileState) -> str:
    """What was undone or redone, and what had to be left, as sentences."""
    what = step_text(turned.result.step, file)
    first = tr("Redone: {what}.", what=what) if turned.redone else tr("Undone: {what}.", what=what)
    return " ".join((first, *_left(turned.result, file)))


def step_text(step: UndoStep, file: FileState) -> str:
    """What a step did, in a few words: ``rename notes``."""
    if len(step.changes) > 1 and len({change.ref for change in step.changes}) > 1:
        reason = one_line(step.changes[-1].reason, _TEXT_LENGTH)
        return reason.removesuffix(".") or tr_count("{count} change", "{count} changes", len(step.changes))
    return change_text(step.changes[-1], file)


def change_text(change: Change, file: FileState) -> str:
    """What one change did, in a few words."""
    if change.kind in _BY_REASON and change.reason:
        return one_line(change.reason, _TEXT_LENGTH).removesuffix(".")
    code, name = _code(change.kind, change.ref), name_of_ref(change.ref, file)
    what = tr_code(f"change.{code}", {"name": name})
    if code != _CONTENT or not change.reason:
        return what
    reason = one_line(change.reason, _TEXT_LENGTH).removesuffix(".")
    return reason if name in reason else tr("{what} ({reason})", what=what, reason=reason)


def name_of_ref(ref: Ref, file: FileState) -> str:
    """What a person calls what was changed: by name where it has one, else by its kind."""
    if ref.kind is RefKind.AGENT:
        # One that comes back with a redo is not read yet.
        name = next((each.name for each in file.agents if each.id == ref.id), tr("an agent"))
    elif ref.kind in (RefKind.BLOCK, RefKind.ATTACHMENT):
        name = file.label(ref.id)
    else:
        kind = _KIND_NAMES[ref.kind]() if ref.kind in _KIND_NAMES else tr(ref.kind.value)
        # Only these ids are names that a person has given.
        is_named = ref.kind in (RefKind.TOOL, RefKind.LAYOUT)
        name = tr("{kind} {id}", kind=kind, id=ref.id) if is_named else kind
    return one_line(name, _NAME_LENGTH)


def _left(result: UndoneStep, file: FileState) -> list[str]:
    skipped = {name_of_ref(ref.whole, file) for ref in result.skipped}
    left = (
        [tr("Changed since and left unchanged: {what}.", what=", ".join(sorted(skipped)))] if skipped else []
    )
    if result.passed:
        text = ("Skipped {count} newer change.", "Skipped {count} newer changes.")
        left.append(tr_count(*text, len(result.passed)))
    return left


def _code(op: str, ref: Ref) -> str:
    """The operation's own code where there are words for it; all others change contents or rows alike."""
    if f"change.{op}" in catalogue():
        return op
    return _CONTENT if ref.kind is RefKind.BLOCK else "other"
