"""Conditions that a Request has to meet for `report` to succeed, and its findings as SARIF, for checks of a team."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from inspector import __version__
from inspector.cli.terminal import write_error, write_json
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Parameters, Severity
from inspector.domain.lint import Finding, LintRule
from inspector.domain.requests import Request
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word

FAIL_ON: Mapping[str, frozenset[LintRule]] = {
    "duplicate": frozenset({LintRule.DUPLICATE_TEXT, LintRule.DESCRIPTION_IS_CONTENT}),
    "secret": frozenset({LintRule.SECRET}),
    "near-limit": frozenset(
        {LintRule.NEAR_CHAR_LIMIT, LintRule.NEAR_MAX_ITEMS, LintRule.NEAR_WINDOW, LintRule.NEAR_MEMORY_CAP}
    ),
    "unused-tool": frozenset({LintRule.UNUSED_TOOL}),
    "stale-block": frozenset({LintRule.STALE_BLOCK}),
    "large-message": frozenset({LintRule.LARGE_MESSAGE}),
}
"""What a check may fail on, and the lint rules that are meant."""
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.INFO: "note", Severity.WARNING: "warning", Severity.ERROR: "error"}
_MARK = "ruleAndPlace/v1"
_DASH = Path("-")
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What a Request has to meet. `share` is of the usable tokens, `rules` are lint rules without findings."""

    share: float | None = None
    tokens: int | None = None
    rules: frozenset[LintRule] = frozenset()
    sarif: Path | None = None

    @property
    def looks_for_findings(self) -> bool:
        return bool(self.rules) or self.sarif is not None

    @property
    def is_set(self) -> bool:
        return self.share is not None or self.tokens is not None or self.looks_for_findings

    @property
    def takes_output(self) -> bool:
        """Whether SARIF is written to standard output, in place of the report."""
        return self.sarif == _DASH


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """A condition that a Request did not meet: ``fail-over``, ``max-tokens`` or a name of `FAIL_ON`."""

    condition: str
    message: str


class FailOnParam(click.ParamType[frozenset[LintRule]]):
    """Names of findings, separated by commas."""

    name = "name,name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[LintRule]:
        if isinstance(value, frozenset):
            return value
        names = [each.strip() for each in str(value).split(",") if each.strip()]
        unfit = [each for each in names if each not in FAIL_ON]
        if unfit or not names:
            self.fail(f"{', '.join(unfit) or value!r} isn't one of {', '.join(FAIL_ON)}", param, ctx)
        return frozenset().union(*(FAIL_ON[each] for each in names))


class _ShareRange(click.FloatRange):
    """A share that a figure can be more than: nothing is more than NaN or infinity."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        share = super().convert(value, param, ctx)
        if not math.isfinite(share):
            self.fail(f"{value!r} isn't a number.", param, ctx)
        return share


_OPTIONS = (
    click.option(
        "--fail-over",
        # More than ten times what there is can only be meant in per cent.
        type=_ShareRange(0, 10),
        metavar="SHARE",
        help="Exit with 4 if the Request uses more than this share of the usable tokens, such as 0.8.",
    ),
    click.option(
        "--max-tokens", type=click.IntRange(0), help="Exit with 4 if the Request has more tokens than this."
    ),
    click.option(
        "--fail-on",
        type=FailOnParam(),
        multiple=True,
        help=f"Exit with 4 on these findings: {', '.join(FAIL_ON)}.",
    ),
    click.option(
        "--sarif",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="PATH|-",
        help="Write findings and failed conditions as SARIF 2.1.0 to this file, or with - instead of the report.",
    ),
)


def gated(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say what a Request has to meet."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def failed_conditions(
    gate: GateOptions, request: Request, findings: Sequence[Finding]
) -> tuple[FailedCondition, ...]:
    """What a Request does not meet, in the order of the options."""
    found: list[FailedCondition] = []
    limits = request.limits
    usable = limits.max_tokens - limits.reserved_response_tokens
    if gate.share is not None and request.tokens > gate.share * usable:
        share = 100 * request.tokens / usable if usable > 0 else 100.0
        limit = 100 * gate.share
        parameters: Parameters = {
            "tokens": request.tokens,
            "usable": usable,
            "share": _above(share, limit),
            "limit": f"{limit:.12g}",
        }
        found.append(FailedCondition("fail-over", word("told.failed_over", parameters)))
    if gate.tokens is not None and request.tokens > gate.tokens:
        over: Parameters = {"tokens": request.tokens, "limit": gate.tokens}
        found.append(FailedCondition("max-tokens", word("told.failed_tokens", over)))
    for name, rules in FAIL_ON.items():
        if rules <= gate.rules:
            found += [FailedCondition(name, message_of(each)) for each in findings if each.rule in rules]
    return tuple(found)


def _above(share: float, limit: float) -> str:
    """A percentage with as many digits as show that it is more than the limit, at least one."""
    written = (f"{share:.{digits}f}" for digits in range(1, _MOST_DIGITS))
    return next((each for each in written if float(each) > limit), repr(share))


def message_of(finding: Finding) -> str:
    """The sentence of a finding, as people read it."""
    return word(f"lint.{finding.rule.value}", finding.parameters)


def tell_failed(failed: Sequence[FailedCondition]) -> None:
    """A line on standard error for each condition that was not met."""
    for each in failed:
        write_error(word("told.failed", {"condition": each.condition, "message": each.message}))


async def write_sarif(
    engine: Engine,
    gate: GateOptions,
    file: Path,
    findings: Sequence[Finding],
    failed: Sequence[FailedCondition],
) -> None:
    """Write the findings and the conditions on figures that failed as SARIF 2.1.0, never over a constellation.

    Raises:
        FileError: ``file.cannot_create``, ``file.open_here``, ``export.is_constellation``.
    """
    if gate.sarif is None:
        return
    log = sarif(file, findings, failed)
    if gate.takes_output:
        write_json(log)
        return
    text = json.dumps(log, ensure_ascii=True, indent=2) + "\n"
    await engine.exchange.place_text(gate.sarif, text, replace=True)


def sarif(file: Path, findings: Sequence[Finding], failed: Sequence[FailedCondition]) -> dict[str, Any]:
    """One SARIF log with one run; what failed because of a finding is an error."""
    messages = {each.message for each in failed if each.condition in FAIL_ON}
    results = [_finding_result(each, file, is_error=message_of(each) in messages) for each in findings]
    figures = [each for each in failed if each.condition not in FAIL_ON]
    results += [_result(each.condition, "error", each.message, file, "") for each in figures]
    ids = sorted({result["ruleId"] for result in results})
    marks: Counter[str] = Counter()
    for result in results:
        result["ruleIndex"] = ids.index(result["ruleId"])
        mark = result["partialFingerprints"][_MARK]
        marks[mark] += 1
        if marks[mark] > 1:
            # Of several findings at one place, each is one of its own.
            result["partialFingerprints"] = {_MARK: f"{mark}:{marks[mark]}"}
    driver = {
        "name": "Context Inspector",
        "version": __version__,
        "rules": [{"id": id_, "name": id_.replace("_", "-").title().replace("-", "")} for id_ in ids],
    }
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
    }


def _finding_result(finding: Finding, file: Path, *, is_error: bool) -> dict[str, Any]:
    level = "error" if is_error else _LEVELS[finding.severity]
    made = _result(finding.rule.value, level, message_of(finding), file, str(finding.where))
    made["properties"] = {"tokens": finding.tokens, "method": finding.method.value}
    return made


def _result(rule: str, level: str, message: str, file: Path, where: str) -> dict[str, Any]:
    # A name need not be text, as `as_uri` takes into account.
    uri = file.as_uri() if file.is_absolute() else quote(os.fsencode(file.as_posix()))
    location: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": uri}}}
    if where:
        location["logicalLocations"] = [{"fullyQualifiedName": where, "kind": where.partition(":")[0]}]
    mark = hashlib.sha256(f"{rule}\n{where}\n{message if not where else ''}".encode()).hexdigest()
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [location],
        "partialFingerprints": {_MARK: mark},
    }
