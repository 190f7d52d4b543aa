"""The findings that save tokens, as rows: what to cut next, and which kinds a person ignores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from inspector.domain.counts import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.lint import Finding, LintRule
from inspector.ui.file_state import FileState
from inspector.ui.presentation.finding_fixes import is_cut, subject_of
from inspector.ui.safe_text import one_line
from inspector.ui.wording import tokens, tr, tr_code

IGNORED = "problems.ignored_findings"
"""The setting that holds the ignored kinds, by commas."""
_LABEL_LENGTH = 48
KIND_NAMES: Mapping[LintRule, Callable[[], str]] = {
    LintRule.DUPLICATE_TEXT: lambda: tr("Duplicate text"),
    LintRule.DESCRIPTION_IS_CONTENT: lambda: tr("Repeated description"),
    LintRule.NEAR_CHAR_LIMIT: lambda: tr("Near character limit"),
    LintRule.NEAR_MAX_ITEMS: lambda: tr("Near item limit"),
    LintRule.NEAR_WINDOW: lambda: tr("Near context window"),
    LintRule.NEAR_MEMORY_CAP: lambda: tr("Near memory cap"),
    LintRule.UNUSED_TOOL: lambda: tr("Unused tool"),
    LintRule.STALE_BLOCK: lambda: tr("Stale block"),
    LintRule.LARGE_MESSAGE: lambda: tr("Large message"),
    LintRule.SECRET: lambda: tr("Secret"),
    LintRule.COMPILED_DIFFERS: lambda: tr("Different from the source"),
}


@dataclass(frozen=True, slots=True)
class CutRow:
    """One cut that is offered: what it is of, why, what it saves, and its button."""

    finding: Finding
    name: str
    why: str
    saves: str
    do: str
    tip: str


def cut_rows(file: FileState, ignored: Iterable[LintRule], most: int) -> tuple[CutRow, ...]:
    """The best cuts, those that save most first."""
    left_aside = frozenset(ignored)
    found = [each for each in file.findings if each.rule not in left_aside]
    found.sort(key=lambda each: -each.tokens)
    rows: list[CutRow] = []
    for finding in found:
        if len(rows) == most:
            break
        if is_cut(finding, file):
            rows.append(_row(finding, file))
    return tuple(rows)


def ignored_kinds(stored: str) -> frozenset[LintRule]:
    """The ignored kinds as the setting has them; names that mean nothing are passed over."""
    return frozenset(LintRule(name) for name in stored.split(",") if name in set(LintRule))


def stored_kinds(kinds: Iterable[LintRule]) -> str:
    """The ignored kinds for the setting."""
    return ",".join(sorted(each.value for each in kinds))


def kind_name(rule: LintRule) -> str:
    """What a person calls a kind of finding."""
    return KIND_NAMES[rule]()


def saving_text(finding: Finding) -> str:
    """What a finding's fix saves, nothing where it saves none."""
    count = Count(finding.tokens, finding.method)
    return tr("saves {tokens}", tokens=tokens(count)) if finding.tokens else ""


def why_text(finding: Finding) -> str:
    """What was found, as a sentence."""
    return tr_code(f"lint.{finding.rule.value}", finding.parameters)


def fix_button_text(finding: Finding) -> str:
    """The button of a finding's fix."""
    fix = finding.fix
    return "" if fix is None else tr_code(f"fix_button.{fix.action}", fix.parameters)


def fix_text(finding: Finding) -> str:
    """What the fix does, as a sentence."""
    fix = finding.fix
    return "" if fix is None else tr_code(f"fix.{fix.action}", fix.parameters)


def _row(finding: Finding, file: FileState) -> CutRow:
    return CutRow(
        finding,
        one_line(subject_of(finding, file), _LABEL_LENGTH),
        why_text(finding),
        saving_text(finding),
        fix_button_text(finding),
        fix_text(finding),
    )
