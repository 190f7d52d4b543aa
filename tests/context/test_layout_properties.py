"""What holds for every Request holds under every layout that can be used."""

from dataclasses import replace

from hypothesis import given

from inspector.context.counting.frames import FrameCosts
from inspector.domain.layout_rules import check_layout
from inspector.domain.layouts import Layout
from inspector.domain.requests import SourceKind
from inspector.domain.rules import OutRule
from inspector.domain.snapshot import RequestSpec, Snapshot
from tests.context.builders import MODELS, POOL, new_builder
from tests.context.layout_strategies import NAME, layouts
from tests.context.snapshot_strategies import snapshots, specs
from tests.context.test_request_properties import MANY, built, check_account, check_system


@MANY
@given(snapshots(), specs(), layouts())
def test_that_every_layout_keeps_the_account_and_the_limits(
    snapshot: Snapshot, spec: RequestSpec, layout: Layout
) -> None:
    check_layout(layout)
    request = built(replace(snapshot, layouts={NAME: layout}), replace(spec, layout=NAME))
    check_account(request)
    check_system(request)
    bounded = {entry.name: entry.maximum for entry in layout.sections if entry.maximum is not None}
    costs: FrameCosts = POOL.costs(MODELS.resolve(request.model))
    for section in request.sections:
        most = bounded.get(section.name)
        elastic = section.name in ("working", "log", "shared", "hints", "activity", "retrieved", "tool_rules")
        if most is not None and elastic:
            # The frame belongs to nobody, and what stands around a text may join with it by a token or two.
            assert section.tokens <= most + costs.message().tokens + 8


@MANY
@given(snapshots(), specs(), layouts())
def test_that_what_a_layout_keeps_together_is_never_parted(
    snapshot: Snapshot, spec: RequestSpec, layout: Layout
) -> None:
    together = {
        entry.name
        for entry in layout.sections
        if entry.together and entry.name in ("working", "log", "shared")
    }
    request = built(replace(snapshot, layouts={NAME: layout}), replace(spec, layout=NAME))
    elsewhere = (
        OutRule.ENTRY_LIMIT,
        OutRule.EMPTY,
        OutRule.DROPPED,
        OutRule.UNREADABLE,
        OutRule.NOT_IN_LAYOUT,
        OutRule.ARCHIVAL_TYPE,
    )
    out = {row.section for row in request.left_out if row.rule not in elsewhere}
    for section in request.sections:
        has_blocks = any(piece.source.kind is SourceKind.BLOCK for piece in section.pieces)
        assert not (section.name in together & out and has_blocks)


@MANY
@given(snapshots(), specs(), layouts())
def test_that_every_layout_gives_the_same_twice(
    snapshot: Snapshot, spec: RequestSpec, layout: Layout
) -> None:
    snapshot, spec = replace(snapshot, layouts={NAME: layout}), replace(spec, layout=NAME)
    request = built(snapshot, spec)
    assert new_builder().build(snapshot, spec) == request


@MANY
@given(snapshots(), specs(), layouts())
def test_that_every_block_is_in_or_out_with_a_reason_under_every_layout(
    snapshot: Snapshot, spec: RequestSpec, layout: Layout
) -> None:
    request = built(replace(snapshot, layouts={NAME: layout}), replace(spec, layout=NAME))
    told = {piece.source.id for section in request.sections for piece in section.pieces}
    out = {
        row.source.id for row in request.left_out if row.rule not in (OutRule.ENTRY_LIMIT, OutRule.ENTRY_ROOM)
    }
    states = [*snapshot.own, *(each.state for each in snapshot.shared)]
    assert {state.block.id for state in states if state.block.is_active} <= told | out
