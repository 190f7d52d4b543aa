"""Another process that tries to write to a file, and says whether it could."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TRY = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
try:
    connection.execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError as error:
    print("locked" if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY else error)
else:
    print("free")
"""


def others_find_it(path: Path) -> str:
    """``locked`` or ``free``."""
    done = subprocess.run([sys.executable, "-c", _TRY, str(path)], capture_output=True, text=True, check=True)
    return done.stdout.strip()
