"""Where a build takes place: its folders, virtual environments, clock and commands."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

BIN = "Scripts" if os.name == "nt" else "bin"


class BuildError(Exception):
    """A step failed; the message says which, and what to do where that is known."""


class Workshop:
    """The folders of one build.

    Attributes:
        root: The source tree, which is only read.
        work: Environments and intermediate files.
        out: Results.
        epoch: Seconds since 1970 that every file and archive carries as its time.
        version: The version of the program, as PEP 440 has it.
    """

    def __init__(self, root: Path, work: Path, out: Path) -> None:
        self.root, self.work, self.out = root, work, out
        self.work.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        self.epoch = self._epoch()
        text = (root / "inspector" / "__init__.py").read_text(encoding="utf-8")
        found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
        if found is None:
            raise BuildError("inspector/__init__.py has no version")
        self.version = found[1]

    def _epoch(self) -> int:
        given = os.environ.get("SOURCE_DATE_EPOCH")
        if given:
            return int(given)
        done = subprocess.run(
            ["git", "log", "-1", "--format=%ct"], cwd=self.root, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise BuildError("this is no git checkout: set SOURCE_DATE_EPOCH to the time of the release")
        return int(done.stdout)

    @property
    def packaging(self) -> Path:
        """The folder with everything that only building needs."""
        return self.root / "packaging"

    def fresh(self, name: str) -> Path:
        """An empty folder below `work`."""
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def environment(self, name: str, requirements: Sequence[str], constraints: Path) -> Path:
        """A new virtual environment with these requirements and nothing else; gives its interpreter."""
        folder = self.fresh(name)
        self.run([sys.executable, "-m", "venv", str(folder)])
        python = folder / BIN / ("python.exe" if os.name == "nt" else "python")
        self.install(python, requirements, constraints)
        return python

    def install(self, python: Path, requirements: Sequence[str], constraints: Path) -> None:
        """Install into an environment, in the versions that the constraints name."""
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        self.run([str(python), *install, "--constraint", str(constraints), *requirements])

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        more: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command and give its standard output.

        Raises:
            BuildError: it failed; the message has its last words.
        """
        environment = {
            **os.environ,
            "SOURCE_DATE_EPOCH": str(self.epoch),
            "PYTHONHASHSEED": "0",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            **(more or {}),
        }
        try:
            done = subprocess.run(
                command, cwd=cwd or self.work, env=environment, capture_output=True, text=True, check=False
            )
        except FileNotFoundError as error:
            raise BuildError(f"{command[0]} is not installed") from error
        if done.returncode:
            said = (done.stderr or done.stdout).strip()[-3000:]
            raise BuildError(f"{' '.join(command[:4])} failed ({done.returncode}):\n{said}")
        return done.stdout


def say(text: str) -> None:
    """Tell whoever waits what is being done."""
    print(text, flush=True)
