"""What running agents leave: consent, queue, wakeups, sent Requests, history states."""

from __future__ import annotations

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
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1))
    ) STRICT
    """,
    "CREATE INDEX wakeups_by_time ON wakeups (is_deleted, wake_at)",
    # Sent Requests and their manifests, each once: `hash` is the SHA-256 of `text` in UTF-8, in hex.
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
        metadata TEXT NOT NULL
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
    ) STRICT, WITHOUT ROWID
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
