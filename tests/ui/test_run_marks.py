"""A run that did not end in order is told by the next one, with calls and without contents of any file."""

import subprocess
import sys
from pathlib import Path

import pytest

from inspector.ui.failures import failure_of
from inspector.ui.run_marks import RunMark

ROOT = Path(__file__).resolve().parents[2]
SECRET = "sk-ant-api03-of-somebody"
RUN = """
import faulthandler, os, sys, time
from pathlib import Path
from inspector.ui.run_marks import RunMark

mark = RunMark(Path(sys.argv[1]))
before = mark.begin()
print("BEFORE", before and (before.crashed, before.details), flush=True)
how = sys.argv[2]
if how == "crash":
    secret = "sk-ant-api03-of-somebody"
    faulthandler._sigsegv()
elif how == "kill":
    os.kill(os.getpid(), 9)
elif how == "wait":
    sys.stdin.read()
mark.end()
"""


def begin(folder: Path, how: str) -> subprocess.Popen[str]:
    """A process that marks its run, says what it heard of one before, and then ends so."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), how],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals end a process in other ways there")
def test_that_the_next_run_hears_once_of_one_that_did_not_end_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "runs"
    # Another window that is open meanwhile is none of them.
    waiting = begin(folder, "wait")
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "BEFORE None\n"
    [mark] = folder.glob("*.run")
    assert mark.stat().st_mode & 0o077 == 0
    begin(folder, "kill").communicate()
    killed = begin(folder, "crash").communicate()[0]
    assert killed.startswith("BEFORE (False, 'Context Inspector ")
    crashed = begin(folder, "end").communicate()[0]
    assert crashed.startswith("BEFORE (True, 'Context Inspector ")
    assert 'File "<string>"' in crashed
    assert SECRET not in crashed
    assert begin(folder, "end").communicate()[0] == "BEFORE None\n"
    assert list(folder.glob("*.run")) == [mark]
    waiting.communicate("")
    assert list(folder.iterdir()) == []


def test_that_a_folder_that_cannot_be_made_marks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    mark = RunMark(tmp_path / "file" / "runs")
    assert mark.begin() is None
    mark.end()


def test_that_the_details_of_a_fault_have_calls_and_no_message() -> None:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise ValueError(f"not a number: {SECRET}") from cause
    except ValueError as error:
        failure = failure_of(error, doing="Reading")
    assert failure.fault
    assert SECRET not in failure.details
    about, *lines = failure.details.splitlines()
    assert about.startswith("Context Inspector ")
    assert [line for line in lines if not line.startswith(" ")] == ["KeyError", "ValueError"]
    assert lines[0].startswith("  tests/ui/test_run_marks.py:")
    assert str(Path.home()) not in failure.details
