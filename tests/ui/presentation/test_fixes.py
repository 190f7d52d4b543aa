"""What the button of a fix does, and what it does while something is tried."""

from dataclasses import replace

from inspector.domain.agents import SettingsBase
from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, FixStep
from inspector.domain.what_if import WhatIf
from inspector.ui.presentation.fixes import edit_for, tried_with
from tests.context.builders import an_agent


def test_that_a_tried_layout_gives_way_to_the_agents_own() -> None:
    agent = an_agent()
    fix = Fix("set_layout", Ref(RefKind.AGENT, agent.id), agent.config.layout, {})
    tried = tried_with(fix, agent, WhatIf(layout="minimal"))
    assert tried is not None
    assert tried.layout == agent.config.layout


def test_that_a_fix_of_several_settings_is_one_edit_of_them_all() -> None:
    agent = an_agent()
    target = Ref(RefKind.AGENT, agent.id)
    steps = (FixStep("raise_keep_recent", 40), FixStep("raise_history_tokens", 9_000))
    fix = Fix("raise_history", target, None, {"messages": 40, "tokens": 9_000}, steps)
    edit = edit_for(fix, agent)
    assert edit is not None
    limits = replace(agent.config.limits, history_tokens=9_000)
    config = replace(agent.config, limits=limits, strategy=Truncate(40))
    base = SettingsBase(config=agent.config)
    assert edit == Edit(target, ConfigureAgent(config=config, base=base))
    tried = tried_with(fix, agent, WhatIf(model="other"))
    assert tried == WhatIf(model="other", config=config)


def test_that_a_fix_of_which_one_step_cannot_be_made_is_told_in_words_only() -> None:
    agent = an_agent()
    target = Ref(RefKind.AGENT, agent.id)
    steps = (FixStep("raise_history_tokens", 9_000), FixStep("raise_verbatim_count", 12))
    fix = Fix("raise_history", target, None, {}, steps)
    assert edit_for(fix, agent) is None
    assert tried_with(fix, agent, WhatIf(model="other")) is None
    assert edit_for(replace(fix, steps=(FixStep("pin", 1),)), agent) is None
