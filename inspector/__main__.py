"""Starts the window or a command when the package is run as ``python -m inspector``."""

from __future__ import annotations

from inspector.entry import start

if __name__ == "__main__":
    start()
