"""The table of the program's settings: the group, label and unit of each setting, and the words that find it."""

from __future__ import annotations

from inspector.domain.dataclass import dataclass
from inspector.domain.layout_rules import MOST_TOKENS
from inspector.domain.settings import Setting
from inspector.runtime.settings import (
    EXTRACTIVE,
    NETWORK_OFFLINE,
    QUEUE_AT_ONCE,
    QUEUE_ATTEMPTS,
    QUEUE_POLL,
    SUMMARIES_TIMEOUT,
    SUMMARIES_WITHOUT_MODEL,
)
from inspector.ui.agent_settings.field_table import InputKind, SettingField
from inspector.ui.wording import tr


@dataclass(frozen=True, slots=True)
class SettingLook:
    """How a setting is presented.

    Attributes:
        label: What a person calls it.
        unit: What a number counts. ``%`` also says that it is stored as a share.
        choices: The stored values with their titles, if only these are taken.
        words: What else a person may look for.
    """

    label: str
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class SettingSubject:
    """The settings of one subject, by their stored names."""

    id: str
    title: str
    looks: dict[str, SettingLook]


OTHER, KEYS, SENDING = "other", "keys", "sending"


def subjects() -> tuple[SettingSubject, ...]:
    """All groups of settings in the order of the dialog."""
    return (
        SettingSubject("appearance", tr("Appearance"), _appearance()),
        SettingSubject("identity", tr("Identity"), _identity()),
        SettingSubject(KEYS, tr("Keys"), {}),
        SettingSubject(SENDING, tr("Sending"), _sending()),
        SettingSubject("request", tr("Request"), _request()),
        SettingSubject("budget", tr("Budget"), _budget()),
        SettingSubject("summaries", tr("Summaries"), _summaries()),
        SettingSubject("queue", tr("Queue"), _queue()),
        SettingSubject("files", tr("Files"), _files()),
    )


def plain_look(row: Setting) -> SettingLook:
    """The look of a setting that the table doesn't have, named by its declaration."""
    label = row.name.rpartition(".")[2].replace("_", " ").capitalize()
    return SettingLook(label, choices=tuple((each, each) for each in row.choices))


def field_of(row: Setting, look: SettingLook) -> SettingField:
    """A setting as a field of the form."""
    return SettingField(
        row.name,
        look.label,
        tr(row.description),
        _kind(row, look),
        look.unit,
        row.default,
        least=row.minimum or 0,
        most=MOST_TOKENS if row.maximum is None else row.maximum,
    )


def _kind(row: Setting, look: SettingLook) -> InputKind:
    if isinstance(row.default, bool):
        return InputKind.SWITCH
    if look.choices:
        return InputKind.CHOICE
    if isinstance(row.default, int):
        return InputKind.WHOLE
    if isinstance(row.default, float):
        return InputKind.SHARE if look.unit == "%" else InputKind.DECIMAL
    return InputKind.LINE


def _appearance() -> dict[str, SettingLook]:
    themes = (("system", tr("Same as the system")), ("light", tr("Light")), ("dark", tr("Dark")))
    fonts = (("shipped", tr("Inter and JetBrains Mono")), ("system", tr("Same as the system")))
    return {
        "window.theme": SettingLook(
            tr("Theme"), choices=themes, words=tr("colour color dark light mode look")
        ),
        "window.text_scale": SettingLook(
            tr("Text size"), "%", words=tr("font zoom scale large small bigger smaller")
        ),
        "window.fonts": SettingLook(tr("Fonts"), choices=fonts, words=tr("typeface letters mono")),
        "window.detail_folded": SettingLook(tr("Folded Detail"), words=tr("panel line collapse")),
        "navigator.show_empty_groups": SettingLook(tr("Empty groups"), words=tr("navigator hide")),
    }


def _identity() -> dict[str, SettingLook]:
    return {
        "identity.name": SettingLook(tr("Name"), words=tr("user author who")),
        "identity.id": SettingLook(tr("ID"), words=tr("user author who partner")),
    }


def _sending() -> dict[str, SettingLook]:
    words = tr("network internet connection airplane privacy loopback localhost")
    return {NETWORK_OFFLINE: SettingLook(tr("Work offline"), words=words)}


def _request() -> dict[str, SettingLook]:
    return {
        "time.zone": SettingLook(tr("Time zone"), words=tr("clock date hour")),
        "compare.list": SettingLook(tr("List in Compare"), words=tr("sent requests several")),
        "request.cache_marks": SettingLook(tr("Cache marks"), words=tr("prompt cache breakpoint provider")),
        "request.format_json": SettingLook(tr("Format JSON"), words=tr("pretty indent")),
    }


def _budget() -> dict[str, SettingLook]:
    return {
        "budget.warning_share": SettingLook(tr("Warning from"), "%", words=tr("limit threshold full yellow")),
        "budget.error_share": SettingLook(tr("Error from"), "%", words=tr("limit threshold full red")),
        "budget.flat": SettingLook(tr("Flat list"), words=tr("sections")),
        "budget.since_sent": SettingLook(tr("Column Since sent"), words=tr("last sent change delta")),
        "budget.cache": SettingLook(tr("Column Cache"), words=tr("prompt cache hit")),
    }


def _summaries() -> dict[str, SettingLook]:
    ways = (("problem", tr("Report a problem")), (EXTRACTIVE, tr("Extract sentences")))
    return {
        SUMMARIES_WITHOUT_MODEL: SettingLook(tr("Without a model"), choices=ways),
        SUMMARIES_TIMEOUT: SettingLook(tr("Time limit"), tr("s"), words=tr("timeout seconds wait")),
    }


def _queue() -> dict[str, SettingLook]:
    return {
        QUEUE_POLL: SettingLook(tr("Look every"), tr("s"), words=tr("poll interval seconds agents")),
        QUEUE_AT_ONCE: SettingLook(tr("Agents at once"), words=tr("parallel concurrent running")),
        QUEUE_ATTEMPTS: SettingLook(tr("Tries"), words=tr("retry attempts dead letters failed")),
    }


def _files() -> dict[str, SettingLook]:
    return {"window.reopen_last": SettingLook(tr("Reopen last file"), words=tr("start launch session"))}
