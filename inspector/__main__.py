"""``python -m inspector``."""

from __future__ import annotations

import sys

from inspector.entry import main

if __name__ == "__main__":
    sys.exit(main())
