"""Imports under Qt."""

import linecache
from pathlib import Path

import pytest

from inspector.ui.qt_imports import spare_sources


def test_that_an_import_reads_no_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "imported_under_qt.py"
    path.write_text("VALUE = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    spare_sources()
    assert __import__("imported_under_qt").VALUE == 1
    assert str(path) not in linecache.cache
