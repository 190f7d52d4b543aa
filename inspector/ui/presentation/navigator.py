"""The navigator's rows of agents and blocks."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from inspector.domain.blocks import BlockType
from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.ref import Ref, RefKind
from inspector.ui.models.tree import TreeRow
from inspector.ui.wording import counted, number, tr, tr_count


class RowKind(StrEnum):
    """How a row is drawn."""

    AGENT = "agent"
    GROUP = "group"
    BLOCK = "block"
    LIST = "list"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Badge:
    """A short remark at a row's right end. `tone` is a purpose of the theme; `icon` a name of the icon family."""

    text: str = ""
    tone: str = "muted"
    icon: str = ""
    spoken: str = ""
    yields: bool = False
    """Whether it goes first where there is no room."""


@dataclass(frozen=True, slots=True)
class NavigatorBlock:
    """A block as the navigator shows it. `filled` is the share of its character limit, None without one."""

    id: str
    label: str
    block_type: BlockType
    count: Count | None = None
    filled: float | None = None
    pinned: bool = False
    read_only: bool = False
    draft: bool = False
    changed_elsewhere: bool = False
    left_out: bool = False
    in_part: bool = False
    problem: str = ""
    owner_name: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class NavigatorCounts:
    """How much there is of what is not a block; None where it is not known."""

    archival: int | None = None
    messages: int | None = None
    summaries: int | None = None
    activity: int | None = None
    queue: int | None = None
    consent: int | None = None
    sharing: int | None = None
    running: bool = False


@dataclass(frozen=True, slots=True)
class NavigatorAgent:
    """An agent with what is under it. `loaded` False: what is under it has not been asked for yet."""

    id: str
    name: str
    count: Count | None = None
    shown: bool = False
    loaded: bool = True
    own: tuple[NavigatorBlock, ...] = ()
    shared: tuple[NavigatorBlock, ...] = ()
    deleted: tuple[NavigatorBlock, ...] = ()
    counts: NavigatorCounts = NavigatorCounts()
    state: str = ""
    """What it does in this window, in a word; nothing where it was not started here."""
    state_tone: str = ""


@dataclass(frozen=True, slots=True)
class NavigatorState:
    """Everything the navigator shows. Blocks filled beyond `near_limit` are marked."""

    near_limit: float
    agents: tuple[NavigatorAgent, ...] = ()
    show_empty: bool = False


@dataclass(frozen=True, slots=True)
class NavigatorRow:
    """One row as it is drawn. `section` gives the colour of its mark, ``""`` for none."""

    kind: RowKind
    title: str
    badges: tuple[Badge, ...] = ()
    section: str = ""
    ref: Ref | None = None
    agent_id: str = ""
    quiet: bool = False
    strong: bool = False
    tip: str = ""

    @property
    def spoken(self) -> str:
        return ", ".join([self.title, *(each.spoken or each.text for each in self.badges)])


_GROUPS = (
    (BlockType.CORE, "core", "Core"),
    (BlockType.WORKING, "working", "Working"),
    (BlockType.LOG, "log", "Log"),
)
LISTS = (
    ("archival", "Archival entries"),
    ("messages", "Messages"),
    ("summaries", "Summaries"),
    ("activity", "Activity"),
    ("queue", "Queue"),
    ("consent", "Approvals"),
    ("sharing", "Sharing"),
)
"""What is under an agent and no block: field of `NavigatorCounts`, name. A row's Ref is a section of that name."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What rows are made from. `made` holds the block rows of the state before."""

    state: NavigatorState
    wanted: list[str]
    made: dict[tuple[str, ...], tuple[NavigatorBlock, float, TreeRow]]


class NavigatorRows:
    """Makes the rows of one state after another; a block that is the same object gives the same row object."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, ...], tuple[NavigatorBlock, float, TreeRow]] = {}

    def rows(self, state: NavigatorState, words: str = "") -> tuple[TreeRow, ...]:
        """The rows of a state; with `words`, only what has all of them in its name or description."""
        asked = _Asked(state, words.casefold().split(), self._made)
        rows = (_agent_row(agent, asked) for agent in state.agents)
        return tuple(
            row for row in rows if row.children or not asked.wanted or _fits(asked.wanted, row.value.title)
        )

    def forget(self) -> None:
        self._made.clear()


def navigator_rows(state: NavigatorState, words: str = "") -> tuple[TreeRow, ...]:
    """Make the rows of a navigator once, without a cache."""
    return NavigatorRows().rows(state, words)


def list_ref(agent_id: str, name: str) -> Ref:
    """What selecting one of an agent's lists points at."""
    return Ref(RefKind.SECTION, agent_id, name)


def block_key(agent_id: str, place: str, block_id: str) -> tuple[str, ...]:
    """The key of a block's row: a block can stand under several agents."""
    return ("block", agent_id, place, block_id)


def _agent_row(agent: NavigatorAgent, asked: _Asked) -> TreeRow:
    wanted = asked.wanted
    value = NavigatorRow(
        RowKind.AGENT,
        agent.name,
        _agent_badges(agent),
        ref=Ref(RefKind.AGENT, agent.id),
        agent_id=agent.id,
        strong=True,
    )
    if not agent.loaded:
        waiting = NavigatorRow(RowKind.WAIT, tr("Loading …"), agent_id=agent.id, quiet=True)
        below: tuple[TreeRow, ...] = () if wanted else (TreeRow(("wait", agent.id), waiting, enabled=False),)
    else:
        below = (*_block_groups(agent, asked), *_lists(agent, wanted))
    return TreeRow(("agent", agent.id), value, below)


def _agent_badges(agent: NavigatorAgent) -> tuple[Badge, ...]:
    badges = [Badge(agent.state, agent.state_tone)] if agent.state else []
    if agent.count is not None:
        badges.append(_tokens_badge(agent.count))
    return tuple(badges)


def _block_groups(agent: NavigatorAgent, asked: _Asked) -> list[TreeRow]:
    wanted = asked.wanted
    places = [
        (place, tr(title), [each for each in agent.own if each.block_type is kind], place)
        for kind, place, title in _GROUPS
    ]
    archival = [each for each in agent.own if each.block_type is BlockType.ARCHIVAL]
    places += [
        ("shared", tr("Shared with {agent}", agent=agent.name), list(agent.shared), "shared"),
        ("archival", tr("Archival blocks"), archival, "retrieved"),
        ("deleted", tr("Deleted"), list(agent.deleted), "hints"),
    ]
    groups = []
    for place, title, blocks, section in places:
        rows = tuple(
            _block_row(agent, block, section, place, asked)
            for block in blocks
            if not wanted or _fits(wanted, block.label, block.description, block.owner_name)
        )
        if rows or (asked.state.show_empty and not wanted):
            counted = place in ("archival", "deleted")
            badges = (
                Badge(number(len(rows)), spoken=tr_count("{count} block", "{count} blocks", len(rows))),
            )
            value = NavigatorRow(
                RowKind.GROUP,
                title,
                badges if counted else (),
                agent_id=agent.id,
                quiet=True,
                tip=_GROUP_TIPS[place](),
            )
            groups.append(TreeRow(("group", agent.id, place), value, rows))
    return groups


_GROUP_TIPS = {
    "core": lambda: tr("Always included"),
    "working": lambda: tr("Included while there is room"),
    "log": lambda: tr("The newest entries are included"),
    "shared": lambda: tr("Blocks that others share with this agent"),
    "archival": lambda: tr("Never in the prompt, found by search"),
    "deleted": lambda: tr("You can restore these"),
}


def _block_row(
    agent: NavigatorAgent, block: NavigatorBlock, section: str, place: str, asked: _Asked
) -> TreeRow:
    key = block_key(agent.id, place, block.id)
    cached = asked.made.get(key)
    if cached is not None and cached[0] is block and cached[1] == asked.state.near_limit:
        return cached[2]
    row = TreeRow(key, _block_value(agent, block, section, place, asked.state))
    asked.made[key] = (block, asked.state.near_limit, row)
    return row


def _block_value(
    agent: NavigatorAgent, block: NavigatorBlock, section: str, place: str, state: NavigatorState
) -> NavigatorRow:
    owner = _owner_text(block.owner_name) if block.owner_name else ""
    return NavigatorRow(
        RowKind.BLOCK,
        block.label,
        _block_badges(block, place, state),
        section=section,
        ref=Ref(RefKind.BLOCK, block.id),
        agent_id=agent.id,
        quiet=block.left_out or place == "deleted",
        tip="\n".join(each for each in (block.label, owner, block.description, block.problem) if each),
    )


def _owner_text(name: str) -> str:
    return tr("owned by {name}", name=name)


def _block_badges(block: NavigatorBlock, place: str, state: NavigatorState) -> tuple[Badge, ...]:
    badges = []
    if block.problem:
        badges.append(Badge(icon="warning", tone="error", spoken=tr("problem: {told}", told=block.problem)))
    if block.changed_elsewhere:
        badges.append(Badge("●", "info", spoken=tr("changed elsewhere")))
    if block.draft:
        badges.append(Badge(tr("draft"), "warning", spoken=tr("unsaved draft")))
    if block.filled is not None and block.filled >= state.near_limit:
        text = f"{number(round(100 * block.filled))} %"
        badges.append(Badge(text, "warning", spoken=tr("{share} of its character limit", share=text)))
    badges += _size_badges(block, is_sent=place not in ("deleted", "archival"))
    if block.pinned:
        badges.append(Badge(icon="pin", spoken=tr("pinned")))
    if block.read_only:
        badges.append(Badge(icon="lock", spoken=tr("read-only for the agent")))
    if block.owner_name:
        badges.insert(0, Badge(block.owner_name, spoken=_owner_text(block.owner_name), yields=True))
    return tuple(badges)


def _size_badges(block: NavigatorBlock, *, is_sent: bool) -> Iterator[Badge]:
    if block.left_out and is_sent:
        yield Badge(tr("left out"))
        return
    if block.in_part:
        yield Badge(tr("in part"))
    if block.count is not None:
        yield _tokens_badge(block.count)


def _tokens_badge(count: Count) -> Badge:
    return Badge(counted(count), spoken=tr_count("{count} token", "{count} tokens", count.tokens))


def _lists(agent: NavigatorAgent, wanted: list[str]) -> list[TreeRow]:
    rows = []
    for name, title in LISTS:
        count: int | None = getattr(agent.counts, name)
        text = tr(title)
        if not _fits(wanted, text):
            continue
        waiting = name == "consent" and bool(count)
        badges = [] if count is None else [Badge(number(count), "warning" if waiting else "muted")]
        if name == "activity" and agent.counts.running:
            badges.insert(0, Badge("●", "ok", spoken=tr("live")))
        value = NavigatorRow(
            RowKind.LIST, text, tuple(badges), ref=list_ref(agent.id, name), agent_id=agent.id
        )
        rows.append(TreeRow(("list", agent.id, name), value))
    return rows


def _fits(wanted: list[str], *texts: str) -> bool:
    joined = "\n".join(texts).casefold()
    return all(word in joined for word in wanted)
