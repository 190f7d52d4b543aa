"""Blocks with their documents, sharing, and archival entries."""

from __future__ import annotations

MEMORY = (
    # `owner` is an agent's id or _constellation_, so it is no reference. `seal`: `sealing`.
    """
    CREATE TABLE blocks (
        id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        label TEXT NOT NULL,
        description TEXT NOT NULL,
        block_type TEXT NOT NULL,
        schema TEXT NOT NULL,
        char_limit INTEGER NOT NULL,
        permission TEXT NOT NULL,
        pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
        is_active INTEGER NOT NULL CHECK (is_active IN (0, 1)),
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        metadata TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE UNIQUE INDEX blocks_active_label ON blocks (owner, label) WHERE is_active = 1",
    "CREATE INDEX blocks_by_owner ON blocks (owner, is_active, block_type)",
    # Derived from a block's document, in the transaction that changes it: reading needs no document.
    """
    CREATE TABLE block_contents (
        block_id TEXT PRIMARY KEY REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
        version TEXT NOT NULL,
        revision INTEGER NOT NULL,
        actor_kind TEXT NOT NULL,
        actor_id TEXT NOT NULL,
        actor_name TEXT NOT NULL,
        written_at TEXT NOT NULL,
        reason TEXT NOT NULL,
        tool_call_id TEXT,
        problem TEXT,
        content TEXT NOT NULL,
        rendered TEXT NOT NULL
    ) STRICT
    """,
    # The deltas. A folded row keeps everything but its blob, which is then NULL. `peer` is text: an
    # unsigned 64-bit number does not fit an INTEGER. `pending` marks a delta whose foundation is missing.
    """
    CREATE TABLE updates (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        block_id TEXT NOT NULL REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
        seq INTEGER NOT NULL,
        change_seq INTEGER NOT NULL REFERENCES changes (seq) DEFERRABLE INITIALLY DEFERRED,
        peer TEXT NOT NULL,
        counter_from INTEGER NOT NULL,
        counter_to INTEGER NOT NULL,
        version_before TEXT NOT NULL,
        version_after TEXT NOT NULL,
        operation TEXT NOT NULL,
        changeset TEXT,
        undo_of INTEGER REFERENCES changes (seq),
        content_hash TEXT NOT NULL,
        actor_kind TEXT NOT NULL,
        actor_id TEXT NOT NULL,
        actor_name TEXT NOT NULL,
        reason TEXT NOT NULL,
        tool_call_id TEXT,
        process INTEGER NOT NULL REFERENCES processes (id),
        at TEXT NOT NULL,
        size INTEGER NOT NULL,
        pending INTEGER NOT NULL DEFAULT 0 CHECK (pending IN (0, 1)),
        blob BLOB,
        seal TEXT NOT NULL DEFAULT '',
        UNIQUE (block_id, seq)
    ) STRICT
    """,
    "CREATE INDEX updates_by_change ON updates (change_seq)",
    "CREATE INDEX updates_by_changeset ON updates (changeset) WHERE changeset IS NOT NULL",
    "CREATE INDEX updates_by_actor ON updates (block_id, actor_id, seq)",
    # For folding: it must not look at what is folded or too young.
    "CREATE INDEX updates_unfolded ON updates (block_id, at) WHERE blob IS NOT NULL",
    # A full snapshot of the document as of update `upto_seq`; loading takes the newest and what came after.
    """
    CREATE TABLE checkpoints (
        block_id TEXT NOT NULL REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
        upto_seq INTEGER NOT NULL,
        version TEXT NOT NULL,
        content_hash TEXT NOT NULL,
        at TEXT NOT NULL,
        size INTEGER NOT NULL,
        snapshot BLOB NOT NULL,
        PRIMARY KEY (block_id, upto_seq)
    ) STRICT
    """,
    """
    CREATE TABLE attachments (
        block_id TEXT NOT NULL REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        permission TEXT NOT NULL,
        attached_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (block_id, agent_id)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX attachments_by_agent ON attachments (agent_id, attached_at)",
    """
    CREATE TABLE archival_entries (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        content TEXT NOT NULL,
        tags TEXT NOT NULL,
        metadata TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX archival_by_agent ON archival_entries (agent_id, is_deleted, created_at)",
)
