"""The what-if bar: every knob by click and key, the difference it tells, Apply, Undo and Discard."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton
from shiboken6 import isValid

from inspector.domain.agents import ContextConfig, Tool
from inspector.domain.blocks import BlockType
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit
from inspector.domain.edits.block_rows import DeleteBlock, SetLabel
from inspector.domain.edits.rows import ConfigureAgent, EditMessage, PutTool
from inspector.domain.edits.text import SetText, Splice, SpliceText
from inspector.domain.errors import Problem, Severity
from inspector.domain.limits import Hysteresis, Strategy
from inspector.domain.messages import TextPart
from inspector.domain.ref import Ref, RefKind
from inspector.domain.what_if import WhatIf
from inspector.ui.compare.request_states import LAST_SENT, WITH_DRAFTS
from inspector.ui.panels.budget import BudgetPanel
from inspector.ui.panels.request import RequestPanel
from inspector.ui.what_if.piece_text import PieceText
from inspector.ui.widgets.prompt import FormDialog
from tests.ui.conftest import Studio
from tests.ui.open_window import press_toast, said
from tests.ui.what_if.conftest import Begin, Trial, stored
from tests.ui.world import ADA, GRACE, NOTES, ONCALL, PERSONA, QUESTIONS, STORED

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support", extend=True)]
DEPLOY = Ref(RefKind.TOOL, "deploy")
MESSAGE = Ref(RefKind.MESSAGE, "msg_9")
PERSONA_TEXT = Ref(RefKind.LITERAL, "persona")


def open_limits(trial: Trial) -> FormDialog:
    trial.click(trial.bar.limits)
    return trial.studio.window.findChildren(FormDialog)[-1]


def fill(trial: Trial, form: FormDialog | None = None, **given: str) -> None:
    """Type limits into the form by their labels, and press its primary button."""
    form = open_limits(trial) if form is None else form
    for label, text in given.items():
        box = next(
            each for each in form.findChildren(QLineEdit) if each.accessibleName() == label.replace("_", " ")
        )
        box.clear()
        QTest.keyClicks(box, text)
    press(form, "Try")


def with_strategy(trial: Trial, strategy: Strategy) -> ContextConfig:
    return replace(trial.file.what_if.config_over(trial.agent.config), strategy=strategy)


async def open_text(trial: Trial, ref: Ref) -> PieceText:
    assert trial.do("what_if.edit", ref)
    await trial.until(lambda: trial.studio.window.findChildren(PieceText))
    [dialog] = trial.studio.window.findChildren(PieceText)
    return dialog


async def prompt_of(trial: Trial) -> str:
    """What the file has of the texts that a what-if can replace."""
    engine = trial.studio.opener.engine
    agent, message = await engine.agents.get(ADA.id), await engine.conversation.message(MESSAGE.id)
    tools, _ = await engine.agents.tools()
    assert agent is not None
    assert message is not None
    return str((agent.persona, agent.instructions, message.content, tools))


def press(dialog: QDialog, text: str) -> None:
    found = next(each for each in dialog.findChildren(QPushButton) if each.text() == text)
    QTest.mouseClick(found, Qt.MouseButton.LeftButton)


async def test_that_the_bar_opens_on_demand_and_closes_while_nothing_is_tried(begin: Begin) -> None:
    trial = await begin()
    assert "Nothing is tried yet" in trial.words()
    assert not trial.bar.apply.isVisible()
    assert trial.bar.discard.text() == "Close"
    trial.click(trial.bar.discard)
    assert not trial.bar.isVisible()


async def test_that_limits_are_tried_with_what_was_tried_while_their_form_was_open(begin: Begin) -> None:
    trial = await begin()
    form = open_limits(trial)
    assert trial.do("what_if.leave_out", QUESTIONS)
    trial.workspace.try_out(trial.file.what_if.with_layout(trial.agent, "xml"))
    await trial.built()
    fill(trial, form, Memory_cap="900")
    tried = trial.file.what_if
    assert (tried.dropped, tried.layout) == (frozenset({QUESTIONS}), "xml")
    assert tried.config_over(trial.agent.config).limits.memory_tokens == 900
    form = open_limits(trial)
    # The numbers of the form are those of another strategy by then.
    trial.workspace.try_out(trial.file.what_if.with_config(trial.agent, with_strategy(trial, Hysteresis())))
    fill(trial, form, Memory_cap="800")
    config = trial.file.what_if.config_over(trial.agent.config)
    assert config.strategy == Hysteresis()
    assert config.limits.memory_tokens == 800


async def test_that_the_form_of_limits_closes_with_another_agent(begin: Begin) -> None:
    trial = await begin()
    form = open_limits(trial)
    trial.workspace.show_agent(GRACE.id)
    await trial.until(lambda: not trial.studio.window.findChildren(FormDialog))
    await trial.calm()
    assert not isValid(form)
    assert trial.file.what_if == WhatIf()


async def test_that_a_limit_is_tried_applied_as_it_was_shown_and_undone(begin: Begin) -> None:
    trial = await begin()
    texts, config = trial.texts(), trial.agent.config
    fill(trial, History_budget="120", Reply_reserve="1,500")
    await trial.built()
    assert trial.file.tried is not None
    assert trial.file.tried.simulation is not None
    # Not the Request that was there first: what counts as recent activity depends on when it is built.
    before = trial.file.tried.simulation.before
    assert trial.file.tried.simulation.diff.delta == trial.request.tokens - before.tokens < 0
    assert [each.text() for each in trial.chips()] == ["reply reserve 1,500 ×", "history budget 120 ×"]
    assert f"−~{before.tokens - trial.request.tokens} tokens" in trial.words()
    assert "pieces out" in trial.words()
    assert trial.file.last_written is None
    tried, limits = (trial.texts(), trial.tokens()), trial.request.limits
    await trial.apply()
    assert trial.agent.config.limits.history_tokens == 120
    assert trial.agent.config.limits.memory_tokens == config.limits.memory_tokens
    assert trial.file.what_if == WhatIf()
    assert trial.request.limits == limits
    assert (trial.texts(), trial.tokens()) == tried
    assert not trial.bar.isVisible()
    await said(trial.studio, trial.until, "What-if applied to Ada: reply reserve 1,500, history budget 120.")
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: trial.agent.config == config)
    await trial.until(lambda: trial.texts() == texts)


async def test_that_a_model_is_tried_with_its_cost_and_applied_with_its_provider(begin: Begin) -> None:
    trial = await begin()
    trial.click(trial.bar.model)
    picker = trial.bar.models.picker
    assert picker is not None
    QTest.keyClicks(picker.search, "claude-sonnet-5")
    QTest.keyClick(picker.search, Qt.Key.Key_Return)
    await trial.built()
    tried, model = (trial.texts(), trial.tokens()), trial.request.model
    assert model.startswith("claude-sonnet-5")
    assert "a call" in trial.words()
    await trial.apply()
    assert (trial.agent.model, trial.agent.provider) == (model, "anthropic")
    assert (trial.texts(), trial.tokens()) == tried


async def test_that_the_agents_own_model_ends_the_trial_of_another(begin: Begin) -> None:
    trial = await begin()
    for model in ("claude-sonnet-5", trial.agent.model):
        trial.click(trial.bar.model)
        picker = trial.bar.models.picker
        assert picker is not None
        QTest.keyClicks(picker.search, model)
        QTest.keyClick(picker.search, Qt.Key.Key_Return)
    assert trial.file.what_if == WhatIf()
    await trial.until(lambda: trial.request.model == trial.agent.model)


async def test_that_layout_and_strategy_are_tried_and_applied_as_one_change(begin: Begin) -> None:
    trial = await begin()
    for picker, title in ((trial.bar.layout_, "xml"), (trial.bar.strategy, "Trim in steps (cache-friendly)")):
        next(each for each in picker.menu().actions() if each.text() == title).trigger()
    await trial.built()
    assert (trial.request.layout, trial.request.strategy) == ("xml", "hysteresis")
    tried = trial.texts(), trial.tokens()
    await trial.apply()
    assert trial.agent.config.layout == "xml"
    assert trial.agent.config.strategy == Hysteresis()
    assert trial.file.saved is not None
    assert (trial.texts(), trial.tokens()) == tried
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: trial.agent.config.layout == "standard")


async def test_that_a_tool_is_left_out_and_applied(begin: Begin) -> None:
    trial = await begin()
    trial.workspace.apply([Edit(ADA, ConfigureAgent(tools=("deploy",)))])
    await trial.until(lambda: trial.agent.tools == ("deploy",))
    await trial.calm()
    assert trial.do("what_if.leave_out", DEPLOY)
    await trial.built()
    assert "tools" not in [each.name for each in trial.request.sections]
    assert [each.text() for each in trial.chips()] == ["deploy left out ×"]
    tried = trial.texts(), trial.tokens()
    await trial.apply()
    assert trial.agent.tools == ()
    assert (trial.texts(), trial.tokens()) == tried


async def test_that_a_message_that_was_left_out_is_archived(begin: Begin) -> None:
    trial = await begin()
    message = Ref(RefKind.MESSAGE, "msg_9")
    assert trial.do("what_if.leave_out", message)
    await trial.built()
    assert "Is step 9 done?" not in trial.texts()
    tried = trial.tokens()
    await trial.apply()
    assert "Is step 9 done?" not in trial.texts()
    assert trial.tokens() == tried
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: "Is step 9 done?" in trial.texts())


async def test_that_another_agents_block_left_out_is_said_to_stay_and_stays(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", ONCALL)
    await trial.built()
    assert "left out (change who sees it in its Sharing view)." in trial.words()
    assert not trial.bar.apply.isEnabled()
    fill(trial, History_budget="300")
    await trial.built()
    await trial.apply()
    assert trial.file.what_if == WhatIf(dropped=frozenset({ONCALL}))
    assert trial.agent.config.limits.history_tokens == 300
    assert ONCALL not in [piece.source.ref for each in trial.request.sections for piece in each.pieces]
    assert not trial.do("what_if.leave_out", ONCALL)
    assert trial.do("what_if.put_in", ONCALL)
    assert trial.file.what_if == WhatIf()


async def test_that_an_own_block_left_out_becomes_archival_and_comes_back_by_undo(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", PERSONA)
    await trial.built()
    tried = trial.tokens()
    await trial.apply()
    assert trial.file.what_if == WhatIf()
    assert trial.file.blocks[PERSONA.id].block.block_type is BlockType.ARCHIVAL
    assert trial.tokens() == tried
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: trial.file.blocks[PERSONA.id].block.block_type is BlockType.CORE)


async def test_that_a_what_if_is_seen_whatever_state_of_the_request_was_shown(begin: Begin) -> None:
    trial = await begin()
    panel = trial.studio.window.centre.view(("request", None))
    assert isinstance(panel, RequestPanel)
    panel.states.segments.choose(LAST_SENT)
    assert trial.do("what_if.leave_out", PERSONA)
    assert panel.states.segments.current == WITH_DRAFTS


async def test_that_a_click_on_a_part_takes_it_back(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", PERSONA)
    assert trial.do("what_if.leave_out", QUESTIONS)
    await trial.built()
    trial.click(trial.chips()[0])
    assert trial.file.what_if == WhatIf(dropped=frozenset({QUESTIONS}))


async def test_that_another_text_is_tried_while_it_is_typed_and_applied(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.edit", QUESTIONS)
    await trial.until(lambda: trial.studio.window.findChildren(PieceText))
    dialog = trial.studio.window.findChild(PieceText)
    assert dialog is not None
    QTest.keyClicks(dialog.editor, "First: ")
    await trial.built()
    assert f"First: {STORED}" in trial.request.text
    assert await trial.studio.opener.text() == STORED
    tried = trial.texts()
    press(dialog, "Close")
    await trial.apply()
    assert await trial.studio.opener.text() == f"First: {STORED}"
    assert trial.texts() == tried
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: STORED in trial.request.text and "First:" not in trial.request.text)


async def test_that_a_text_that_others_changed_meanwhile_keeps_their_words(begin: Begin) -> None:
    trial = await begin()
    state = trial.file.blocks[QUESTIONS.id]
    trial.workspace.try_out(WhatIf().with_text(QUESTIONS, f"Mine. {STORED}", state.version))
    await trial.studio.opener.insert(len(STORED), " Theirs.")
    await trial.built()
    await trial.apply()
    assert await trial.studio.opener.text() == f"Mine. {STORED} Theirs."


async def test_that_the_text_of_a_message_is_tried_and_applied(begin: Begin) -> None:
    trial = await begin()
    dialog = await open_text(trial, MESSAGE)
    QTest.keyClicks(dialog.editor, "Please: ")
    await trial.built()
    assert "Please: Is step 9 done?" in trial.request.text
    trial.click(dialog.reset)
    assert trial.file.what_if == WhatIf()
    QTest.keyClicks(dialog.editor, "So? ")
    await trial.built()
    tried = trial.tokens()
    await trial.apply()
    assert "So? Is step 9 done?" in trial.request.text
    assert trial.tokens() == tried


async def test_that_the_persona_is_tried_and_applied(begin: Begin) -> None:
    trial = await begin()
    trial.workspace.try_out(WhatIf().with_text(PERSONA_TEXT, "You are brief."))
    await trial.built()
    assert "You are brief." in trial.request.text
    tried = trial.texts(), trial.tokens()
    await trial.apply()
    assert trial.agent.persona == "You are brief."
    assert (trial.texts(), trial.tokens()) == tried


async def test_that_a_what_if_lies_on_top_of_drafts(begin: Begin) -> None:
    trial = await begin()
    edit = Edit(QUESTIONS, SpliceText((Splice(0, 0, "drafted "),)))
    trial.workspace.set_draft(edit, TextContent(f"drafted {STORED}"))
    trial.workspace.try_out(WhatIf(layout="xml"))
    await trial.built()
    tried = trial.file.tried
    assert tried is not None
    assert tried.before is not None
    assert "drafted" in tried.before.text
    assert "drafted" in trial.request.text
    assert trial.request.layout == "xml"
    assert tried.before.layout == "standard"


async def test_that_the_text_of_a_block_with_unsaved_changes_stays_tried(begin: Begin) -> None:
    trial = await begin()
    edit = Edit(QUESTIONS, SpliceText((Splice(0, 0, "drafted "),)))
    trial.workspace.set_draft(edit, TextContent(f"drafted {STORED}"))
    trial.workspace.try_out(WhatIf().with_text(QUESTIONS, "tried"))
    await trial.built()
    assert "open_questions: other text (it has unsaved changes)" in trial.words()
    assert not trial.bar.apply.isEnabled()


async def test_that_a_text_that_somebody_else_changed_at_the_same_place_is_not_applied(begin: Begin) -> None:
    trial = await begin()
    state = trial.file.blocks[QUESTIONS.id]
    tried = WhatIf().with_text(QUESTIONS, STORED.replace("arm64 runner", "MINE"), state.version)
    trial.workspace.try_out(tried)
    await trial.built()
    theirs = STORED.replace("arm64 runner", "THEIRS")
    await trial.studio.opener.write(QUESTIONS, SpliceText((Splice(STORED.index("arm64"), 12, "THEIRS"),)))
    trial.click(trial.bar.apply)
    await said(trial.studio, trial.until, "Nothing was applied")
    await trial.calm()
    assert await trial.studio.opener.text() == theirs
    assert trial.file.what_if == tried


TRIED_TEXTS = {
    PERSONA_TEXT: ConfigureAgent(persona="You are Ada. Theirs."),
    Ref(RefKind.LITERAL, "instructions/0"): ConfigureAgent(instructions=("Theirs.", "Be brief.", "Ask.")),
    Ref(RefKind.LITERAL, "instructions/1"): ConfigureAgent(instructions=("Be brief.",)),
    MESSAGE: EditMessage((TextPart("Theirs."),)),
    DEPLOY: PutTool(Tool("deploy", "Theirs.", "{}")),
}


@pytest.mark.parametrize("ref", TRIED_TEXTS, ids=str)
async def test_that_a_text_that_somebody_else_changed_is_not_replaced_by_the_tried_one(
    begin: Begin, ref: Ref, studio: Studio
) -> None:
    settings = ConfigureAgent(instructions=("Be brief.", "Ask."), tools=("deploy",))
    await studio.opener.change_file(Edit(ADA, settings))
    trial = await begin()
    dialog = await open_text(trial, ref)
    QTest.keyClicks(dialog.editor, "Mine. ")
    await trial.built()
    tried, before = trial.file.what_if, trial.file.last_written
    await studio.opener.write(ref if ref.kind is not RefKind.LITERAL else ADA, TRIED_TEXTS[ref])
    await trial.until(lambda: trial.file.last_written is not before)
    await trial.built()
    theirs = await prompt_of(trial)
    trial.click(trial.bar.apply)
    await said(studio, trial.until, "Nothing was applied: someone else changed")
    await trial.calm()
    assert await prompt_of(trial) == theirs
    assert "Mine." not in theirs
    assert trial.file.what_if == tried


async def test_that_a_text_begun_again_after_somebody_elses_change_is_applied(begin: Begin) -> None:
    trial = await begin()
    dialog = await open_text(trial, PERSONA_TEXT)
    QTest.keyClicks(dialog.editor, "Mine. ")
    await trial.studio.opener.write(ADA, ConfigureAgent(persona="Theirs."))
    await trial.until(lambda: trial.agent.persona == "Theirs.")
    await trial.calm()
    trial.click(dialog.reset)
    assert trial.file.what_if == WhatIf()
    assert dialog.editor.text == "Theirs."
    dialog.editor.select_range(0, 0)
    QTest.keyClicks(dialog.editor, "Mine. ")
    await trial.built()
    await trial.apply()
    assert trial.agent.persona == "Mine. Theirs."


async def test_that_the_text_of_a_what_if_closes_with_apply_and_can_be_changed_again(begin: Begin) -> None:
    trial = await begin()
    dialog = await open_text(trial, QUESTIONS)
    QTest.keyClicks(dialog.editor, "One. ")
    await trial.built()
    await trial.apply()
    await trial.until(lambda: not trial.studio.window.findChildren(PieceText))
    dialog = await open_text(trial, QUESTIONS)
    QTest.keyClicks(dialog.editor, "Two. ")
    await trial.built()
    await trial.apply()
    assert await trial.studio.opener.text() == f"Two. One. {STORED}"


async def test_that_discard_leaves_the_file_as_it_was(begin: Begin) -> None:
    trial = await begin()
    before, texts, files = trial.request, trial.texts(), stored(trial.studio.opener.path)
    fill(trial, Memory_cap="900")
    assert trial.do("what_if.leave_out", PERSONA)
    trial.workspace.try_out(trial.file.what_if.with_text(QUESTIONS, "tried").with_layout(trial.agent, "xml"))
    await trial.built()
    trial.click(trial.bar.discard)
    await trial.until(lambda: trial.file.request_problem is None and trial.request.layout == before.layout)
    await trial.calm()
    assert trial.texts() == texts
    assert not trial.bar.isVisible()
    assert stored(trial.studio.opener.path) == files


async def test_that_discard_by_key_leaves_the_selection_and_the_keyboard_at_the_request(
    begin: Begin,
) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", PERSONA)
    await trial.built()
    trial.bar.discard.setFocus()
    QTest.keyClick(trial.bar.discard, Qt.Key.Key_Space)
    await trial.until(lambda: not trial.bar.isVisible())
    await trial.calm()
    assert trial.studio.contents.services.selection.ref == PERSONA
    request = trial.studio.window.centre.currentWidget()
    assert isinstance(request, RequestPanel)
    assert QApplication.focusWidget() is request.view


async def test_that_each_agent_has_its_own_and_another_file_none(begin: Begin) -> None:
    trial = await begin()
    fill(trial, Memory_cap="900")
    tried = trial.file.what_if
    trial.workspace.show_agent(GRACE.id)
    assert trial.file.what_if == WhatIf()
    await trial.until(lambda: trial.file.request)
    trial.workspace.show_agent(ADA.id)
    assert trial.file.what_if == tried
    await trial.built()
    assert trial.request.limits.memory_tokens == 900
    trial.workspace.open(trial.studio.opener.copy("other.constellation"))
    await trial.until(lambda: trial.file.path and trial.file.path.name == "other.constellation")
    assert trial.file.what_if == WhatIf()
    assert not trial.file.set_aside


async def test_that_a_what_if_survives_other_tabs(begin: Begin) -> None:
    trial = await begin()
    fill(trial, Memory_cap="900")
    await trial.built()
    trial.studio.contents.services.selection.open(NOTES)
    assert not trial.bar.isVisible()
    trial.do("view.request")
    assert trial.bar.isVisible()
    assert [each.text() for each in trial.chips()] == ["memory cap 900 ×"]


async def test_that_what_is_gone_meanwhile_is_told_and_can_be_taken_out(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", QUESTIONS)
    await trial.built()
    await trial.studio.opener.write(QUESTIONS, DeleteBlock())
    await trial.until(lambda: trial.file.request_problem is not None)
    assert trial.bar.isVisible()
    trial.click(trial.chips()[0])
    await trial.until(lambda: trial.file.request is not None)
    assert trial.file.what_if == WhatIf()


async def test_that_settings_that_others_made_meanwhile_are_kept(begin: Begin) -> None:
    trial = await begin()
    fill(trial, History_budget="300")
    await trial.built()
    config = replace(trial.agent.config, max_messages_cap=7)
    await trial.studio.opener.write(ADA, ConfigureAgent(config=config))
    await trial.until(lambda: trial.agent.config.max_messages_cap == 7)
    await trial.calm()
    assert [each.text() for each in trial.chips()] == ["history budget 300 ×"]
    await trial.apply()
    assert trial.agent.config.max_messages_cap == 7
    assert trial.agent.config.limits.history_tokens == 300


async def test_that_a_read_only_file_can_be_tried_and_not_changed(begin: Begin, studio: object) -> None:
    problem = Problem("file.read_only", Severity.WARNING, "", {})
    studio.opener.prepare = lambda session: setattr(session, "read_only", problem)  # type: ignore[attr-defined]
    trial = await begin()
    fill(trial, History_budget="300")
    await trial.built()
    assert not trial.bar.apply.isEnabled()
    assert trial.bar.discard.isEnabled()


async def test_that_a_limit_that_makes_a_request_possible_is_told_without_a_difference(begin: Begin) -> None:
    trial = await begin()
    text = "far too much " * 20_000
    trial.workspace.set_draft(Edit(PERSONA, SpliceText((Splice(0, 0, text),))), TextContent(text))
    await trial.until(lambda: trial.file.request_problem is not None)
    fill(trial, Context_window="200,000", Memory_cap="150,000")
    await trial.until(lambda: trial.file.request is not None)
    await trial.calm()
    assert "can't be compared" in trial.words()


async def test_that_a_click_on_a_changed_piece_selects_it(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", QUESTIONS)
    await trial.built()
    trial.studio.contents.services.selection.clear()
    trial.click(trial.bar.fold)
    changes = trial.bar.changes
    row = next(at for at, each in enumerate(changes.rows) if each.ref == QUESTIONS)
    box = changes.visualRect(changes.model().index(row, 0))
    QTest.mouseClick(changes.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert trial.studio.contents.services.selection.ref == QUESTIONS
    assert changes.rows[row].mark == "−"


async def test_that_numbers_no_limit_can_be_are_refused_in_the_form(begin: Begin) -> None:
    trial = await begin()
    trial.click(trial.bar.limits)
    form = trial.studio.window.findChildren(FormDialog)[-1]
    box = form.findChildren(QLineEdit)[0]
    ok = next(each for each in form.findChildren(QPushButton) if each.text() == "Try")
    for text in ("-1", "many", "1e9", "٣", "999999999999"):
        box.setText(text)
        assert not ok.isEnabled(), text
    form.reject()
    assert trial.file.what_if == WhatIf()


async def test_that_a_block_left_out_is_put_in_from_the_left_out_list(begin: Begin) -> None:
    trial = await begin()
    assert trial.do("what_if.leave_out", PERSONA)
    await trial.built()
    budget = trial.studio.window.panel("budget")
    assert isinstance(budget, BudgetPanel)
    button = budget.left_out.button(f"block:{PERSONA.id}:dropped_in_what_if")
    assert button is not None
    assert button.text().startswith("Include (+")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert trial.file.what_if == WhatIf()


async def test_that_a_block_put_in_is_pinned_by_apply(begin: Begin) -> None:
    trial = await begin()
    fill(trial, Memory_cap="700")
    await trial.built()
    out = next(each.source.ref for each in trial.request.left_out if each.source.kind == "block")
    assert out is not None
    assert trial.do("what_if.put_in", out)
    await trial.built()
    await trial.apply()
    assert trial.file.blocks[out.id].block.pinned
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: not trial.file.blocks[out.id].block.pinned)


async def test_that_an_archival_block_put_in_is_in_the_request_and_stays_there(begin: Begin) -> None:
    trial = await begin()
    out = next(each.source.ref for each in trial.request.left_out if each.rule == "archival_type")
    assert out is not None
    assert trial.do("what_if.put_in", out)
    await trial.built()
    assert out in {piece.source.ref for section in trial.request.sections for piece in section.pieces}
    tried = trial.tokens()
    await trial.apply()
    assert trial.tokens() == tried
    assert trial.file.blocks[out.id].block.block_type is BlockType.WORKING
    press_toast(trial.studio, "Undo")
    await trial.until(lambda: trial.file.blocks[out.id].block.block_type is BlockType.ARCHIVAL)
    assert not trial.file.blocks[out.id].block.pinned


async def test_that_what_no_choice_puts_in_is_not_offered(begin: Begin) -> None:
    trial = await begin()
    await trial.studio.opener.change_file(Edit(NOTES, SetText("")))
    await trial.until(lambda: any(each.rule == "empty" for each in trial.request.left_out))
    trial.studio.contents.services.selection.select(NOTES)
    assert trial.studio.contents.services.actions.row("what_if.put_in").why_not() == "it's empty"


async def test_that_hostile_names_are_shown_as_they_are_written(begin: Begin) -> None:
    trial = await begin()
    name = "<b>A&B</b>\u202e\nx"
    trial.workspace.apply([Edit(ADA, ConfigureAgent(name=name)), Edit(QUESTIONS, SetLabel("a&b<i>"))])
    await trial.until(lambda: trial.agent.name == name)
    assert trial.do("what_if.leave_out", QUESTIONS)
    trial.workspace.try_out(trial.file.what_if.with_layout(trial.agent, "xml"))
    await trial.built()
    assert trial.bar.apply.text() == "Apply to <b>A&&B</b>[RLO] x"
    assert [each.text() for each in trial.chips()] == ["a&&b<i> left out ×"]
