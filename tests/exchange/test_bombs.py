from pathlib import Path

import pytest

from inspector.domain.errors import InputError
from tests.exchange.bomb_files import BOMBS
from tests.exchange.builders import counted_ids, plan_import

READ = {
    "95 MB string",
    "90 000 tiny messages",
    "90 000 open calls",
    "a million keys",
    "100 000 blocks of one label",
}
"""These are agent files after all; the rest must be refused."""


@pytest.mark.parametrize("name", BOMBS)
def test_that_a_small_bomb_of_each_kind_is_read_or_refused_with_a_reason(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bomb.af"
    with path.open("wb") as target:
        target.writelines(BOMBS[name](0.002))
    if name in READ or name in {"10 M tiny messages", "90 MB with one wide character"}:
        assert plan_import(path, counted_ids()).agents[0].name
        return
    with pytest.raises(InputError) as caught:
        plan_import(path, counted_ids())
    assert caught.value.code.startswith("import.")
    assert caught.value.parameters["why"]
