"""The tables of the file itself: facts, processes, journal and search index."""

from __future__ import annotations

JOURNAL = (
    # constellation_id, created_at, name, partner_id, partner_name
    """
    CREATE TABLE meta (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
    ) STRICT
    """,
    # One row for each process that has written, made in its first write.
    """
    CREATE TABLE processes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        peer TEXT NOT NULL UNIQUE,
        actor_kind TEXT NOT NULL,
        actor_id TEXT NOT NULL,
        actor_name TEXT NOT NULL,
        program TEXT NOT NULL,
        started_at TEXT NOT NULL
    ) STRICT
    """,
    # What the change feed reads; `before` and `after` are JSON of what differs, for undo and time travel.
    """
    CREATE TABLE changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        ref_kind TEXT NOT NULL,
        ref_id TEXT NOT NULL,
        ref_part TEXT,
        owner TEXT,
        actor_kind TEXT NOT NULL,
        actor_id TEXT NOT NULL,
        actor_name TEXT NOT NULL,
        reason TEXT NOT NULL,
        at TEXT NOT NULL,
        batch_id TEXT,
        tool_call_id TEXT,
        changeset TEXT,
        undo_of INTEGER REFERENCES changes (seq),
        process INTEGER NOT NULL REFERENCES processes (id),
        before TEXT,
        after TEXT,
        seal TEXT NOT NULL DEFAULT ''
    ) STRICT
    """,
    "CREATE INDEX changes_by_ref ON changes (ref_kind, ref_id, seq)",
    "CREATE INDEX changes_by_owner ON changes (owner, seq)",
    "CREATE INDEX changes_by_changeset ON changes (changeset, seq) WHERE changeset IS NOT NULL",
    "CREATE INDEX changes_by_actor ON changes (actor_id, seq)",
    "CREATE INDEX changes_by_undo ON changes (undo_of) WHERE undo_of IS NOT NULL",
)
SEARCH = (
    # One row for each thing that can be found. `spaced` holds what of the text the tokenizer would not take apart
    # as people look for it: runs of Han, Kana, Hangul and Thai, which it takes as one word, with a space between
    # all characters (so that one or two of them are enough, which three-letter pieces would not allow), the words
    # beside them, and wide and joined forms as plain ones.
    """
    CREATE TABLE search_texts (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        ref_id TEXT NOT NULL,
        owner TEXT,
        role TEXT,
        at TEXT NOT NULL,
        is_deleted INTEGER NOT NULL DEFAULT 0 CHECK (is_deleted IN (0, 1)),
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        spaced TEXT NOT NULL,
        UNIQUE (kind, ref_id)
    ) STRICT
    """,
    "CREATE INDEX search_texts_by_owner ON search_texts (owner, kind, at)",
    "CREATE INDEX search_texts_by_time ON search_texts (at, id)",
    """
    CREATE VIRTUAL TABLE search_words USING fts5 (
        title, body, spaced,
        content = 'search_texts', content_rowid = 'id',
        tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
    )
    """,
)
