"""What the button of a fix does while something is tried, and when it may be taken back."""

from dataclasses import replace

from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import SetPinned
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.limits import Truncate
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix, FixStep
from inspector.ui.file_state import WhatIf
from inspector.ui.presentation.fixes import edit_back, edit_for, stands, tried_with
from tests.context.builders import a_block, an_agent


def test_that_a_tried_layout_gives_way_to_the_agents_own() -> None:
    agent = an_agent()
    fix = Fix("set_layout", Ref(RefKind.AGENT, agent.id), agent.config.layout, {})
    tried = tried_with(fix, agent, WhatIf(layout="minimal"))
    assert tried is not None
    assert tried.layout == agent.config.layout


def test_that_a_fix_stands_until_somebody_sets_it_otherwise() -> None:
    agent = an_agent()
    target = Ref(RefKind.AGENT, agent.id)
    edit = edit_for(Fix("raise_history_tokens", target, 9_000, {}), agent)
    assert edit is not None
    assert isinstance(edit.operation, ConfigureAgent)
    assert edit.operation.config is not None
    assert not stands(edit, agent, None)
    assert stands(edit, replace(agent, config=edit.operation.config), None)
    block = a_block("notes", "x").block
    pin = edit_for(Fix("pin", Ref(RefKind.BLOCK, block.id), None, {}), agent, block)
    assert pin is not None
    assert isinstance(pin.operation, SetPinned)
    assert not stands(pin, agent, block)
    assert stands(pin, agent, replace(block, pinned=True))
    assert not stands(pin, agent, None)


def test_that_a_fix_of_several_settings_is_one_edit_of_them_all_and_is_taken_back_as_one() -> None:
    agent = an_agent()
    target = Ref(RefKind.AGENT, agent.id)
    steps = (FixStep("raise_keep_recent", 40), FixStep("raise_history_tokens", 9_000))
    fix = Fix("raise_history", target, None, {"messages": 40, "tokens": 9_000}, steps)
    edit = edit_for(fix, agent)
    assert edit is not None
    limits = replace(agent.config.limits, history_tokens=9_000)
    config = replace(agent.config, limits=limits, strategy=Truncate(40))
    assert edit == Edit(target, ConfigureAgent(config=config))
    assert edit_back(edit, agent) == Edit(target, ConfigureAgent(config=agent.config))
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
