"""What is typed in a message while it is being saved is unsaved work afterwards, on what was saved."""

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from inspector.domain.messages import TextPart
from tests.ui.open_window import calm
from tests.ui.panels.messages_tab import MessagesTab, OpenMessages
from tests.ui.world import Spy


async def test_that_what_is_typed_while_a_message_is_saved_is_kept_and_saved_next(
    messages: OpenMessages,
) -> None:
    one = await messages()
    await one.read()
    await one.click("Is step 8 done?")
    await one.press("Edit")
    await calm(one.studio, one.until)
    one.editor.setFocus()
    one.editor.select_range(0, 0)
    QTest.keyClicks(one.editor, "First. ")
    await calm(one.studio, one.until)
    writing = Spy(one.world.engine, "apply")
    writing.gate.clear()
    QTest.keySequence(one.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: writing.calls)
    QTest.keyClicks(one.editor, "Second. ")
    writing.gate.set()
    await calm(one.studio, one.until)
    assert await texts(one) == ["First. Is step 8 done?"]
    assert one.editor.text == "First. Second. Is step 8 done?"
    assert len(one.workspace.file.records) == 1
    QTest.keySequence(one.editor, QKeySequence(QKeySequence.StandardKey.Save))
    await one.until(lambda: not one.workspace.file.records)
    await calm(one.studio, one.until)
    assert await texts(one) == ["First. Second. Is step 8 done?"]


async def texts(one: MessagesTab) -> list[str]:
    message = await one.world.engine.conversation.message("msg_8")
    assert message is not None
    return [each.text for each in message.content if isinstance(each, TextPart)]
