"""The schemas that a new block may begin with. They load the domain, which `resources` of a start do without."""

from __future__ import annotations

from inspector.shipped.ready_schemas import load_ready_schemas as ready_schemas

__all__ = ["ready_schemas"]
