"""Builds a what-if: a Request over changed settings and memory, with nothing stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace

from inspector.context.builder import ContextBuilder
from inspector.context.comparison import diff
from inspector.context.no_effect import in_vain
from inspector.context.overlays import overlaid
from inspector.domain.limits import LimitOverrides
from inspector.domain.ref import Ref, RefKind
from inspector.domain.request_comparison import PieceState
from inspector.domain.requests import Diff, Fix, LeftOut, Request, SourceKind
from inspector.domain.rules import OutRule
from inspector.domain.simulation import Overlay, Simulation
from inspector.domain.snapshot import RequestSpec, Snapshot

_SPEC_NAMES = (
    *("model", "layout", "strategy", "include_descriptions", "include_schemas", "activity"),
    "max_messages_cap",
)


class ShortHistoryError(Exception):
    """A what-if depends on messages before those that its view has."""


def simulate(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, overlay: Overlay) -> Simulation:
    """The Request as it is, as the overlay would have it, what differs, and what of the overlay came to nothing.

    Raises:
        NotFoundError: the overlay names what is not there. InputError: it asks for what cannot be done to that.
        BudgetError, MalformedError: as `ContextBuilder.build`. ShortHistoryError: the view's messages do not do.
    """

    def build(wanted: Overlay) -> Request:
        return tried(builder, snapshot, spec, wanted)

    compared = compare(_built(builder, snapshot, spec), build(overlay), overlay)
    changed, asked = overlaid(snapshot, overlay, spec), overlaid_spec(spec, overlay)
    more = _settings(builder.settings(snapshot, spec), builder.settings(changed, asked))
    found = replace(compared, diff=replace(compared.diff, settings=(*compared.diff.settings, *more)))
    return replace(found, in_vain=in_vain(build, snapshot, overlay, found))


def tried(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec, overlay: Overlay) -> Request:
    """The Request as the overlay would have it; raises as `simulate`."""
    return _built(builder, overlaid(snapshot, overlay, spec), overlaid_spec(spec, overlay))


def compare(before: Request, after: Request, overlay: Overlay) -> Simulation:
    """What differs between a Request and that of an overlay, in which what was dropped is told as left out."""
    rows = tuple(_dropped(before, diff(before, after), overlay))
    if rows:
        after = replace(after, left_out=(*after.left_out, *rows))
    return Simulation(before, after, diff(before, after))


def _built(builder: ContextBuilder, snapshot: Snapshot, spec: RequestSpec) -> Request:
    if not builder.reaches(snapshot, spec):
        raise ShortHistoryError
    return builder.build(snapshot, spec)


def overlaid_spec(spec: RequestSpec, overlay: Overlay) -> RequestSpec:
    """What is asked of the build, with what the overlay asks for in its place."""
    given = {name: getattr(overlay, name) for name in _SPEC_NAMES}
    changed = {name: value for name, value in given.items() if value is not None}
    if overlay.own_layout is not None:
        changed.setdefault("layout", overlay.own_layout.name)
    dropped = _ids(overlay.dropped)
    return replace(
        spec,
        **changed,
        limits=_merged(spec.limits, overlay.limits),
        pinned=spec.pinned | _ids(overlay.pinned).get(RefKind.BLOCK, frozenset()),
        dropped=spec.dropped | dropped.get(RefKind.BLOCK, frozenset()),
        retrieved=tuple(
            each for each in spec.retrieved if each.id not in dropped.get(RefKind.ARCHIVAL, frozenset())
        ),
        extra_tools=tuple(
            each for each in spec.extra_tools if each.name not in dropped.get(RefKind.TOOL, frozenset())
        ),
    )


def _settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """What differs of the settings that a Request does not tell."""
    for name in {**before, **after}:
        one, other = before.get(name, ""), after.get(name, "")
        if one != other:
            yield name, one, other


def _merged(spec: LimitOverrides | None, overlay: LimitOverrides | None) -> LimitOverrides | None:
    if spec is None or overlay is None:
        return overlay or spec
    names = (each.name for each in fields(overlay))
    given = {name: value for name in names if (value := getattr(overlay, name)) is not None}
    return replace(spec, **given)


def _ids(refs: Iterable[Ref]) -> dict[RefKind, frozenset[str]]:
    found: dict[RefKind, frozenset[str]] = {}
    for ref in refs:
        found[ref.kind] = found.get(ref.kind, frozenset()) | {ref.id}
    return found


def _dropped(before: Request, compared: Diff, overlay: Overlay) -> Iterator[LeftOut]:
    """A row for each piece that the overlay dropped; blocks have theirs from the builder."""
    pieces = {piece.id: piece for section in before.sections for piece in section.pieces}
    for change in compared.changes:
        if change.kind != PieceState.REMOVED or change.rule is not None:
            continue
        ref = change.source.ref
        # With a call its result goes too, which the overlay need not name.
        if ref is None or not (ref in overlay.dropped or change.source.kind is SourceKind.MESSAGE):
            continue
        piece = pieces[change.piece_id]
        fix = Fix("undrop", ref, False)
        parameters = {"label": piece.source.label, "needed": piece.tokens}
        rule = OutRule.DROPPED.value
        yield LeftOut(piece.source, piece.section, rule, piece.tokens, piece.method, fix, parameters)
