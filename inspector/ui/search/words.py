"""Words of the search panel: names of sides and kinds, titles of hits, and what was found in how many Requests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from inspector.domain.blocks import CONSTELLATION_OWNER
from inspector.domain.messages import Role
from inspector.domain.ref import Ref, RefKind
from inspector.domain.search import VERSION, Facet, Hit, SentOnce, SentText
from inspector.ui.presentation.names import kind_name as event_name
from inspector.ui.safe_text import one_line
from inspector.ui.wording import moment, number, tr, tr_count


def facet_title(facet: Facet) -> str:
    """The heading of a side."""
    titles = {
        Facet.KIND: tr("Kind"),
        Facet.OWNER: tr("Agent"),
        Facet.ROLE: tr("Role"),
        Facet.MONTH: tr("Month"),
    }
    return titles[facet]


def kind_name(kind: str) -> str:
    """What hits of a kind are called, in the plural."""
    names = {
        RefKind.BLOCK.value: tr("Blocks"),
        RefKind.MESSAGE.value: tr("Messages"),
        RefKind.ARCHIVAL.value: tr("Archival entries"),
        RefKind.SUMMARY.value: tr("Summaries"),
        RefKind.TOOL.value: tr("Tools"),
        RefKind.EVENT.value: tr("Activity"),
        VERSION: tr("Past versions"),
    }
    return names.get(kind, kind)


def value_name(facet: Facet, value: str, names: Mapping[str, str]) -> str:
    """A value of a side as people say it; `names` are the owners'."""
    if facet is Facet.KIND:
        return kind_name(value)
    if facet is Facet.OWNER:
        return owner_name(value, names)
    if facet is Facet.ROLE:
        roles = {
            Role.USER.value: tr("User"),
            Role.ASSISTANT.value: tr("Assistant"),
            Role.SYSTEM.value: tr("System"),
            Role.TOOL.value: tr("Tool"),
        }
        return roles.get(value, value)
    try:
        return f"{date.fromisoformat(value + '-01'):%b %Y}"
    except ValueError:
        return value


def owner_name(owner: str | None, names: Mapping[str, str]) -> str:
    """Whose something is, as people say it."""
    if owner is None:
        return ""
    return tr("all agents") if owner == CONSTELLATION_OWNER else names.get(owner, owner)


def hit_name(hit: Hit) -> str:
    """What a hit is called in the list."""
    title = hit.title.text.partition("\n")[0]
    if hit.version is not None:
        return tr("{label}, version {number}", label=title, number=number(hit.version))
    if hit.role is not None:
        return value_name(Facet.ROLE, hit.role, {})
    if hit.ref.kind is RefKind.EVENT and title:
        return one_line(event_name(title))
    plain = {RefKind.SUMMARY: tr("Summary"), RefKind.ARCHIVAL: tr("Archival entry")}
    return one_line(title) or plain.get(hit.ref.kind, kind_name(hit.ref.kind.value))


def goes_words(ref: Ref) -> str:
    """What Return does while the text that is looked for is the id of a thing."""
    id_ = one_line(ref.id)
    titles = {
        RefKind.AGENT: tr("Return goes to agent {id}.", id=id_),
        RefKind.ARCHIVAL: tr("Return goes to archival entry {id}.", id=id_),
        RefKind.BATCH: tr("Return goes to turn {id}.", id=id_),
        RefKind.BLOCK: tr("Return goes to block {id}.", id=id_),
        RefKind.CONSENT: tr("Return goes to request for approval {id}.", id=id_),
        RefKind.EVENT: tr("Return goes to event {id}.", id=id_),
        RefKind.GRANT: tr("Return goes to standing approval {id}.", id=id_),
        RefKind.MESSAGE: tr("Return goes to message {id}.", id=id_),
        RefKind.QUEUE: tr("Return goes to queued message {id}.", id=id_),
        RefKind.RUN: tr("Return goes to call {id}.", id=id_),
        RefKind.SUMMARY: tr("Return goes to summary {id}.", id=id_),
        RefKind.TOOL: tr("Return goes to tool {id}.", id=id_),
        RefKind.WAKEUP: tr("Return goes to wakeup {id}.", id=id_),
    }
    return titles[ref.kind]


def sent_count(found: SentText, what: str) -> str:
    """In how many sent Requests something stood. `what` names it."""
    if not found.total:
        return tr("No Request was sent from this file yet.")
    if found.first is None or found.last is None:
        return tr("{what}: in none of {total} sent Requests.", what=what, total=number(found.total))
    return tr_count(
        "{what}: in {count} of {total} sent Requests.",
        "{what}: in {count} of {total} sent Requests.",
        found.count,
        what=what,
        total=number(found.total),
    )


def sent_place(once: SentOnce) -> str:
    """Which sent Request it is: the run and its model."""
    return tr("{run}, {model}", run=once.run_id, model=once.model)


def sent_words(found: SentText, what: str, now: datetime) -> str:
    """In which sent Requests something stood, in a sentence or two. `what` names it."""
    count = sent_count(found, what)
    if found.first is None or found.last is None:
        return count
    first = tr("First {when} ({place}).", when=moment(found.first.at, now), place=sent_place(found.first))
    last = tr("Last {when} ({place}).", when=moment(found.last.at, now), place=sent_place(found.last))
    return f"{count} {first}" if found.count == 1 else f"{count} {first} {last}"
