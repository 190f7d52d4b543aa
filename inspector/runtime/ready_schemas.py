"""The schemas that a new block may begin with. Apart from `resources`: they load the domain, which a start waits for."""

from __future__ import annotations

from inspector.shipped.ready_schemas import load_ready_schemas as ready_schemas

__all__ = ["ready_schemas"]
