from dataclasses import replace
from datetime import UTC, datetime, timedelta

from inspector.domain.calibration import RUNS_KEPT, Calibration, correction

AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
ROW = Calibration("claude-opus-5-5", "claude_4_8", 1_000, 1_100, AT, "run_1")


def test_that_a_ratio_is_what_was_reported_by_what_was_counted_over_all_calls() -> None:
    found = correction((ROW, replace(ROW, counted=3_000, reported=2_900)), ROW.model, ROW.tokenizer)
    assert found is not None
    assert (found.runs, found.ratio) == (2, 4_000 / 4_000)
    assert (found.least, found.most) == (2_900 / 3_000, 1.1)


def test_that_a_correction_says_what_a_count_would_be() -> None:
    found = correction((ROW,), ROW.model, ROW.tokenizer)
    assert found is not None
    assert found.corrected(500) == 550


def test_that_other_models_and_other_tokenizers_tell_nothing() -> None:
    assert correction((ROW,), "gpt-4o", ROW.tokenizer) is None
    assert correction((ROW,), ROW.model, "generic") is None
    assert correction((), ROW.model, ROW.tokenizer) is None


def test_that_only_calls_before_a_moment_tell_of_it() -> None:
    assert correction((ROW,), ROW.model, ROW.tokenizer, AT) is None
    assert correction((ROW,), ROW.model, ROW.tokenizer, AT + timedelta(seconds=1)) is not None


def test_that_the_newest_calls_count_whatever_their_order() -> None:
    old = [replace(ROW, reported=9_000, at=AT - timedelta(days=1 + day)) for day in range(5)]
    new = [replace(ROW, at=AT + timedelta(days=day)) for day in range(RUNS_KEPT)]
    found = correction((*new, *old), ROW.model, ROW.tokenizer)
    assert found is not None
    assert (found.runs, found.ratio) == (RUNS_KEPT, 1.1)


def test_that_a_call_without_figures_is_passed_over() -> None:
    assert correction((replace(ROW, counted=0),), ROW.model, ROW.tokenizer) is None
    assert correction((replace(ROW, reported=0),), ROW.model, ROW.tokenizer) is None
