"""Spares the start of the window what PySide does at every import."""

from __future__ import annotations

import sys
from importlib import import_module

_FEATURE = "shibokensupport.feature"
_ASKED = "_mod_uses_pyside"


def spare_sources() -> None:
    """Import modules from now on without reading their source.

    PySide searches it for its own name, to find out which modules may use Qt's functions under other names. Ours use
    none of those, and to read hundreds of files takes a tenth of the start.
    """
    import_module("PySide6")
    feature = sys.modules.get(_FEATURE)
    if feature is not None and hasattr(feature, _ASKED):
        vars(feature)[_ASKED] = _uses_none


def _uses_none(_: object) -> bool:
    return False
