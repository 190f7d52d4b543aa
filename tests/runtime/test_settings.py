"""Settings: declared once, checked, kept in a file that is whole at every moment, and really read."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from inspector.domain.blocks import Permission, TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent, SetMeta
from inspector.domain.edits.text import AppendText
from inspector.domain.errors import InputError, NotFoundError, RefusedError
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.environment import Environment, human_actor
from inspector.runtime.settings import SETTINGS, Settings, require_fit
from tests.fixtures import opened_engine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def test_that_every_default_fits_its_own_row() -> None:
    for row in SETTINGS:
        require_fit(row, row.default)


def test_that_a_value_is_there_at_the_next_start_for_its_user_alone(path: Path) -> None:
    Settings(path).set("budget.warning_share", 0.5)
    assert Settings(path).number("budget.warning_share") == 0.5
    assert path.stat().st_mode & 0o077 == 0


def test_that_resetting_gives_the_default_and_leaves_nothing_in_the_file(path: Path) -> None:
    settings = Settings(path)
    settings.set("time.zone", "Europe/Berlin")
    settings.reset("time.zone")
    assert settings.text("time.zone") == "UTC"
    assert json.loads(path.read_text()) == {}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("budget.warning_share", "much", "input.setting_type"),
        ("budget.warning_share", True, "input.setting_type"),
        ("budget.warning_share", 1.5, "input.setting_range"),
        ("time.zone", 1, "input.setting_type"),
        ("time.zone", "Mars/Olympus", "input.setting_value"),
        ("time.zone", "../../etc/passwd", "input.setting_value"),
    ],
)
def test_that_a_value_that_does_not_fit_is_refused_and_changes_nothing(
    path: Path, name: str, value: str | int | float | bool, code: str
) -> None:
    settings = Settings(path)
    with pytest.raises(InputError) as caught:
        settings.set(name, value)
    assert caught.value.code == code
    assert settings.changed == {}
    assert not path.exists()


def test_that_an_unknown_name_is_refused(path: Path) -> None:
    with pytest.raises(NotFoundError):
        Settings(path).set("no.such", 1)


def test_that_a_damaged_file_counts_as_empty_and_bad_rows_are_passed_over(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("{")
    assert Settings(path).changed == {}
    path.write_text(json.dumps({"time.zone": 3, "unknown": 1, "budget.error_share": 1.5}))
    assert Settings(path).changed == {"budget.error_share": 1.5}


def test_that_two_windows_do_not_undo_each_other(path: Path) -> None:
    one, other = Settings(path), Settings(path)
    one.set("time.zone", "Europe/Berlin")
    other.set("budget.warning_share", 0.5)
    assert Settings(path).changed == {"time.zone": "Europe/Berlin", "budget.warning_share": 0.5}


def test_that_watchers_hear_of_what_is_another_value_now(path: Path) -> None:
    settings = Settings(path)
    told: list[str] = []
    settings.watch(told.append)
    settings.set("budget.warning_share", 0.8)
    settings.set("budget.warning_share", 0.7)
    settings.reset("budget.warning_share")
    settings.reset("budget.warning_share")
    assert told == ["budget.warning_share", "budget.warning_share"]


def test_that_without_a_path_nothing_is_kept() -> None:
    settings = Settings()
    settings.set("identity.name", "Noor")
    assert settings.text("identity.name") == "Noor"
    assert Settings().text("identity.name") == ""


def test_that_edits_carry_the_identity_that_is_set() -> None:
    settings = Settings()
    login = human_actor(settings)
    assert login.id == f"human:{login.name}"
    settings.set("identity.id", "partner:noor")
    settings.set("identity.name", "Noor")
    assert (human_actor(settings).id, human_actor(settings).name) == ("partner:noor", "Noor")


async def test_that_the_identity_set_as_partner_may_write_a_partner_block(
    surroundings: Environment, tmp_db_dir: Path
) -> None:
    path = tmp_db_dir / "one.constellation"
    settings = Settings()
    settings.set("identity.id", "partner:paula")
    as_paula = replace(surroundings, actor=human_actor(settings), settings=settings)
    fact = Edit(Ref(RefKind.CONSTELLATION, ""), SetMeta("partner_id", "partner:paula"))
    agent = Ref(RefKind.AGENT, "agt_ada")
    block = Ref(RefKind.BLOCK, "blk_ours")
    create = CreateBlock(agent.id, "ours", TextSchema(), content=TextContent("a"))
    for who, refused in ((surroundings, True), (as_paula, False)):
        async with opened_engine(path, who, create=not path.exists()) as engine:
            if refused:
                edits = (
                    Edit(agent, CreateAgent("Ada")),
                    fact,
                    Edit(block, replace(create, permission=Permission.PARTNER)),
                )
                await engine.apply([Intent(edit, who.actor) for edit in edits])
                with pytest.raises(RefusedError):
                    await engine.edit(block.id, AppendText("b"))
            else:
                await engine.edit(block.id, AppendText("b"))
                assert await engine.memory.rendered(block.id) == "ab"
