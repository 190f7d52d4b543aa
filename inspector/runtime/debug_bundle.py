"""A bundle for bug reports on a constellation: its structure, counts, reasons and figures, and no text of it."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import platform
import re
import secrets
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from inspector import __version__
from inspector.domain.agents import Agent, AgentStatus
from inspector.domain.blocks import Block, BlockType, UnreadableSchema
from inspector.domain.codec import to_plain
from inspector.domain.counts import Method
from inspector.domain.errors import InspectorError, Problem, Severity
from inspector.domain.lint import Finding, LintRule
from inspector.domain.messages import BatchType, Role
from inspector.domain.ref import RefKind
from inspector.domain.requests import SourceKind
from inspector.domain.snapshot import BlockState, RequestSpec
from inspector.exchange.atomic_write import place_file
from inspector.runtime.catalogues import shipped_layouts, shipped_models
from inspector.runtime.engine import Engine
from inspector.runtime.rendering import counted_characters
from inspector.runtime.wording import catalogue
from inspector.storage.connection import SQLITE_VERSION

_ENUMS: tuple[type[StrEnum], ...] = (
    *(AgentStatus, BlockType, Method, Severity, LintRule, BatchType, Role, RefKind, SourceKind),
)
_LIBRARIES = ("PySide6_Essentials", "qasync", "loro", "aiosqlite", "tiktoken", "click", "rapidfuzz")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)")


class TextMask:
    """Puts a mark in place of every text that isn't a word of the program itself.

    A mark gives the length and a salted hash: the same text has the same mark in one bundle, and another in the next.
    """

    def __init__(self) -> None:
        self._salt = secrets.token_bytes(16)
        self._own = _own_words()

    def text(self, value: str) -> str:
        """The text itself if it is a word of the program, a figure or a time, else its mark."""
        if not value or value in self._own or _TIME.fullmatch(value):
            return value
        hashed = hashlib.sha256(self._salt + value.encode(errors="surrogatepass")).hexdigest()
        return f"<{len(value)} characters, {hashed[:8]}>"

    def plain(self, value: Any) -> Any:
        """A plain value with all texts and names in it masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self._key(str(key)): self.plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.plain(each) for each in value]
        return value

    def _key(self, key: str) -> str:
        return key if key in self._own or _FIELDS.get(key) else self.text(key)


async def write_debug_bundle(engine: Engine, target: Path) -> None:
    """Write a ZIP with what a bug report needs: no texts, names, ids or paths of the user are in it.

    Raises:
        FileError: as `place_file`, and then nothing stays of it; the constellation cannot be read.
    """
    data = await debug_bundle(engine)
    await asyncio.to_thread(place_file, target, data)


async def debug_bundle(engine: Engine) -> bytes:
    """The bytes of that ZIP.

    Raises:
        FileError: the file cannot be read.
    """
    mask = TextMask()
    structure, requests = await _structure(engine), await _requests(engine)
    parts = {
        "program.json": program_facts(engine),
        "structure.json": mask.plain(structure),
        "requests.json": mask.plain(requests),
    }
    return await asyncio.to_thread(_zip, parts)


def program_facts(engine: Engine) -> dict[str, Any]:
    """What the program runs with: versions of itself, SQLite and its ``libraries``, and the system.

    A library whose version is not there is ``"missing"``.
    """
    found: dict[str, str] = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "missing"
    return {
        "version": __version__,
        "python": platform.python_version(),
        "system": sys.platform,
        "machine": platform.machine(),
        "bits": sys.maxsize.bit_length() + 1,
        "sqlite": SQLITE_VERSION,
        "libraries": found,
        "bytes": _size(engine.path),
        "read_only": None if engine.database.read_only is None else engine.database.read_only.code,
    }


async def _structure(engine: Engine) -> dict[str, Any]:
    agents, problems = await engine.agents.list()
    messages, summaries = await engine.conversation.counts()
    states = await engine.blocks.list(deleted=True)
    attachments = await engine.blocks.all_attachments()
    tools, tool_problems = await engine.agents.tools()
    events = await engine.conversation.event_count()
    return {
        "agents": [
            {**_agent(each), "messages": messages.get(each.id, 0), "summaries": summaries.get(each.id, 0)}
            for each in agents
        ],
        "blocks": [
            _block(each, sum(one.block_id == each.block.id for one in attachments)) for each in states
        ],
        "tools": [
            {"id": each.name, "characters": len(each.description) + len(each.parameters)} for each in tools
        ],
        "events": events,
        "problems": _problems([*problems, *tool_problems, *engine.database.problems]),
    }


def _agent(agent: Agent) -> dict[str, Any]:
    config = agent.config
    return {
        "id": agent.id,
        "status": agent.status.value,
        "model": agent.model,
        "tools": len(agent.tools),
        "characters": len(agent.persona) + len(agent.instructions),
        "layout": config.layout,
        "limits": to_plain(config.limits),
        "strategy": to_plain(config.strategy),
    }


def _block(state: BlockState, shared: int) -> dict[str, Any]:
    block: Block = state.block
    plain = None if isinstance(block.schema, UnreadableSchema) else to_plain(block.schema)
    return {
        "id": block.id,
        "owner": block.owner,
        "label": block.label,
        "type": block.block_type.value,
        "kind": plain["kind"] if isinstance(plain, dict) else None,
        "permission": int(block.permission),
        "pinned": block.pinned,
        "active": block.is_active,
        "characters": None if state.content is None else counted_characters(state),
        "char_limit": block.char_limit,
        "versions": state.revision,
        "shared": shared,
        "problem": None if state.problem is None else state.problem.code,
    }


async def _requests(engine: Engine) -> list[dict[str, Any]]:
    """What each agent's Request is made of, with the reasons; of one that can't be built, why."""
    agents, _ = await engine.agents.list()
    found: list[dict[str, Any]] = []
    for agent in agents:
        try:
            request = await engine.context.request(agent.id)
            spec = RequestSpec(now=engine.surroundings.clock())
            findings = await engine.inspection.lint(agent.id, spec)
        except InspectorError as error:
            found.append({"id": agent.id, "problem": error.code})
            continue
        account = engine.context.report(request)
        rules = Counter(each.rule for each in request.left_out)
        found.append(
            {
                "id": agent.id,
                "strategy": request.strategy,
                **account,
                "findings": _findings(findings),
                "count": sum(rules.values()),
            }
        )
    return found


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {"rule": each.rule.value, "severity": each.severity.value, "tokens": each.tokens} for each in findings
    ]


def _problems(problems: Iterable[Problem]) -> list[dict[str, Any]]:
    return [{"code": each.code, "severity": each.severity.value} for each in problems]


def _own_words() -> frozenset[str]:
    """Words of the program: codes, kinds, the names of shipped models, layouts and their sections."""
    words: set[str] = set()
    for code in catalogue():
        family, _, rest = code.partition(".")
        words |= {code, family, rest}
    for enum in _ENUMS:
        words.update(each.value for each in enum)
    words.update(shipped_models().ids)
    for name, layout in shipped_layouts().items():
        words |= {name, *(section.name for section in layout.sections)}
    words |= {
        "text",
        "map",
        "list",
        "log",
        "tree",
        "composite",
        "_constellation_",
        "reply",
        "tools",
        "messages",
    }
    return frozenset(words)


_FIELDS = dict.fromkeys(
    (
        *("id", "status", "model", "tools", "characters", "layout", "limits", "strategy", "messages"),
        *("summaries", "agents", "blocks", "events", "problems", "owner", "label", "type", "kind"),
        *("permission", "pinned", "active", "char_limit", "versions", "shared", "problem", "agent"),
        *("max_tokens", "memory_tokens", "history_tokens", "reserved_response_tokens", "total", "tokens"),
        *("exact_tokens", "method", "tokenizer", "low", "high", "range", "class", "group", "n", "covered"),
        *("source", "sections", "left_out", "overheads", "adaptations", "calibration", "runs", "ratio"),
        *("least", "most", "corrected_tokens", "name", "pieces", "span", "sent", "rule", "fix", "action"),
        *("target", "value", "text", "code", "severity", "where", "message", "findings", "count"),
        *("verbatim_count", "reserved_tokens", "messages_cap", "max_messages", "output_tokens"),
    ),
    True,
)
"""The fields of a bundle; other keys may be a user's and are masked."""


def _zip(parts: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, plain in parts.items():
            made.writestr(zipfile.ZipInfo(name), json.dumps(plain, ensure_ascii=True, indent=1))
    return out.getvalue()


def _size(path: Path) -> int | None:
    """The bytes of the file, None where it is not at its place any more: what is open can be read all the same."""
    try:
        return path.stat().st_size
    except OSError:
        return None
