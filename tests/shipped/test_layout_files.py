import json
from pathlib import Path

import pytest

from inspector.domain.errors import MalformedError
from inspector.shipped.layout_files import load_layouts, read_layout
from inspector.shipped.locate import resource_path


def test_that_the_four_layouts_ship() -> None:
    assert {"standard", "xml", "minimal", "cache_friendly"} <= load_layouts().keys()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"colour": 1}, "$"),
        ({"sections": [{"name": "core", "color": 1}]}, "$.sections[0]"),
        ({"sections": [{"name": "core"}, {"name": "core"}]}, "$.sections[1].name"),
        ({"sections": [{"name": 5}]}, "$.sections[0].name"),
        ({"name": "other"}, "$.name"),
    ],
)
def test_that_a_faulty_layout_is_refused_with_its_place(
    tmp_path: Path, change: dict[str, object], place: str
) -> None:
    stored = json.loads(resource_path("layouts", "standard.json").read_text(encoding="utf-8"))
    path = tmp_path / "standard.json"
    path.write_text(json.dumps({**stored, **change}), encoding="utf-8")
    with pytest.raises(MalformedError) as caught:
        read_layout(path)
    assert caught.value.parameters["where"] == f"{tmp_path.name}/standard.json {place}"
