"""Trees: random operations against a dict of children."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.documents.document import Document
from inspector.documents.shapes.tree import MAX_DEPTH
from inspector.domain.blocks import FieldDef, TreeSchema
from inspector.domain.content import TreeContent, TreeNode
from inspector.domain.edits.base import Operation
from inspector.domain.edits.items import AddNode, InsertItem, MoveNode, RemoveNode, UpdateNode
from inspector.domain.errors import RefusedError
from tests.documents.builders import UNHURRIED, new, replica, stamp

TREE = TreeSchema()
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "move", "update", "remove"]),
        st.integers(0, 99),
        st.integers(0, 99),
        st.integers(0, 99),
    ),
    max_size=20,
)
Model = dict[str | None, list[str]]


def roots_of(document: Document) -> tuple[TreeNode, ...]:
    content = document.content()
    assert isinstance(content, TreeContent)
    return content.roots


def built(model: Model, values: dict[str, str], parent: str | None = None) -> tuple[TreeNode, ...]:
    return tuple(TreeNode(node, values[node], built(model, values, node)) for node in model.get(parent, []))


def is_below(model: Model, node: str | None, top: str) -> bool:
    return node == top or any(is_below(model, node, child) for child in model.get(top, []))


def forget(model: Model, values: dict[str, str], node: str) -> None:
    for child in model.pop(node, []):
        forget(model, values, child)
    del values[node]


def take(document: Document, model: Model, values: dict[str, str], step: tuple[str, int, int, int]) -> None:
    kind, first, second, third = step
    nodes = sorted(values)
    parent = (*nodes, None)[second % (len(nodes) + 1)]
    siblings = model.get(parent, [])
    before = (*siblings, None)[third % (len(siblings) + 1)]
    if kind == "add":
        node = f"n{len(nodes)}-{first}-{second}-{third}"
        if node not in values:
            document.apply(AddNode(str(first), parent, before, node), stamp())
            values[node] = str(first)
            place(model, node, parent, before)
        return
    if not nodes:
        return
    node = nodes[first % len(nodes)]
    if kind == "update":
        document.apply(UpdateNode(node, f"u{third}"), stamp())
        values[node] = f"u{third}"
    elif kind == "remove":
        document.apply(RemoveNode(node), stamp())
        next(held for held in model.values() if node in held).remove(node)
        forget(model, values, node)
    elif is_below(model, parent, node):
        with pytest.raises(RefusedError) as caught:
            document.apply(MoveNode(node, parent, before), stamp())
        assert caught.value.code == "refused.under_itself"
    else:
        document.apply(MoveNode(node, parent, before), stamp())
        if before != node:
            next(held for held in model.values() if node in held).remove(node)
            place(model, node, parent, before)


def place(model: Model, node: str, parent: str | None, before: str | None) -> None:
    siblings = model.setdefault(parent, [])
    siblings.insert(len(siblings) if before is None else siblings.index(before), node)


@UNHURRIED
@given(STEPS)
def test_that_operations_do_what_they_do_to_a_dict(steps: list[tuple[str, int, int, int]]) -> None:
    document = new(TREE)
    model: Model = {}
    values: dict[str, str] = {}
    for step in steps:
        take(document, model, values, step)
        assert roots_of(document) == built(model, values)
    assert roots_of(replica(document)) == built(model, values)


@UNHURRIED
@given(STEPS, STEPS)
def test_that_replicas_converge(
    first: list[tuple[str, int, int, int]], second: list[tuple[str, int, int, int]]
) -> None:
    roots = (
        TreeNode("a", "a", (TreeNode("b", "b"), TreeNode("c", "c", (TreeNode("d", "d"),)))),
        TreeNode("e", "e"),
    )
    left = new(TREE, TreeContent(roots))
    assert roots_of(left) == roots
    right = replica(left)
    base = left.version
    for document, steps in ((left, first), (right, second)):
        model: Model = {None: ["a", "e"], "a": ["b", "c"], "c": ["d"]}
        values = {each: each for each in "abcde"}
        for step in steps:
            take(document, model, values, step)
    updates = left.export_updates(base), right.export_updates(base)
    left.merge(updates[1])
    right.merge(updates[0])
    assert left.content() == right.content()


def test_that_objects_have_fields() -> None:
    document = new(TreeSchema((FieldDef("title", required=True), FieldDef("state", default="open"))))
    document.apply(AddNode({"title": "a"}, id="n"), stamp())
    document.apply(UpdateNode("n", {"state": None}), stamp())
    assert roots_of(document) == (TreeNode("n", {"title": "a"}),)


@pytest.mark.parametrize(
    "operation",
    [
        UpdateNode("a", "a"),
        MoveNode("a", None, "e"),
        MoveNode("a", None, "a"),
        MoveNode("e"),
        MoveNode("b", "a"),
    ],
)
def test_that_what_changes_nothing_leaves_no_trace(operation: Operation) -> None:
    document = new(TREE, TreeContent((TreeNode("a", "a", (TreeNode("b", "b"),)), TreeNode("e", "e"))))
    version = document.version
    assert document.apply(operation, stamp()) is None
    assert document.version == version


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (AddNode("x", "gone"), "refused.no_longer_there"),
        (AddNode("x", "a", "gone"), "refused.no_longer_there"),
        (AddNode("x", "a", "e"), "refused.not_under"),
        (AddNode("x", id="a"), "refused.id_taken"),
        (AddNode({"title": "x"}), "refused.item_needs_text"),
        (MoveNode("gone"), "refused.no_longer_there"),
        (MoveNode("a", "b"), "refused.under_itself"),
        (MoveNode("a", "a"), "refused.under_itself"),
        (MoveNode("b", None, "b"), "refused.not_under"),
        (UpdateNode("gone", "x"), "refused.no_longer_there"),
        (RemoveNode("gone"), "refused.no_longer_there"),
        (InsertItem("x"), "refused.wrong_schema"),
    ],
)
def test_that_a_refused_operation_changes_nothing(operation: Operation, code: str) -> None:
    document = new(TREE, TreeContent((TreeNode("a", "a", (TreeNode("b", "b"),)), TreeNode("e", "e"))))
    version, content = document.version, document.content()
    with pytest.raises(RefusedError) as caught:
        document.apply(operation, stamp())
    assert caught.value.code == code
    assert (document.version, document.content()) == (version, content)


def test_that_an_outline_has_a_deepest_level() -> None:
    document = new(TREE)
    parent = None
    for level in range(MAX_DEPTH):
        document.apply(AddNode("x", parent, id=str(level)), stamp())
        parent = str(level)
    document.apply(AddNode("y", id="y"), stamp())
    for operation in (AddNode("x", parent), MoveNode("0", "y")):
        with pytest.raises(RefusedError) as caught:
            document.apply(operation, stamp())
        assert dict(caught.value.parameters) == {"depth": MAX_DEPTH + 1, "limit": MAX_DEPTH}
