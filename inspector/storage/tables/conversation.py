"""Messages, summaries and activity."""

from __future__ import annotations

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
        batch_id TEXT
    ) STRICT
    """,
    "CREATE INDEX activity_by_time ON activity (timestamp, seq)",
    "CREATE INDEX activity_by_agent ON activity (agent_id, timestamp, seq)",
    "CREATE INDEX activity_by_batch ON activity (batch_id) WHERE batch_id IS NOT NULL",
)
