"""What every test stands on: garbage collection, scratch folders, hostile texts, coroutines."""

import asyncio
import gc
import inspect
import os
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import wraps
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fixtures import clock, engine, opened, second_process, surroundings  # noqa: F401  # fixtures for every test
from tests.hostile_texts import HOSTILE_TEXTS

# The collector runs in whichever thread allocates; in a database's thread it would destroy Qt objects there.
gc.disable()
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# No test reaches the key store of whoever runs it.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
# Nor the settings, the state and the sample file of whoever runs it; programs that a test starts inherit the places.
_HOME = tempfile.TemporaryDirectory(prefix="context-inspector-home-", ignore_cleanup_errors=True)
for _kind in ("CONFIG", "DATA", "STATE"):
    os.environ[f"XDG_{_kind}_HOME"] = str(Path(_HOME.name) / _kind.lower())
# The same examples in every run, so that a red run is the change's doing; `tests.bench.properties` looks for new ones.
# No example has a time to keep to: on a busy machine that would be the machine's doing.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _UNTIMED, derandomize=True)
settings.register_profile("new", _UNTIMED, derandomize=False)
settings.load_profile("same")

SHARED_MEMORY = Path("/dev/shm")
SAMPLES = Path(__file__).resolve().parents[2] / "shared" / "samples"
COROUTINE_SECONDS = 60.0


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection, which then costs next to nothing."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _collect_on_this_thread() -> Iterator[None]:
    yield
    gc.collect()


@pytest.fixture
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the machine's clock show the time of a zone: of Berlin, unless the test names another one."""
    if not hasattr(time, "tzset"):
        pytest.skip("Windows has no call that sets the zone of a process")
    monkeypatch.setenv("TZ", getattr(request, "param", "Europe/Berlin"))
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Leave what outlives a test out of later collections: caches, made-up worlds, hundreds of thousands of values."""
    outcome = yield
    # Only now has pytest let go of the test's fixtures.
    gc.collect()
    gc.freeze()
    return outcome


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test on plain asyncio; one with the fixture `qloop` runs on Qt's loop instead.

    A fixture that gives an asynchronous context manager is open while the test runs: the test gets what it opens.
    """
    if "qloop" in pyfuncitem.fixturenames:
        return None
    limit = _seconds_allowed(pyfuncitem)
    # Under hypothesis the coroutine is inside, called once per example.
    handle = getattr(pyfuncitem.obj, "hypothesis", None)
    if handle is not None and inspect.iscoroutinefunction(handle.inner_test):
        handle.inner_test = _on_asyncio(handle.inner_test, limit)
        return None
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames  # noqa: SLF001 - as pytest's own implementation of this hook does
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}
    _on_asyncio(pyfuncitem.obj, limit)(**arguments)
    return True


def _seconds_allowed(item: pytest.Function) -> float:
    marker = item.get_closest_marker("timeout")
    return float(marker.args[0]) if marker is not None and marker.args else COROUTINE_SECONDS


def _on_asyncio(test: Callable[..., Awaitable[object]], seconds: float) -> Callable[..., None]:
    @wraps(test)
    def call(*args: object, **kwargs: object) -> None:
        async def within_the_limit() -> None:
            async with asyncio.timeout(seconds), AsyncExitStack() as open_ones:
                given = {
                    name: await open_ones.enter_async_context(value)
                    if isinstance(value, AbstractAsyncContextManager)
                    else value
                    for name, value in kwargs.items()
                }
                await test(*args, **given)

        asyncio.run(within_the_limit())

    return call


@pytest.fixture
def tmp_db_dir(tmp_path: Path) -> Iterator[Path]:
    """A new folder for databases, private to the user, in memory where the system has such a place."""
    if not os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        folder = tmp_path / "databases"
        folder.mkdir(mode=0o700)
        yield folder
        return
    folder = Path(tempfile.mkdtemp(prefix="context-inspector-", dir=SHARED_MEMORY))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def hostile_texts() -> dict[str, str]:
    """All hostile texts by name, for tests that want many at once."""
    return dict(HOSTILE_TEXTS)


@pytest.fixture(params=list(HOSTILE_TEXTS.values()), ids=list(HOSTILE_TEXTS))
def hostile_text(request: pytest.FixtureRequest) -> str:
    """One hostile text; a test that asks for it runs once with each."""
    text: str = request.param
    return text


@pytest.fixture(scope="session")
def samples_dir() -> Path:
    """Real agent files, which lie beside the project and not in it."""
    if not SAMPLES.is_dir():
        pytest.skip("no sample agent files beside the project")
    return SAMPLES
