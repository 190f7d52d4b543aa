"""Damaged and forged blobs against the airlock and the document behind it, by thousands.

Run as ``python -m tests.bench.loro_fuzz [--raw N] [--sealed N] [--first SEED]`` from the project's root. Each mutant
has a seed of its own, told when something is wrong with it. The exit code is 1 when a target is missed.

Every mutant takes the way that a stored update of another process takes: the airlock looks at it on top of the
block's snapshot; what passes is merged into the live document, as an open block's is. What is refused, there or
here, must leave that as it was, and fit to be edited; what is taken is then read, edited, replayed and exported. All
that runs in a process that may die: a death is counted under the seed it happened at, and the run goes on.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspector.documents.airlock.gate import Airlock
from inspector.documents.document import Document
from inspector.domain.content import CompositeContent, MapContent
from inspector.domain.edits.base import Version
from inspector.domain.edits.fields import SetField
from inspector.domain.edits.items import InSection
from inspector.domain.errors import DocumentError
from tests.documents.builders import stamp
from tests.documents.forged_documents import OPERATIONS, SCHEMA, lived, raw_mutant, sealed_mutant, sources

ROOT = Path(__file__).resolve().parents[2]
SLOW_SECONDS = 1.0
RAW_FIRST, SEALED_FIRST = 100_000, 200_000
HARMLESS = ("document.unreadable", "document.damaged", "document.newer")
"""Refused by the airlock, and safe to be met by the live document all the same: it must refuse them too."""
_RENAME = InSection("map", SetField("name", "still here"))
_MAKERS = {"raw": raw_mutant, "sealed": sealed_mutant}


@dataclass
class Figures:
    """What one run found; the lists hold seeds."""

    mutants: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    accepted: int = 0
    aborts: list[int] = field(default_factory=list)
    uncaught: list[tuple[int, str]] = field(default_factory=list)
    slow_here: list[tuple[int, float]] = field(default_factory=list)
    slow_airlock: list[tuple[int, float]] = field(default_factory=list)
    live_changed: list[int] = field(default_factory=list)
    worst_here: float = 0.0
    worst_airlock: float = 0.0

    @property
    def held(self) -> bool:
        """Whether the targets of the reliability table hold."""
        return not (self.aborts or self.uncaught or self.slow_here or self.slow_airlock or self.live_changed)


class Subject:
    """A live document, and an airlock before it."""

    def __init__(self) -> None:
        self._blobs = sources()
        self._base = lived(1, OPERATIONS[:3]).export_snapshot()
        self._live = Document.load(SCHEMA, self._base)
        self._before = (self._live.version, self._live.content())
        self.airlock = Airlock()

    def meet(self, kind: str, seed: int) -> dict[str, Any]:
        """What became of one mutant."""
        blob = _MAKERS[kind](seed, self._blobs)
        started = time.perf_counter()
        verdict = self.airlock.look(self._base, [blob])
        waited = time.perf_counter()
        told: dict[str, Any] = {"seed": seed, "code": verdict.code, "airlock": waited - started, "live": True}
        try:
            if verdict.passed or verdict.code in HARMLESS:
                told |= self._take(blob)
        except BaseException as error:  # noqa: BLE001  what the run is looking for
            told["uncaught"] = repr(error)
        told["here"] = time.perf_counter() - waited
        return told

    def _take(self, blob: bytes) -> dict[str, Any]:
        """Merge a blob into the live document, and use that if it takes it."""
        live = self._live
        try:
            live.merge(blob)
        except DocumentError as error:
            return {"code": error.code, "live": self._is_as_it_was(live)}
        # From here on it is another document.
        self._live = Document.load(SCHEMA, self._base)
        return {"code": self._use(live, self._before[0])}

    def _is_as_it_was(self, live: Document) -> bool:
        """Whether a refusal left nothing behind: it says the same, and an edit of it is just that edit."""
        if (live.version, live.content()) != self._before:
            return False
        edited = live.apply(_RENAME, stamp())
        content = live.content()
        assert isinstance(content, CompositeContent)
        inner = content.sections["map"]
        assert isinstance(inner, MapContent)
        fits = edited is not None and inner.fields["name"] == "still here"
        if edited is not None:
            live.discard(edited)
        return fits and (live.version, live.content()) == self._before

    def _use(self, taken: Document, before: Version) -> str:
        """Do with a document what is done with one; the first error's code."""
        codes: list[str] = []
        for step in (
            taken.content,
            lambda: taken.content_at(before),
            lambda: taken.apply(_RENAME, stamp()),
            lambda: taken.undo(before, taken.version, stamp()),
            taken.export_snapshot,
            lambda: Document.load(SCHEMA, taken.export_snapshot()).content(),
        ):
            try:
                step()
            except DocumentError as error:
                codes.append(error.code)
        return codes[0] if codes else ""


def serve() -> None:
    """The process that may die: a kind and a range of seeds a line, a line of JSON for each mutant."""
    subject = Subject()
    try:
        for line in sys.stdin:
            kind, first, past = line.split()
            for seed in range(int(first), int(past)):
                sys.stdout.write(json.dumps(subject.meet(kind, seed)) + "\n")
                sys.stdout.flush()
    finally:
        subject.airlock.close()


def run(kind: str, first: int, count: int) -> Figures:
    """Meet `count` mutants of a kind, seeds from `first` on."""
    figures, seed = Figures(mutants=count), first
    while seed < first + count:
        command = [sys.executable, "-m", "tests.bench.loro_fuzz", "--serve"]
        with subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(f"{kind} {seed} {first + count}\n")
            process.stdin.close()
            for line in process.stdout:
                _count(figures, json.loads(line))
                seed += 1
            if process.wait():
                figures.aborts.append(seed)
                seed += 1
    return figures


def _count(figures: Figures, told: dict[str, Any]) -> None:
    seed = told["seed"]
    if told["code"]:
        figures.refused[told["code"]] += 1
    else:
        figures.accepted += 1
    if "uncaught" in told:
        figures.uncaught.append((seed, told["uncaught"]))
    if not told["live"]:
        figures.live_changed.append(seed)
    if told["here"] > SLOW_SECONDS:
        figures.slow_here.append((seed, round(told["here"], 2)))
    if told["airlock"] > SLOW_SECONDS:
        figures.slow_airlock.append((seed, round(told["airlock"], 2)))
    figures.worst_here = max(figures.worst_here, told["here"])
    figures.worst_airlock = max(figures.worst_airlock, told["airlock"])


def _print(kind: str, figures: Figures, seconds: float) -> None:
    print(f"{kind}: {figures.mutants} mutants in {seconds:.0f} s")
    print(f"  aborts {len(figures.aborts)} {figures.aborts}")
    print(f"  uncaught {len(figures.uncaught)} {figures.uncaught}")
    print(
        f"  slower than 1 s here {len(figures.slow_here)} {figures.slow_here}, worst {figures.worst_here:.3f} s"
    )
    print(
        f"  slower than 1 s in the airlock {len(figures.slow_airlock)} {figures.slow_airlock}, "
        f"worst {figures.worst_airlock:.3f} s"
    )
    print(f"  live document changed {len(figures.live_changed)} {figures.live_changed}")
    refused = ", ".join(f"{code} {number}" for code, number in figures.refused.most_common())
    print(f"  accepted {figures.accepted}, refused: {refused}", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--raw", type=int, default=10_000)
    parser.add_argument("--sealed", type=int, default=30_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--serve", action="store_true")
    given = parser.parse_args(arguments)
    if given.serve:
        serve()
        return 0
    held = True
    for kind, first, count in (("raw", RAW_FIRST, given.raw), ("sealed", SEALED_FIRST, given.sealed)):
        started = time.monotonic()
        figures = run(kind, first + given.first, count)
        _print(kind, figures, time.monotonic() - started)
        held = held and figures.held
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
