"""The sharing matrix as a value: filtered, sorted, with figures; and its table, which looks at what is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from inspector.domain.blocks import CONSTELLATION_OWNER, Attachment, Permission
from inspector.domain.counts import Method
from inspector.domain.sharing import AgentCosts, BlockCost, SharableBlock, SharingTable
from inspector.ui.appearance import Appearance
from inspector.ui.models.columns import VALUE_ROLE
from inspector.ui.presentation.sharing import access_of, access_text, sharing_done, short_level
from inspector.ui.presentation.sharing_matrix import (
    MatrixOrder,
    MatrixQuery,
    SharingMatrix,
    heading_tokens,
    matrix_of,
)
from inspector.ui.sharing.matrix_model import MatrixModel
from inspector.ui.sharing.matrix_view import MatrixTable
from tests.ui.values import ADA, GRACE, LINUS, NOW, agent

AGENTS = (agent(ADA), agent(GRACE), agent(LINUS))
WRITE = Permission.READ_WRITE
BLOCKS = (
    SharableBlock("b1", ADA, "persona", WRITE),
    SharableBlock("b2", GRACE, "runbook", Permission.APPEND),
    SharableBlock("b3", LINUS, "glossary", WRITE),
    SharableBlock("b4", CONSTELLATION_OWNER, "policy", Permission.READ_ONLY),
)
SHARED = {("b2", ADA): Attachment("b2", ADA, WRITE, NOW), ("b2", LINUS): Attachment("b2", LINUS, WRITE, NOW)}
TABLE = SharingTable(BLOCKS, SHARED)
COSTS = {
    ADA: AgentCosts(
        ADA, {"b1": BlockCost(40, rule="core_always"), "b2": BlockCost(70, rule="shared_attached")}
    ),
    GRACE: AgentCosts(GRACE, {"b2": BlockCost(60, rule="working_fits")}),
}


def made(query: MatrixQuery = MatrixQuery()) -> SharingMatrix:  # noqa: B008
    return matrix_of(TABLE, AGENTS, COSTS, query)


def labels(matrix: SharingMatrix) -> list[str]:
    return [block.label for block in matrix.blocks]


def test_that_blocks_of_the_file_stand_first_and_the_others_by_owner() -> None:
    assert labels(made()) == ["policy", "persona", "runbook", "glossary"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (MatrixQuery(words="GRACE run"), ["runbook"]),
        (MatrixQuery(shared_only=True), ["policy", "runbook"]),
        (MatrixQuery(order=MatrixOrder.NAME), ["glossary", "persona", "policy", "runbook"]),
        (MatrixQuery(order=MatrixOrder.TOKENS), ["runbook", "persona", "glossary", "policy"]),
        (MatrixQuery(order=MatrixOrder.AGENTS), ["policy", "runbook", "glossary", "persona"]),
        (MatrixQuery(agent_id=ADA), ["runbook", "persona", "policy", "glossary"]),
    ],
)
def test_that_a_query_filters_and_sorts(query: MatrixQuery, expected: list[str]) -> None:
    assert labels(made(query)) == expected


def test_that_headings_have_the_tokens_of_their_cells() -> None:
    matrix = made()
    assert {id_: count.tokens for id_, count in matrix.block_tokens.items()} == {"b1": 40, "b2": 130}
    assert {id_: count.tokens for id_, count in matrix.agent_tokens.items()} == {ADA: 110, GRACE: 60}


def test_that_a_sum_with_an_estimate_in_it_is_one() -> None:
    exact, rough = (BlockCost(40, method, "working_pinned") for method in (Method.EXACT, Method.ESTIMATE))
    costs = {ADA: AgentCosts(ADA, {"b1": exact}), GRACE: AgentCosts(GRACE, {"b1": rough, "b2": exact})}
    matrix = matrix_of(SharingTable(BLOCKS, SHARED), AGENTS, costs, MatrixQuery())
    assert [heading_tokens(matrix.block_tokens[each]) for each in ("b1", "b2")] == ["~80", "40"]
    assert [heading_tokens(matrix.agent_tokens[each]) for each in (ADA, GRACE)] == ["40", "~80"]


def test_that_the_lower_level_is_in_effect_and_both_are_said() -> None:
    access = access_of(BLOCKS[1], ADA, SHARED["b2", ADA])
    assert (short_level(access), access_text(access)) == ("append", "append only (granted: read and write)")
    everyone = access_of(BLOCKS[3], ADA, None)
    assert (short_level(everyone), everyone.why_fixed) == ("read", "every agent sees this block")


@pytest.mark.parametrize(
    ("cells", "level", "expected"),
    [
        ([("b1", GRACE)], None, "Grace no longer sees persona."),
        ([("b1", GRACE), ("b1", LINUS)], WRITE, "Access set to “read and write”: persona for 2 agents."),
        ([("b1", GRACE), ("b3", GRACE)], None, "Access removed: 2 blocks for Grace."),
        ([("b1", GRACE), ("b3", ADA)], None, "Access removed in 2 places."),
    ],
)
def test_that_what_was_done_is_said(
    cells: list[tuple[str, str]], level: Permission | None, expected: str
) -> None:
    names = {each.id: each.name for each in AGENTS}
    assert sharing_done(cells, level, {block.id: block.label for block in BLOCKS}, names) == expected


class CountingModel(MatrixModel):
    """Counts the cells that are asked for."""

    asked = 0

    def data(self, index: object, role: int = 0) -> object:
        if role == VALUE_ROLE:
            self.asked += 1
        return super().data(index, role)  # type: ignore[arg-type]


@pytest.fixture
def large(appearance: Appearance) -> Iterator[MatrixTable]:
    """The table of ten thousand blocks and twenty agents."""
    agents = [replace(AGENTS[0], id=f"agt_{place}", name=f"Agent {place}") for place in range(20)]
    blocks = tuple(
        SharableBlock(f"b{place}", f"agt_{place % 20}", f"n{place:05}", WRITE) for place in range(10_000)
    )
    model = CountingModel()
    table = MatrixTable(appearance, model)
    table.resize(800, 600)
    model.put(matrix_of(SharingTable(blocks), agents, {}, MatrixQuery(order=MatrixOrder.NAME)))
    yield table
    table.deleteLater()


def test_that_of_two_hundred_thousand_cells_only_those_in_sight_are_looked_at(large: MatrixTable) -> None:
    model = large.model()
    assert isinstance(model, CountingModel)
    assert (model.rowCount(), model.columnCount()) == (10_000, 20)
    for row in (0, 5_000, 9_999):
        large.go_to(model.index(row, 3))
        large.grab()
    assert 0 < model.asked < 3 * 1_000


def test_that_a_cell_stays_current_when_blocks_are_sorted_anew(large: MatrixTable) -> None:
    model = large.model()
    assert isinstance(model, CountingModel)
    large.go_to(model.find("b42", "agt_3"))
    blocks = tuple(reversed(model.matrix.blocks))
    places = {block.id: place for place, block in enumerate(blocks)}
    model.put(replace(model.matrix, blocks=blocks, places=places))
    assert model.cell(large.currentIndex()) == ("b42", "agt_3")
    assert large.currentIndex().row() == 9_999 - 42
