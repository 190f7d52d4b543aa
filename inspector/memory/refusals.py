"""Raises the refusal of an operation with its code and parameters."""

from __future__ import annotations

from inspector.domain.errors import Parameter, Refusal, RefusedError


def refused(code: str, **parameters: Parameter) -> RefusedError:
    """The error for a rule that says no, to be raised."""
    return RefusedError(Refusal(code, parameters))
