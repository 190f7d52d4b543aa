"""Tells what the process uses that checks documents, where the system doesn't keep its limits by itself."""

from __future__ import annotations

# Not among the dependencies on Linux: nothing there imports this module.
import psutil  # type: ignore[import-untyped]

from inspector.documents.airlock.watch import ProcessUsage


def usage_of(pid: int) -> ProcessUsage | None:
    """The memory and the processor's time of a process, None when it is gone or not ours to look at."""
    try:
        process = psutil.Process(pid)
        memory, times = process.memory_info(), process.cpu_times()
    except psutil.Error:
        return None
    # On Windows what is in memory shrinks under pressure; what was asked for does not.
    return ProcessUsage(getattr(memory, "private", memory.rss), times.user + times.system)
