"""A document that must not be read here is told of in every view that shows its block, and nowhere else."""

from __future__ import annotations

from inspector.domain.blocks import TextSchema
from inspector.domain.content import TextContent
from inspector.domain.edits.base import Edit, Intent
from inspector.domain.edits.block_rows import CreateBlock
from inspector.domain.edits.rows import CreateAgent
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.engine import Engine
from tests.documents.airlock.hostile_documents import nested, updates
from tests.fixtures import NOOR, OpenEngine
from tests.memory.test_vetting import plant


async def problems_of(engine: Engine) -> list[tuple[str, str]]:
    request = await engine.context.request("agt_ada")
    return [(each.code, each.where) for each in request.problems if each.code.startswith("document.")]


async def test_that_a_request_tells_of_a_document_that_is_refused(engine: OpenEngine) -> None:
    async with engine() as opened:
        edits = [Edit(Ref(RefKind.AGENT, "agt_ada"), CreateAgent("Ada", "I am Ada.", model="gpt-4o"))]
        edits += [
            Edit(
                Ref(RefKind.BLOCK, f"blk_{label}"),
                CreateBlock("agt_ada", label, schema=TextSchema(), content=TextContent(f"the {label} text")),
            )
            for label in ("bad", "good")
        ]
        await opened.apply([Intent(edit, NOOR) for edit in edits])
        path = opened.path
    plant(path, "blk_bad", updates(nested(300)))
    async with engine(path) as opened:
        assert await problems_of(opened) == []
        await opened.memory.look_over()
        assert await problems_of(opened) == [("document.too_deep", "block:blk_bad")]
        request = await opened.context.request("agt_ada")
        assert "the bad text" not in request.text
        assert "the good text" in request.text
