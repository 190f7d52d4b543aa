"""What the program imports is what it declares: on a machine with nothing else, it still starts."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]

# Imports every module of the program, where only the packages that are named may be imported.
IMPORT_ALL = """
import importlib, pkgutil, sys
foreign = set(sys.argv[2:])

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in foreign:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None

sys.meta_path.insert(0, Without())
import inspector
for found in pkgutil.walk_packages(inspector.__path__, "inspector."):
    if found.name not in sys.argv[1].split() and not found.name.endswith("__main__"):
        importlib.import_module(found.name)
"""
ELSEWHERE = {"linux": "inspector.documents.airlock.process_usage"}
"""Modules that nothing imports on this system."""


def declared() -> set[str]:
    """The distributions that an installation without extras brings along."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[str] = set()
    waiting = [Requirement(each) for each in project["dependencies"]]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        is_wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if name in found or not is_wanted:
            continue
        found.add(name)
        try:
            waiting += [Requirement(each) for each in distribution(name).requires or ()]
        except PackageNotFoundError:
            continue
    return found


@pytest.mark.slow
def test_that_nothing_is_imported_that_is_not_declared() -> None:
    ours = declared()
    foreign = sorted(
        module
        for module, owners in packages_distributions().items()
        if module != "inspector" and not {canonicalize_name(each) for each in owners} & ours
    )
    assert {"pytest", "hypothesis"} <= set(foreign)
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, ELSEWHERE.get(sys.platform, ""), *foreign],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
