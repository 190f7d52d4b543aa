"""Measures how far bills of whole Requests are from their figures, by kind, and writes the bands.

    python -m tests.bench.bands FOLDER --out resources/models/bands.json

FOLDER is as for ``tests.bench.bills``. A class is a group of tokenizer families and a kind of Request. Its band is
found as follows: the least and the largest share of the figure that was charged, `SLACK` tokens let go on both sides;
of all ways to leave out a few of the outermost bills and to move both ends out, the one that gives the narrowest band
while bands found without a recording hold for `HELD` of the exchanges, each by the band without its own. A class of
fewer than `FEW` bills takes those of its kind in any group, and where these are few too, those of all. Nobody knows
the upper end of a Request that has what no file holds.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import math
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from inspector.domain.counts import RequestKind
from inspector.domain.errors import InspectorError
from tests.bench.bills import MEMORY, measured

GROUPS = {
    "openai": ("o200k", "cl100k", "gpt_6"),
    "claude": ("claude_3", "claude_4_7", "claude_4_8"),
    "gemini": ("gemini",),
}
ANY = "any"
SLACK = 2
HELD = 0.95
FEW = 12
STEP = 1.04
STEPS = 60
LEAST = 0.001


@dataclass(frozen=True)
class Bill:
    """One exchange: where it was recorded, who counts it, what kind it is, and both figures."""

    recording: str
    group: str
    kind: str
    tokens: int
    charged: int


@dataclass(frozen=True)
class Ends:
    """The ends of a band, as shares of a figure."""

    low: float
    high: float

    def hold(self, bill: Bill) -> bool:
        """Whether the bill is inside, as `RequestBand.around` says it."""
        least, most = math.floor(bill.tokens * self.low) - SLACK, bill.tokens * self.high + SLACK
        return least <= bill.charged <= most


@dataclass(frozen=True)
class Ratios:
    """Charged by counted of each bill, with the slack let go at one side, and the bills by recording."""

    lows: Sequence[tuple[float, str]]
    highs: Sequence[tuple[float, str]]
    by_recording: Mapping[str, Sequence[Bill]]

    @classmethod
    def of(cls, bills: Sequence[Bill]) -> Ratios:
        """Those of some bills, the outermost first."""
        by_recording: dict[str, list[Bill]] = defaultdict(list)
        for bill in bills:
            by_recording[bill.recording].append(bill)
        lows = sorted(((each.charged + SLACK) / max(1, each.tokens), each.recording) for each in bills)
        highs = sorted(((each.charged - SLACK) / max(1, each.tokens), each.recording) for each in bills)
        return cls(lows, highs[::-1], by_recording)

    def ends(self, below: int, above: int, wider: float, without: str = "") -> Ends:
        """The band without the outermost bills, made wider by a factor, and without those of a recording."""
        low = next(islice((ratio for ratio, recording in self.lows if recording != without), below, None))
        high = next(islice((ratio for ratio, recording in self.highs if recording != without), above, None))
        return Ends(min(1.0, low) / wider, max(1.0, high) * wider)


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    bills = list(filter(None, map(bill_of, sorted(given.folder.glob("*.json")))))
    document = document_of(bills)
    if given.out is not None:
        given.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def bill_of(path: Path) -> Bill | None:
    """What one exchange says, None for one that cannot be imported."""
    case = json.loads(path.read_text(encoding="utf-8"))
    try:
        with tempfile.TemporaryDirectory(dir=MEMORY) as place:
            found = asyncio.run(measured(path.stem, case, Path(place)))
    except InspectorError:
        return None
    families = {family: group for group, names in GROUPS.items() for family in names}
    group = families.get(found.family, ANY)
    source = case["source"]
    return Bill(f"{source['repo']} {source['path']}", group, found.band_kind, found.tokens, found.charged)


def document_of(bills: Sequence[Bill]) -> dict[str, Any]:
    """All classes, each with the bills that it is from."""
    by_class: Mapping[tuple[str, str], list[Bill]] = defaultdict(list)
    for bill in bills:
        if bill.kind != RequestKind.EXACT:
            by_class[bill.group, bill.kind].append(bill)
    others = [bill for bill in bills if bill.kind not in (RequestKind.EXACT, RequestKind.OPEN)]
    classes = []
    for kind in (kind for kind in RequestKind if kind is not RequestKind.EXACT):
        for group in (ANY, *GROUPS):
            found = by_class.get((group, kind), [])
            if group == ANY and len(found) < FEW:
                found = [bill for bill in bills if bill.kind == kind]
                found = found if len(found) >= FEW else others
            if len(found) >= FEW:
                classes.append(class_of(group, kind, found))
    exact = [bill for bill in bills if bill.kind == RequestKind.EXACT]
    print(
        f"exact: {len(exact)}, of these charged otherwise: {sum(each.tokens != each.charged for each in exact)}"
    )
    return {
        "dated": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "method": " ".join((__doc__ or "").split("A class is", 1)[1].split()).join(("A class is", "")),
        "source": f"{len(bills)} exchanges with their bills out of public test recordings",
        "slack": SLACK,
        "groups": {group: list(families) for group, families in GROUPS.items()},
        "classes": classes,
    }


def class_of(group: str, kind: str, bills: Sequence[Bill]) -> dict[str, Any]:
    """One class as it is stored."""
    is_open = kind == RequestKind.OPEN
    ratios = Ratios.of(bills)
    tries = [(below, above) for below in cuts(bills) for above in (range(1) if is_open else cuts(bills))]
    found = [each for below, above in tries if (each := widened(ratios, below, above, is_open=is_open))]
    ends, held = min(found, key=lambda each: width(each[0]))
    high = None if is_open else round(ends.high, 3)
    print(f"{group:8}{kind:10} n {len(bills):4}  {ends.low:.3f} to {high}  held {held:.3f}")
    return {
        "group": group,
        "kind": str(kind),
        "low": round(ends.low, 3),
        "high": high,
        "n": len(bills),
        "covered": round(held, 3),
    }


def cuts(bills: Sequence[Bill]) -> range:
    """How many of the outermost bills may be left out at one end."""
    return range(int((1 - HELD) * len(bills)) + 1)


def width(ends: Ends) -> float:
    """How wide a band is, on a scale of ratios."""
    return math.log(ends.high / max(ends.low, LEAST))


def widened(ratios: Ratios, below: int, above: int, *, is_open: bool) -> tuple[Ends, float] | None:
    """The narrowest band that holds without the outermost bills, so many below and above, and how often; or None."""
    for step in range(STEPS):
        wider = STEP**step
        held = sum(
            (Ends(ends.low, math.inf) if is_open else ends).hold(bill)
            for recording, bills in ratios.by_recording.items()
            for ends in (ratios.ends(below, above, wider, recording),)
            for bill in bills
        ) / len(ratios.lows)
        if held >= HELD:
            return ratios.ends(below, above, wider), held
    return None


if __name__ == "__main__":
    main()
