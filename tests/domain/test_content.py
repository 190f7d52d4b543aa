"""Contents as plain values: the nodes of a tree in their order."""

from __future__ import annotations

from inspector.domain.content import TreeContent, TreeNode


def test_that_a_tree_is_walked_from_top_to_bottom() -> None:
    branch = TreeNode("b", "", (TreeNode("c", ""),))
    tree = TreeContent((TreeNode("a", "", (branch, TreeNode("d", ""))), TreeNode("e", "")))
    walked = [(depth, each.id) for depth, each in tree.walk()]
    assert walked == [(0, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e")]


def test_that_a_tree_of_any_depth_is_walked() -> None:
    top = TreeNode("leaf", "")
    for _ in range(5_000):
        top = TreeNode("", "", (top,))
    assert [depth for depth, _ in TreeContent((top,)).walk()] == [*range(5_001)]
