"""What rows from outside say that people have entrusted to somebody: standing consent, and who the partner is.

A person's word is given where that person sees what it is for. Where rows become a constellation of their own it
stands, as it does in a file that is opened, and is told. Where they join one that is there, a word that was given
elsewhere would reach blocks that are there: what is still in force is taken back, and that is told too.
"""

from __future__ import annotations

from datetime import datetime

from inspector.domain.actor import IMPORTER
from inspector.domain.codec import read_time, write_time
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.edits.consent import RevokeGrant
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.rows.form import compact
from inspector.exchange.source import Notes
from inspector.storage.meta import PARTNER_ID, PARTNER_NAME
from inspector.storage.whole_tables import CHANGES


def note_entrusted(rows: ConstellationRows, notes: Notes) -> None:
    """Note each consent that the rows bring and that nobody has taken back, and the partner."""
    agents, labels = _names(rows)
    for row in rows.of("consent_grants"):
        if _is_open(row):
            told = {"agent": agents[row["agent_id"]]}
            if row["block_id"] is None:
                notes.warn("import.brings_consent_for_all", _where(row), **told)
            else:
                notes.warn("import.brings_consent", _where(row), label=labels[row["block_id"]], **told)
    if partner := rows.facts.get(PARTNER_ID):
        name = rows.facts.get(PARTNER_NAME) or partner
        notes.warn("import.brings_partner", str(Ref(RefKind.CONSTELLATION, "")), name=name[:80])


def without_consent(rows: ConstellationRows, now: datetime, notes: Notes) -> ConstellationRows:
    """The rows with every consent that is in force taken back as of now.

    A history that comes along has a change for each, made by no process that it knows: the one that joins the rows.
    """
    agents, _ = _names(rows)
    grants: list[Row] = []
    revoked: list[Row] = []
    for row in rows.of("consent_grants"):
        if _is_open(row) and not _is_past(row["expires_at"], now):
            notes.warn("import.consent_taken_back", _where(row), agent=agents[row["agent_id"]])
            row = {**row, "revoked_at": write_time(now)}
            revoked.append(row)
        grants.append(row)
    tables = {**rows.tables, "consent_grants": grants}
    if rows.history and revoked:
        last = max((_number(row["seq"]) for row in rows.of("changes")), default=0)
        changes = (_revoking(row, last + place) for place, row in enumerate(revoked, 1))
        tables["changes"] = [*rows.of("changes"), *changes]
    return ConstellationRows(rows.facts, tables, rows.history)


def _revoking(grant: Row, seq: int) -> Row:
    """The change that took a consent back."""
    return {
        **dict.fromkeys(column.name for column in CHANGES.columns),
        "seq": seq,
        "kind": RevokeGrant.op,
        "ref_kind": RefKind.GRANT.value,
        "ref_id": grant["id"],
        "owner": grant["agent_id"],
        "actor_kind": IMPORTER.kind.value,
        "actor_id": IMPORTER.id,
        "actor_name": IMPORTER.name,
        "reason": "",
        "at": grant["revoked_at"],
        "before": compact({"revoked_at": None}),
        "after": compact({"revoked_at": grant["revoked_at"]}),
    }


def _number(cell: Cell) -> int:
    return cell if isinstance(cell, int) else 0


def _names(rows: ConstellationRows) -> tuple[dict[Cell, str], dict[Cell, str]]:
    agents = {row["id"]: str(row["name"])[:80] for row in rows.of("agents")}
    return agents, {row["id"]: str(row["label"])[:80] for row in rows.of("blocks")}


def _is_open(row: Row) -> bool:
    return row["revoked_at"] is None and row["uses"] != 0


def _is_past(expires_at: Cell, now: datetime) -> bool:
    """Whether a time is over; one that cannot be read never is."""
    try:
        return isinstance(expires_at, str) and read_time(expires_at) <= now
    except ValueError:
        return False


def _where(row: Row) -> str:
    return str(Ref(RefKind.GRANT, str(row["id"])))[:200]
