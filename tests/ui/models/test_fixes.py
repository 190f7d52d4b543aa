"""What the button of a fix does while something is tried, and when it may be taken back."""

from dataclasses import replace

from inspector.domain.edits.block_rows import SetPinned
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.ref import Ref, RefKind
from inspector.domain.requests import Fix
from inspector.ui.known import WhatIf
from inspector.ui.models.fixes import edit_for, stands, tried_with
from tests.context.invented import a_block, an_agent


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
