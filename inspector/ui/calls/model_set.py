"""Several models that one Request is sent to: read from a line of names, kept as saved sets, asked for in a dialog."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from inspector.domain.calls import OFFLINE
from inspector.domain.wire.values import WireForm
from inspector.ui.call_maker import CallDraft
from inspector.ui.widgets.prompt import FormDialog, FormField
from inspector.ui.wording import number, tr, tr_count

MOST_MODELS = 6
"""As many replies stand side by side."""
MOST_SETS = 12
_PROVIDERS = frozenset({OFFLINE, *(each.value for each in WireForm)})


def drafts_of(line: str, draft: CallDraft) -> tuple[CallDraft, ...]:
    """The drafts that a line of models asks for, each once, in its order.

    ``gpt-5-mini, anthropic:claude-opus-5-5`` is the first at the draft's own address and the second at its provider's.
    """
    drafts: dict[tuple[str, str], CallDraft] = {}
    for name in filter(None, (each.strip() for each in line.split(","))):
        provider, colon, model = name.partition(":")
        if colon and provider in _PROVIDERS and model:
            made = replace(draft, provider=provider, form=None, model=model)
        else:
            # Names of local models have colons, too.
            made = replace(draft, model=name)
        drafts[made.provider, made.model] = made
    return tuple(drafts.values())


def with_set(sets: Sequence[str], line: str) -> tuple[str, ...]:
    """The saved sets with one more in front, the oldest dropped where they are too many."""
    return (line, *(each for each in sets if each != line))[:MOST_SETS]


def ask_models(parent: QWidget, sets: Sequence[str], own: str, done: Callable[[str], None]) -> None:
    """Ask for a line of models; saved sets are offered."""
    fields = (
        FormField(
            "models",
            tr("Models"),
            sets[0] if sets else own,
            required=True,
            offers=tuple(sets) or (own,),
            fault=_fault,
            note=lambda line: tr_count("{count} call.", "{count} calls at the same time.", _count(line)),
        ),
    )

    def take(values: Mapping[str, str]) -> None:
        done(values["models"].strip())

    FormDialog(parent, tr("Send to several models"), fields, tr("Send"), take).open()


def _count(line: str) -> int:
    return len(drafts_of(line, CallDraft()))


def _fault(line: str) -> str:
    count = _count(line)
    if count < 2:
        return tr(
            "Enter two or more models with commas between them, such as gpt-5-mini, anthropic:claude-opus-5-5."
        )
    return tr("Enter at most {count} models.", count=number(MOST_MODELS)) if count > MOST_MODELS else ""
