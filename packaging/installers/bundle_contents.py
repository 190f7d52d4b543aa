"""What goes into a bundle: the modules, Qt plug-ins and system libraries that the program needs, and no others."""

from __future__ import annotations

from pathlib import PurePosixPath

EXCLUDED_MODULES = (
    # tiktoken would fetch vocabularies with it; the program ships its own.
    "requests",
    "urllib3",
    "charset_normalizer",
    # Their C libraries are under the GPL.
    "readline",
    "_gdbm",
    "dbm.gnu",
    # Never used.
    "PySide6.QtNetwork",
    "curses",
    "_curses",
    "distutils",
    "lib2to3",
    # A bundle that has it imports all of it at every start, before anything of ours.
    "multiprocessing",
    "pip",
    "pkg_resources",
    "pydoc",
    "setuptools",
    "test",
    "tkinter",
    "unittest",
)

NAMED_LIBRARIES = ("PySide6_Essentials", "qasync", "loro", "aiosqlite", "tiktoken", "click", "rapidfuzz")

# The plug-ins that are wanted, by folder; of all other folders there are none.
PLUGINS = {
    "platforms": {"qxcb", "qwayland", "qoffscreen", "qcocoa", "qwindows"},
    "platformthemes": {"qxdgdesktopportal"},
    "platforminputcontexts": {"composeplatforminputcontextplugin", "ibusplatforminputcontextplugin"},
    "iconengines": {"qsvgicon"},
    "imageformats": {"qgif", "qico", "qjpeg", "qsvg", "qwebp"},
    "styles": {"qmacstyle", "qmodernwindowsstyle"},
    "wayland-decoration-client": {"adwaita", "bradient"},
    "wayland-shell-integration": {"xdg-shell"},
}
QT_LIBRARIES = {"Core", "DBus", "Gui", "Svg", "Widgets", "OpenGL", "WaylandClient", "XcbQpa"}

# Libraries of the building machine that come along: Python's own, and those of X11 that many a system lacks. All
# others are the system's, because they must fit its drivers, its fonts or its services.
SYSTEM_LIBRARIES = {
    "libbz2",
    "libcrypto",
    "libexpat",
    "libffi",
    "liblzma",
    "libpython3",
    "libsqlite3",
    "libssl",
    "libuuid",
    "libxcb-cursor",
    "libxcb-icccm",
    "libxcb-image",
    "libxcb-keysyms",
    "libxcb-render-util",
    "libxcb-util",
}


def is_wanted(name: str) -> bool:
    """Whether a file that PyInstaller found belongs into the bundle.

    Args:
        name: Where it would go, relative to the bundle's folder.
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if "translations" in path.parts and "PySide6" in path.parts:
        return False
    if path.name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
        # How pip installed a package on the building machine.
        return False
    if "plugins" in path.parts:
        kind = path.parts[path.parts.index("plugins") + 1]
        stem = path.name.split(".")[0].removeprefix("lib")
        return stem in PLUGINS.get(kind, ())
    if path.name.startswith("libQt6"):
        return path.name.removeprefix("libQt6").split(".")[0] in QT_LIBRARIES
    if len(path.parts) == 1 and ".so" in path.name and path.name.startswith("lib"):
        stem = path.name.split(".so")[0]
        return stem in SYSTEM_LIBRARIES or stem.startswith(
            ("libpython3", "libpyside6", "libshiboken6", "libicu")
        )
    return True
