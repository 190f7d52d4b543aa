"""The clock and the id generator, as types: both are passed in, so that tests can hold them still."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

Clock = Callable[[], datetime]
"""Gives the present moment in UTC."""

IdGenerator = Callable[[str], str]
"""Gives a new unique id with a prefix: ``ids("blk")`` → ``blk_…``. Later ids sort after earlier ones."""
