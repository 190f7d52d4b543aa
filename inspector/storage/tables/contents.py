"""The tables of agents, tools, blocks, messages, summaries and events."""

from __future__ import annotations

AGENTS = (
    """
    CREATE TABLE agents (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        persona TEXT NOT NULL,
        instructions TEXT NOT NULL,
        provider TEXT NOT NULL,
        model TEXT NOT NULL,
        parameters TEXT NOT NULL,
        config TEXT NOT NULL,
        tools TEXT NOT NULL,
        status TEXT NOT NULL,
        metadata TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX agents_by_name ON agents (name)",
    """
    CREATE TABLE tools (
        name TEXT PRIMARY KEY,
        description TEXT NOT NULL,
        parameters TEXT NOT NULL,
        examples TEXT NOT NULL,
        metadata TEXT NOT NULL,
        is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    # A rule may speak of a tool that no program has registered yet, so `tool` is a name and no reference.
    """
    CREATE TABLE tool_rules (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        tool TEXT NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE UNIQUE INDEX tool_rules_in_force ON tool_rules (agent_id, tool, kind) WHERE is_deleted = 0",
    """
    CREATE TABLE layouts (
        name TEXT PRIMARY KEY,
        definition TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        updated_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    """
    CREATE TABLE user_schemas (
        name TEXT PRIMARY KEY,
        schema TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        updated_at TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
)
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
        rendered TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
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
    ) STRICT
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
CONVERSATION = (
    # `content` is the JSON list of the parts; `seal`: `sealing`.
    """
    CREATE TABLE messages (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        position INTEGER NOT NULL,
        batch_id TEXT NOT NULL,
        sequence_in_batch INTEGER NOT NULL,
        role TEXT NOT NULL,
        content TEXT NOT NULL,
        batch_type TEXT NOT NULL,
        created_at TEXT NOT NULL,
        source TEXT NOT NULL DEFAULT '',
        name TEXT,
        metadata TEXT NOT NULL DEFAULT '{}',
        is_archived INTEGER NOT NULL DEFAULT 0 CHECK (is_archived IN (0, 1)),
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        compiled INTEGER NOT NULL DEFAULT 0 CHECK (compiled IN (0, 1)),
        seal TEXT NOT NULL DEFAULT '',
        UNIQUE (agent_id, position)
    ) STRICT
    """,
    "CREATE INDEX messages_by_batch ON messages (batch_id, sequence_in_batch)",
    "CREATE INDEX messages_by_agent_batch ON messages (agent_id, batch_id, position)",
    "CREATE INDEX messages_by_time ON messages (agent_id, created_at)",
    # Finds the newest that may be sent and counts the others without reading what they say.
    """
    CREATE INDEX messages_by_state
        ON messages (agent_id, is_deleted, is_archived, compiled, position, role)
    """,
    # `start_at` and `end_at` are the value's `start` and `end`; `covers_first` and `covers_last` its range.
    """
    CREATE TABLE summaries (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        content TEXT NOT NULL,
        topics TEXT NOT NULL,
        start_at TEXT NOT NULL,
        end_at TEXT NOT NULL,
        message_count INTEGER NOT NULL,
        depth INTEGER NOT NULL,
        previous_summary_id TEXT,
        covers_first INTEGER,
        covers_last INTEGER,
        children TEXT NOT NULL,
        details TEXT NOT NULL,
        created_at TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX summaries_by_agent ON summaries (agent_id, depth, created_at)",
    "CREATE INDEX summaries_by_previous ON summaries (previous_summary_id)",
    # `importance` is a number, so that a minimum can be asked for; `agent_id` NULL is the system.
    """
    CREATE TABLE activity (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        agent_id TEXT REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        kind TEXT NOT NULL,
        details TEXT NOT NULL,
        importance INTEGER NOT NULL,
        timestamp TEXT NOT NULL,
        batch_id TEXT,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX activity_by_time ON activity (timestamp, seq)",
    "CREATE INDEX activity_by_agent ON activity (agent_id, timestamp, seq)",
    "CREATE INDEX activity_by_batch ON activity (batch_id) WHERE batch_id IS NOT NULL",
)
RUNNING = (
    """
    CREATE TABLE consent_requests (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        edit TEXT NOT NULL,
        level TEXT NOT NULL,
        reason TEXT NOT NULL,
        state TEXT NOT NULL,
        created_at TEXT NOT NULL,
        answered_at TEXT,
        answered_by TEXT,
        tool_call_id TEXT
    ) STRICT
    """,
    "CREATE INDEX consent_by_state ON consent_requests (state, created_at)",
    "CREATE INDEX consent_by_agent ON consent_requests (agent_id, created_at)",
    # `block_id` NULL: every block of the agent; `expires_at` NULL: until taken back; `uses` NULL: any number.
    """
    CREATE TABLE consent_grants (
        id TEXT PRIMARY KEY,
        request_id TEXT REFERENCES consent_requests (id) DEFERRABLE INITIALLY DEFERRED,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        block_id TEXT REFERENCES blocks (id) DEFERRABLE INITIALLY DEFERRED,
        uses INTEGER,
        granted_by TEXT NOT NULL,
        granted_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT
    ) STRICT
    """,
    "CREATE INDEX grants_by_agent ON consent_grants (agent_id, block_id)",
    """
    CREATE TABLE queue (
        id TEXT PRIMARY KEY,
        from_agent_id TEXT,
        target_agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        content TEXT NOT NULL,
        priority INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        origin TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        next_attempt_at TEXT,
        processed_at TEXT,
        lease_until TEXT,
        lease_process INTEGER REFERENCES processes (id),
        last_error TEXT
    ) STRICT
    """,
    "CREATE INDEX queue_by_state ON queue (state, priority DESC, created_at)",
    "CREATE INDEX queue_by_target ON queue (target_agent_id, state, created_at)",
    """
    CREATE TABLE wakeups (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        content TEXT NOT NULL,
        wake_at TEXT NOT NULL,
        every_seconds INTEGER,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX wakeups_by_time ON wakeups (is_deleted, wake_at)",
    # Sent Requests and their manifests, each once: `text` is packed, see `packing`; `hash` is the
    # SHA-256 of what was packed, in UTF-8 and hex.
    """
    CREATE TABLE request_texts (
        hash TEXT PRIMARY KEY,
        text TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        request_hash TEXT NOT NULL REFERENCES request_texts (hash) DEFERRABLE INITIALLY DEFERRED,
        manifest_digest TEXT NOT NULL REFERENCES request_texts (hash) DEFERRABLE INITIALLY DEFERRED,
        started_at TEXT NOT NULL,
        duration_ms INTEGER,
        first_token_ms INTEGER,
        input_tokens INTEGER,
        output_tokens INTEGER,
        cache_read_tokens INTEGER,
        cache_write_tokens INTEGER,
        reply TEXT NOT NULL,
        error TEXT,
        changes_seq INTEGER NOT NULL,
        metadata TEXT NOT NULL,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX runs_by_agent ON runs (agent_id, started_at)",
    "CREATE INDEX runs_by_request ON runs (request_hash)",
    # The shortened history that was last sent, an input of the next build.
    """
    CREATE TABLE context_states (
        agent_id TEXT NOT NULL REFERENCES agents (id) DEFERRABLE INITIALLY DEFERRED,
        at TEXT NOT NULL,
        run_id TEXT REFERENCES runs (id) DEFERRABLE INITIALLY DEFERRED,
        state TEXT NOT NULL,
        PRIMARY KEY (agent_id, at)
    ) STRICT
    """,
    # Reported against estimated figures of a model, for its error band.
    """
    CREATE TABLE calibrations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        model TEXT NOT NULL,
        tokenizer TEXT NOT NULL,
        estimated INTEGER NOT NULL,
        reported INTEGER NOT NULL,
        run_id TEXT REFERENCES runs (id) DEFERRABLE INITIALLY DEFERRED,
        at TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX calibrations_by_model ON calibrations (model, tokenizer, at)",
)
