"""Which stretch of time an event strip shows, and where a moment stands in it. Knows no Qt."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from inspector.domain.dataclass import dataclass
from inspector.domain.timeline import TimeRange, moved

SHORTEN = timedelta(seconds=2)
"""No stretch that is shown is shorter."""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """`seen` is shown of `whole`."""

    whole: TimeRange
    seen: TimeRange

    @classmethod
    def of(cls, whole: TimeRange) -> TimeScale:
        """A scale that shows all of a stretch."""
        return cls(whole, whole)

    @property
    def is_whole(self) -> bool:
        return self.seen == self.whole

    def share(self, at: datetime) -> float:
        """Where a moment stands: 0 is the left edge and 1 the right one."""
        return (at - self.seen.start) / self.seen.length

    def at(self, share: float) -> datetime:
        return moved(self.seen.start, self.seen.length * share)

    def zoomed(self, factor: float, share: float) -> TimeScale:
        """With `factor` times as much shown; the moment at that share stays where it is."""
        fixed = self.at(share)
        length = min(max(self.seen.length * factor, SHORTEN), self.whole.length)
        return self._placed(moved(fixed, -length * share), length)

    def panned(self, share: float) -> TimeScale:
        """Moved by a share of what is shown."""
        return self._placed(self.at(share), self.seen.length)

    def fitted(self, stretch: TimeRange) -> TimeScale:
        """With a stretch shown, and a little around it."""
        length = min(max(stretch.length * 1.1, SHORTEN), self.whole.length)
        middle = moved(stretch.start, stretch.length / 2)
        return self._placed(moved(middle, -length / 2), length)

    def grown(self, whole: TimeRange) -> TimeScale:
        """Of a file that reaches further now; one that was shown whole still is."""
        return TimeScale.of(whole) if self.is_whole else replace(self, whole=whole)

    def _placed(self, start: datetime, length: timedelta) -> TimeScale:
        start = max(self.whole.start, min(start, self.whole.end - length))
        return replace(self, seen=TimeRange(start, moved(start, length)))
