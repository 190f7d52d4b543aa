"""What a process uses, where the system keeps no limits of its own for it: macOS and Windows."""

from __future__ import annotations

import psutil  # type: ignore[import-untyped]

from inspector.documents.airlock.watch import Usage


def usage_of(pid: int) -> Usage | None:
    """The memory and the processor's time of a process, None when it is gone or not ours to look at."""
    try:
        process = psutil.Process(pid)
        memory, times = process.memory_info(), process.cpu_times()
    except psutil.Error:
        return None
    # On Windows what is in memory shrinks under pressure; what was asked for does not.
    return Usage(getattr(memory, "private", memory.rss), times.user + times.system)
