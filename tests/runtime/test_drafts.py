"""Drafts of one file, beside those of others and of windows that run."""

import os
import sys
from pathlib import Path

import pytest

from inspector.domain.edits.base import Edit
from inspector.domain.edits.rows import ConfigureAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from inspector.runtime.environment import Environment

ADA = Ref(RefKind.AGENT, "agt_ada")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name of a file is text")
async def test_that_a_file_whose_name_is_no_text_has_drafts(tmp_db_dir: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_db_dir) + b"/caf\xe9.constellation"))
    surroundings = Environment(state_folder=tmp_db_dir)
    first = await Engine.open(path, surroundings, create=True)
    await first.drafts.keep(Edit(ADA, ConfigureAgent(name="Countess")))
    await first.close()
    second = await Engine.open(path, surroundings)
    assert [each.ref for each in await second.drafts.take_over_records()] == [ADA]
    await second.close()
