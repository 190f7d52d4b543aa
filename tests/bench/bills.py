"""Holds our figures against recorded API exchanges with the usage that was charged, and our bodies against theirs.

    python -m tests.bench.bills FOLDER

FOLDER holds JSON files with ``api``, ``model``, ``tags``, ``reported.total`` (input tokens that were charged) and
``request`` (the body). Each body is imported, its Request is built and written again in its own form. What no file
can know (a conversation kept at the provider, its own tools) stands apart. Prints a table and each figure that is
marked exact and is not what was charged.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspector.domain.counts import Method
from inspector.domain.errors import InspectorError
from inspector.domain.requests import Request
from inspector.domain.snapshot import RequestSpec
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment
from inspector.runtime.files import import_into
from tests.exchange.builders import plan_import_of
from tests.fixtures import NOOR, HeldClock, counted_ids

FORMS = {
    "anthropic": WireForm.ANTHROPIC,
    "anthropic-count": WireForm.ANTHROPIC,
    "chat": WireForm.OPENAI,
    "responses": WireForm.OPENAI_RESPONSES,
    "gemini": WireForm.GEMINI,
    "ollama": WireForm.OLLAMA,
}
UNKNOWABLE = frozenset({"previous", "stored_prompt", "server_tools", "server_parts", "iterations"})
MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
"""Where files lie that are soon gone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one exchange."""

    name: str
    api: str
    kind: str
    charged: int
    tokens: int
    exact: bool
    same_body: bool
    problems: int
    family: str
    band_kind: str
    holds: bool

    @property
    def error(self) -> float:
        """How far the figure is from what was charged, in per cent of it."""
        return 100 * abs(self.tokens - self.charged) / max(1, self.charged)


def kind_of(tags: Iterable[str]) -> str:
    """The class of an exchange by what is in it."""
    found = set(tags)
    if found & UNKNOWABLE:
        return "not in the file"
    for tag, kind in (("video", "video"), ("audio", "audio"), ("image", "images"), ("document", "documents")):
        if tag in found:
            return kind
    if "tools" in found:
        return "tools"
    if "structured" in found:
        return "output schema"
    return "thinking" if found & {"thinking_on", "thinking_parts"} else "plain text"


async def measured(name: str, case: dict[str, Any], folder: Path) -> Outcome:
    """Import one exchange, count it, and write its body again.

    Raises:
        InspectorError: it can't be imported or built.
    """
    body, form = case["request"], FORMS[case["api"]]
    environment = Environment(HeldClock(), counted_ids(), NOOR, "bench", folder / "state")
    target = folder / f"{name}.constellation"
    plan = plan_import_of(json.dumps(body).encode(), environment.ids)
    await import_into(target, plan, environment)
    engine = await Engine.open(target, environment)
    try:
        ((agent,), _) = await engine.agents.list()
        spec = RequestSpec(environment.clock(), model=body.get("model") or case["model"])
        snapshot = await engine.context.recent(agent.id, spec)
        request = await engine.context.build(snapshot, spec)
        wire = engine.wire.request(request, snapshot, form)
    finally:
        await engine.close()
    without_model = {"gemini", "ollama"}
    expected = {key: each for key, each in body.items() if key != "model" or case["api"] not in without_model}
    written = {key: each for key, each in wire.body.items() if key in expected or key != "model"}
    return Outcome(
        name,
        case["api"],
        kind_of(case["tags"]),
        case["reported"]["total"],
        request.tokens,
        request.method is Method.EXACT,
        _plain(written) == _plain(expected),
        len(plan.problems) + len(request.problems) + len(wire.adaptations),
        facts.tokenizer if (facts := engine.models.resolve(request.model)) else "generic",
        "exact" if request.band is None else request.band.kind,
        _holds(request, case["reported"]["total"]),
    )


def _holds(request: Request, charged: int) -> bool:
    if request.band is None:
        return request.tokens == charged
    low, high = request.band.around(request.tokens)
    return low <= charged and (high is None or charged <= high)


def _plain(value: Any) -> Any:
    """A body without what says nothing: nulls, and a text as a list of one text part."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        found = [_plain(each) for each in value]
        only = found[0] if len(found) == 1 else None
        is_text = isinstance(only, dict) and set(only) == {"type", "text"}
        return only["text"] if is_text and isinstance(only, dict) else found
    return value


def main(folder: Path) -> int:
    """Measure every exchange of a folder and print the table."""
    found: list[Outcome] = []
    refused: list[str] = []
    for path in sorted(folder.glob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory(dir=MEMORY) as place:
            try:
                found.append(asyncio.run(measured(path.stem, case, Path(place))))
            except InspectorError as error:
                refused.append(f"{path.name}: {error}")
    rows: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for each in found:
        rows[each.api, each.kind].append(each)
    print(f"{'':34}{'count':>6}{'median':>10}{'mean':>10}{'equal':>7}{'in range':>10}{'body the same':>15}")
    for (api, kind), outcomes in sorted(rows.items()):
        errors = [one.error for one in outcomes]
        equal, same = (
            sum(one.tokens == one.charged for one in outcomes),
            sum(one.same_body for one in outcomes),
        )
        median, mean = statistics.median(errors), statistics.mean(errors)
        held = sum(one.holds for one in outcomes)
        print(f"{api:16}{kind:18}{len(outcomes):6}{median:8.1f} %{mean:8.1f} %{equal:7}{held:10}{same:15}")
    by_band: dict[str, list[Outcome]] = defaultdict(list)
    for each in found:
        by_band[each.band_kind].append(each)
    for kind, outcomes in sorted(by_band.items()):
        print(
            f"stated as {kind:10}{len(outcomes):6}, held {sum(one.holds for one in outcomes) / len(outcomes):.1%}"
        )
    exact = [each for each in found if each.exact]
    wrong = [each for each in exact if each.tokens != each.charged]
    print(f"\nMarked exact: {len(exact)}, of these not what was charged: {len(wrong)}")
    for each in wrong:
        print(f"  {each.name}: {each.tokens}, charged {each.charged} ({each.kind})")
    silent = [each for each in found if not each.same_body and not each.problems]
    print(f"Bodies that differ without a problem that says so: {len(silent)}")
    print("\n".join([f"Refused: {len(refused)}", *refused]))
    return 1 if refused else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
