"""The search index."""

from __future__ import annotations

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
