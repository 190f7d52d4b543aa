import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector.domain.changes import FileMoved
from inspector.domain.errors import DocumentError, FileError, InputError, Refusal, RefusedError
from inspector.ui.bridge import Bridge
from inspector.ui.failures import FailureText, failure_of
from tests.ui.conftest import Until


@pytest.fixture
def bridge(qloop: asyncio.AbstractEventLoop) -> Bridge:
    return Bridge(qloop)


async def give(value: int) -> int:
    await asyncio.sleep(0)
    return value


async def fail(error: BaseException) -> None:
    await asyncio.sleep(0)
    raise error


async def test_that_a_result_comes_back_on_this_thread(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    got: list[int] = []
    bridge.spawn(give(7), name="giving", on_done=got.append)
    assert bridge.running == ("giving",)
    await until(lambda: got)
    assert got == [7]
    assert len(bridge.running) == 0


async def test_that_an_error_takes_one_path(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    said: list[FailureText] = []
    bridge.failed.connect(said.append)
    bridge.spawn(fail(ValueError("odd")), name="counting")
    await until(lambda: said)
    assert said[0].fault
    assert "counting" in said[0].happened
    assert said[0].details.endswith("ValueError")
    # A message may quote the file, and details are made to be passed on.
    assert "odd" not in said[0].details


async def test_that_whoever_deals_with_an_error_keeps_it_from_the_others(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    said: list[FailureText] = []
    seen: list[BaseException] = []
    bridge.failed.connect(said.append)

    def take(error: BaseException) -> bool:
        seen.append(error)
        return True

    bridge.spawn(fail(RefusedError(Refusal("refused.permission"))), name="saving", on_error=take)
    await until(lambda: seen)
    await asyncio.sleep(0.01)
    assert not said


async def test_that_a_newer_call_cancels_the_older(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    got: list[int] = []

    async def slow(value: int) -> int:
        await asyncio.sleep(0.05)
        return value

    for value in range(5):
        bridge.supersede("key", slow(value), name="slowly", on_done=got.append)
    bridge.supersede("other", slow(100), name="slowly", on_done=got.append)
    await until(lambda: len(got) == 2)
    assert sorted(got) == [4, 100]


async def test_that_closing_cancels_all_and_starts_nothing_more(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge
) -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    bridge.spawn(endless(), name="waiting")
    bridge.supersede("key", endless(), name="waiting")
    await asyncio.sleep(0)
    await bridge.close()
    assert ended == ["ended", "ended"]
    assert bridge.spawn(give(1), name="late") is None
    assert bridge.running == ()


async def test_that_a_feed_becomes_a_signal_until_it_is_replaced(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    said: list[FileMoved] = []
    bridge.changed.connect(said.append)

    async def feed(what: str) -> AsyncIterator[FileMoved]:
        yield FileMoved(what)
        await asyncio.Event().wait()

    bridge.follow(feed("one"), key="feed", name="following")
    await until(lambda: said)
    bridge.follow(feed("two"), key="feed", name="following")
    await until(lambda: len(said) == 2)
    assert [each.what for each in said] == ["one", "two"]
    assert bridge.running == ("following",)
    await bridge.close()


class Hearer(QObject):
    """Hears results."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[int] = []

    def hear(self, value: int) -> None:
        self.heard.append(value)

    def later(self) -> Callable[[int], None]:
        return lambda value: self.hear(value)


async def test_that_what_is_gone_hears_nothing(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    gone, there = Hearer(), Hearer()
    bridge.spawn(give(1), name="giving", on_done=gone.hear)
    bridge.spawn(give(1), name="giving", on_done=partial(gone.hear))
    bridge.spawn(give(2), name="giving", on_done=there.hear)
    shiboken6.delete(gone)
    await until(lambda: there.heard)
    assert gone.heard == []


class HearingWidget(QWidget):
    """As `Hearer`, on screen."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: list[int] = []

    def later(self) -> Callable[[int], None]:
        return lambda value: self.heard.append(value)


async def test_that_a_function_of_a_widget_that_is_gone_hears_nothing(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    gone, there = HearingWidget(), HearingWidget()
    bridge.spawn(give(1), name="giving", on_done=gone.later())
    bridge.spawn(give(2), name="giving", on_done=there.later())
    shiboken6.delete(gone)
    await until(lambda: not bridge.running)
    assert (gone.heard, there.heard) == ([], [2])
    there.deleteLater()


async def test_that_work_which_outlives_its_panel_hears_how_it_ended(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    work = Hearer()
    bridge.spawn(give(1), name="giving", on_done=work.later())
    shiboken6.delete(work)
    await until(lambda: not bridge.running)
    assert work.heard == [1]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (RefusedError(Refusal("refused.permission")), False),
        (InputError("input.odd"), False),
        (FileError("file.replaced"), False),
        (DocumentError("document.damaged"), False),
        (OSError(28, "No space left on device"), False),
        (KeyError("x"), True),
    ],
)
def test_that_a_failure_says_what_it_means_and_what_to_do(error: Exception, fault: bool) -> None:
    failure = failure_of(error, doing="Saving persona")
    assert failure.fault is fault
    assert "Saving persona" in failure.happened
    assert failure.meaning
    assert failure.advice
    assert type(error).__name__ in failure.details


async def test_that_how_something_ends_that_was_given_up_is_no_news(
    qloop: asyncio.AbstractEventLoop, bridge: Bridge, until: Until
) -> None:
    said: list[FailureText] = []
    bridge.failed.connect(said.append)

    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise ValueError("Connection closed") from None

    bridge.supersede("reading", stubborn(), name="reading")
    await asyncio.sleep(0)
    got: list[int] = []
    bridge.supersede("reading", give(7), name="reading", on_done=got.append)
    await until(lambda: got and not bridge.running)
    assert said == []
