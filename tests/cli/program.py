"""The program as its caller sees it: arguments and bytes in, bytes and an exit code out.

`run` stays in this process, which has everything loaded: a start costs ten times what a command does. `start` is a
process of its own, for facts about one.
"""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from inspector.entry import main

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared" / "samples"
Done = subprocess.CompletedProcess[bytes]


def run(*arguments: object, given: bytes = b"") -> Done:
    """Run a command to its end in this process."""
    words = [str(each) for each in arguments]
    with _streams(given) as (out, error):
        code = main(words)
    return Done(words, code, out.getvalue(), error.getvalue())


def start(*arguments: object, given: bytes = b"", **options: Any) -> Done:
    """Run a command as a process."""
    command = [sys.executable, "-m", "inspector", *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, cwd=ROOT, input=given, timeout=120, check=False, **options)


def run_text(*arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    """As `run`, with texts in and out."""
    done = run(*arguments, given=given.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def said(*arguments: object) -> Any:
    """The JSON that a command prints."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def digest(path: Path) -> str:
    """The file's bytes, from outside."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass
class Program:
    """The program on a file of its own."""

    file: Path

    def run(self, command: str, *arguments: object) -> Done:
        """Run a command on the file."""
        return run(command, self.file, *arguments)

    def said(self, command: str, *arguments: object) -> Any:
        """The JSON that a command prints."""
        return said(command, self.file, *arguments)

    def told(self, command: str, *arguments: object) -> str:
        """The text that a command prints."""
        done = self.run(command, *arguments)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def shown(self, block: str) -> str:
        """A block of Ada's as it is rendered."""
        return self.told("show", "--agent", "Ada", "--block", block)

    def digest(self) -> str:
        """What the file holds, byte for byte."""
        return digest(self.file)


def real_file(name: str) -> Path:
    """A real agent file; the test is skipped where there is none."""
    source = SAMPLES / name
    if not source.exists():
        pytest.skip("the real agent files are not here")
    return source


@contextmanager
def _streams(given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    out, error = io.BytesIO(), io.BytesIO()
    stdin = io.TextIOWrapper(io.BytesIO(given), encoding="utf-8")
    stdout, stderr = (io.TextIOWrapper(each, encoding="utf-8", write_through=True) for each in (out, error))
    with (
        mock.patch.object(sys, "stdin", stdin),
        mock.patch.object(sys, "stdout", stdout),
        mock.patch.object(sys, "stderr", stderr),
    ):
        yield out, error
    for stream in (stdout, stderr):
        # A wrapper that goes closes what it wraps.
        stream.flush()
        stream.detach()
