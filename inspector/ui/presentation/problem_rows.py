"""Problems and findings as rows of one list: in groups, each with its place, what it saves and its button."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum

from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import Problem, Severity
from inspector.domain.lint import Finding, LintRule
from inspector.domain.ref import Ref, RefKind
from inspector.ui.file_state import FileState
from inspector.ui.presentation.card import pieces_of
from inspector.ui.presentation.changes import name_of_ref
from inspector.ui.presentation.cuts import fix_button_text, fix_text, why_text
from inspector.ui.presentation.finding_fixes import can_fix, subject_of
from inspector.ui.presentation.names import name_of
from inspector.ui.wording import counted, number, tr, tr_code, tr_count

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_DRAFT, _MODEL = "draft", "model:"
_NAMED = frozenset({RefKind.MESSAGE, RefKind.BATCH, RefKind.SUMMARY, RefKind.ARCHIVAL, RefKind.EVENT})
"""What has an id that says nothing to a person."""
_WORDS = {
    Severity.ERROR: lambda: tr("error"),
    Severity.WARNING: lambda: tr("warning"),
    Severity.INFO: lambda: tr("note"),
}


class ProblemGroup(IntEnum):
    """The groups of the list, in their order."""

    PROBLEMS = 0
    SECRETS = 1
    SAVINGS = 2
    LIMITS = 3
    OTHERS = 4


_GROUP_NAMES = {
    ProblemGroup.PROBLEMS: lambda: tr("File and unsaved work"),
    ProblemGroup.SECRETS: lambda: tr("Secrets"),
    ProblemGroup.SAVINGS: lambda: tr("Tokens to save"),
    ProblemGroup.LIMITS: lambda: tr("Near a limit"),
    ProblemGroup.OTHERS: lambda: tr("Others"),
}
_GROUPS = {
    LintRule.SECRET: ProblemGroup.SECRETS,
    LintRule.NEAR_CHAR_LIMIT: ProblemGroup.LIMITS,
    LintRule.NEAR_MAX_ITEMS: ProblemGroup.LIMITS,
    LintRule.NEAR_WINDOW: ProblemGroup.LIMITS,
    LintRule.NEAR_MEMORY_CAP: ProblemGroup.LIMITS,
    LintRule.COMPILED_DIFFERS: ProblemGroup.OTHERS,
}


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One row. A heading of a group has only `what`; a finding has its kind in `finding`, with a button if `do`."""

    key: str
    kind: str
    what: str
    where: str = ""
    place: str = ""
    """The place as it is told in full, for the tool tip."""
    ref: Ref | None = None
    severity: Severity | None = None
    saves: str = ""
    do: str = ""
    tip: str = ""
    finding: Finding | None = None


def problem_rows(file: FileState, ignored: Iterable[LintRule]) -> tuple[ProblemRow, ...]:
    """All rows, the worst first in each group; with one group alone there are no headings."""
    left_aside = frozenset(ignored)
    groups: dict[ProblemGroup, list[ProblemRow]] = {each: [] for each in ProblemGroup}
    savings = 0
    for problem in sorted(file.problems, key=lambda each: _RANK[each.severity]):
        groups[ProblemGroup.PROBLEMS].append(_of_problem(problem, file))
    for finding in file.findings:
        if finding.rule not in left_aside:
            groups[group_of(finding)].append(_of_finding(finding, file))
            savings += finding.more if group_of(finding) is ProblemGroup.SAVINGS else 0
    used = [each for each in ProblemGroup if groups[each]]
    if used in ([], [ProblemGroup.PROBLEMS]):
        return tuple(groups[ProblemGroup.PROBLEMS])
    return tuple(_under_headings(used, groups, savings))


def group_of(finding: Finding) -> ProblemGroup:
    """The group in which a finding stands."""
    return _GROUPS.get(finding.rule, ProblemGroup.SAVINGS)


def heading_note(rows: Iterable[ProblemRow]) -> str:
    """How many problems and findings there are, nothing for none."""
    problems = findings = 0
    for row in rows:
        problems += row.severity is not None and row.finding is None
        findings += row.finding is not None
    texts = []
    if problems:
        texts.append(tr_count("{count} problem", "{count} problems", problems))
    if findings:
        texts.append(tr_count("{count} finding", "{count} findings", findings))
    return " · ".join(texts)


def _under_headings(
    used: Iterable[ProblemGroup], groups: dict[ProblemGroup, list[ProblemRow]], savings: int
) -> Iterator[ProblemRow]:
    for group in used:
        text = tr("{name} · {count}", name=_GROUP_NAMES[group](), count=number(len(groups[group])))
        if group is ProblemGroup.SAVINGS and savings:
            text = tr(
                "{text} · {tokens}", text=text, tokens=tr_count("{count} token", "{count} tokens", savings)
            )
        yield ProblemRow(f"group {group.name}", "", text)
        yield from groups[group]


def _of_problem(problem: Problem, file: FileState) -> ProblemRow:
    ref = Ref.read(problem.where)
    state = file.blocks.get(ref.id) if ref and ref.kind is RefKind.BLOCK else None
    if ref is not None and _DRAFT in problem.parameters:
        # A draft that was left is named as a part of its block, which has no such part.
        ref = ref.whole
    where = state.block.label if state else problem.where
    if ref is None and problem.where.startswith(_MODEL) and file.agent is not None:
        # What is wrong with a model is mended in the settings of the agent that uses it.
        ref, where = Ref(RefKind.AGENT, file.agent.id), problem.where.removeprefix(_MODEL)
    elif ref is not None and ref.kind in _NAMED:
        piece = next(iter(pieces_of(ref, file.request)), None)
        where = name_of_ref(ref, file) if piece is None else name_of(piece)
    facts = repr(sorted(problem.parameters.items()))
    return ProblemRow(
        key=f"{problem.code} {problem.where} {facts}",
        kind=_WORDS[problem.severity](),
        what=tr_code(problem.code, problem.parameters),
        where=where,
        place=problem.where,
        ref=ref,
        severity=problem.severity,
    )


def _of_finding(finding: Finding, file: FileState) -> ProblemRow:
    others = ",".join(str(each) for each in finding.others)
    spans = ",".join(f"{each.piece_id}:{each.start}" for each in finding.places)
    subject = subject_of(finding, file)
    return ProblemRow(
        key=f"{finding.rule} {finding.where} {others} {spans}",
        kind=_WORDS[finding.severity](),
        what=why_text(finding),
        where=subject,
        place=subject,
        ref=finding.where,
        severity=finding.severity,
        saves=counted(Count(finding.tokens, finding.method)) if _saves(finding) else "",
        do=fix_button_text(finding) if can_fix(finding, file) else "",
        tip=fix_text(finding),
        finding=finding,
    )


def _saves(finding: Finding) -> bool:
    return finding.tokens > 0 and group_of(finding) is ProblemGroup.SAVINGS
