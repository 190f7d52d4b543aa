"""What rows from outside say that people have entrusted to somebody: standing consent, and who the partner is.

A person's word is given where that person sees what it is for. Where rows become a constellation of their own it
stands, as it does in a file that is opened, and is told. Where they join one that is there, a word that was given
elsewhere would reach blocks that are there: what is still in force is taken back, and that is told too.
"""

from __future__ import annotations

from datetime import datetime

from inspector.domain.codec import read_time, write_time
from inspector.domain.edits.adopting import Cell, ConstellationRows, Row
from inspector.domain.ref import Ref, RefKind
from inspector.exchange.source import Notes
from inspector.storage.meta import PARTNER_ID, PARTNER_NAME


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
    """The rows with every consent that is in force taken back as of now."""
    agents, _ = _names(rows)
    grants: list[Row] = []
    for row in rows.of("consent_grants"):
        if _is_open(row) and not _is_past(row["expires_at"], now):
            notes.warn("import.consent_taken_back", _where(row), agent=agents[row["agent_id"]])
            row = {**row, "revoked_at": write_time(now)}
        grants.append(row)
    return ConstellationRows(rows.facts, {**rows.tables, "consent_grants": grants}, rows.history)


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
