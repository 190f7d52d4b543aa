"""What a folder that is read back may cost."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from inspector.domain.errors import MalformedError
from inspector.exchange.constellation.folder_reading import read_folder
from inspector.exchange.field_reader import ImportLog
from inspector.exchange.json_limits import JsonLimits


def refused(folder: Path, limits: JsonLimits) -> MalformedError:
    """What keeps the folder from being read."""
    with pytest.raises(MalformedError) as caught:
        read_folder(folder, ImportLog(), limits)
    return caught.value


def test_that_millions_of_short_lines_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    lines = tmp_path / "changes.jsonl"
    for part in (b"{}\n", b"\n"):
        lines.write_bytes(part * (3_000_000 // len(part)))
        tracemalloc.start()
        code = refused(tmp_path, JsonLimits(max_bytes=4 << 20, max_memory=1 << 20)).code
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert code == ("import.too_heavy" if part.strip() else "import.no_constellation_folder")
        assert peak < 10_000_000


def test_that_a_line_is_named_by_its_number_with_empty_ones_counted(tmp_path: Path) -> None:
    (tmp_path / "changes.jsonl").write_bytes(b"\n  \r\n{}\r\n\n \t{]\n\n")
    error = refused(tmp_path, JsonLimits())
    assert error.parameters["where"] == "changes.jsonl:5 1:2"
    (tmp_path / "changes.jsonl").write_bytes(json.dumps({}).encode())
    assert refused(tmp_path, JsonLimits()).code == "import.no_constellation_folder"
