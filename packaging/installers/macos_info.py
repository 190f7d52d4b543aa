"""What a bundle for macOS says of itself: its id, its version and the files that it opens."""

from __future__ import annotations

from typing import Any

from installers.desktop import FILE_TYPES, ID, NAME, version_numbers

INFO: dict[str, Any] = {
    "id": ID,
    "version": version_numbers(),
    "CFBundleDisplayName": NAME,
    "LSMinimumSystemVersion": "13.0",
    "NSHighResolutionCapable": True,
    "CFBundleDocumentTypes": [
        {
            "CFBundleTypeName": kind.name,
            "CFBundleTypeExtensions": [kind.suffix],
            "CFBundleTypeRole": "Editor",
            "LSHandlerRank": "Owner" if kind.is_ours else "Alternate",
        }
        for kind in FILE_TYPES
    ],
}
