"""Everything that an adapter tells can be said."""

from __future__ import annotations

from inspector.domain.wire.values import WireForm
from inspector.runtime.wire import ADAPTERS
from inspector.runtime.wording import word
from tests.providers.request_strategies import invented


def test_that_every_adaptation_has_words_and_all_they_name() -> None:
    told = {}
    for form in WireForm:
        for seed in range(400):
            for problem in ADAPTERS[form](invented(seed, form)).adaptations:
                told[problem.code] = problem
    assert len(told) > 20
    for code, problem in told.items():
        said = word(code, problem.parameters)
        assert said != code
        assert not said.startswith(code)
        assert word(f"problem.{code}", problem.parameters) == said
        assert "?" not in word(code, dict.fromkeys(problem.parameters, "x")), code
