#!/usr/bin/env python3
"""Set up, run and test Context Inspector from its source tree, with Python's standard library alone.

    python3 packaging/dev.py run [FILE]       the window on FILE, or on the sample constellation;
                                              without a display, a budget report and pictures of the window
    python3 packaging/dev.py test [ARGS...]   the tests; ARGS go to pytest
    python3 packaging/dev.py lint             ruff, mypy and the import contracts
    python3 packaging/dev.py setup            only what the others do first

Setting up makes .venv, installs the exact versions of packaging/constraints.txt, and on Debian and its
relatives the system libraries and fonts that Qt lacks (as root or by sudo; otherwise it prints the command).
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
VENV_BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = VENV_BIN / ("python.exe" if os.name == "nt" else "python")
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
LIBRARY_PACKAGES = ROOT / "packaging" / "system-packages.txt"

SUPPORTED = ((3, 11), (3, 12), (3, 13))

# The command line of the inspector, as far as this file uses it.
OPEN_FILE = ("open", "{file}")
OPEN_SAMPLE = ("open", "--sample")
MAKE_SAMPLE = ("sample", "{file}")
IMPORT_FILE = ("import", "{source}", "--into", "{file}")
LIST_AGENTS = ("agents", "{file}", "--json")
REPORT = ("report", "{file}", "--agent", "{agent}")
PICTURES = ("screenshots", "{file}", "--out", "{pictures}", "--theme", "both")

LINTERS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)

# What must load for anything of Qt to start, and what a window on a screen needs besides.
START_LIBRARIES = (
    "QtCore.abi3.so",
    "QtGui.abi3.so",
    "QtWidgets.abi3.so",
    "QtNetwork.abi3.so",
    "QtSvg.abi3.so",
    "Qt/plugins/platforms/libqoffscreen.so",
)
WINDOW_LIBRARIES = (
    "Qt/plugins/platforms/libqxcb.so",
    "Qt/plugins/platforms/libqwayland.so",
)
QT_PROBE = "from PySide6.QtWidgets import QApplication; QApplication([])"

FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
# Package to install: name parts of font files that do its work as well.
FONTS = {
    "fonts-wqy-microhei": ("wqy", "cjk", "sourcehan", "notosanssc", "droidsansfallback", "uming", "unifont"),
    "fonts-noto-color-emoji": ("emoji", "symbola"),
}


class SetupError(Exception):
    """Something stands in the way; the message says what, and what to do."""


def main(arguments: list[str]) -> int:
    """Do what the command line says and return its exit code."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(__doc__)
        return 0 if arguments else 2
    command = COMMANDS.get(arguments[0])
    if command is None:
        print(f"dev.py: unknown command {arguments[0]!r}. Commands: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        return command(arguments[1:])
    except SetupError as error:
        print(f"dev.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def run(arguments: list[str]) -> int:
    """Open the window, or without a display show the same in text and pictures."""
    if len(arguments) > 1:
        print("dev.py: run takes at most one file", file=sys.stderr)
        return 2
    screen = has_display()
    set_up(window=screen)
    source = Path(arguments[0]).resolve() if arguments else None
    if screen:
        command = inspector(OPEN_FILE, file=source) if source else inspector(OPEN_SAMPLE)
        return call(command)
    print("No display: neither DISPLAY nor WAYLAND_DISPLAY is set.")
    print("Printing the budget report and drawing pictures of the window instead.\n", flush=True)
    return preview(source)


def test(arguments: list[str]) -> int:
    """Run pytest; given no arguments, in up to four processes."""
    set_up(window=False)
    processors = os.cpu_count() or 1
    if not arguments and processors > 1:
        # On two processors, three took a fifth to a quarter less time than two did.
        arguments = ["-n", str(min(processors + processors // 2, 4))]
    # An empty PYTHONDONTWRITEBYTECODE is as good as none: else all programs that tests start compile everything anew.
    return call(
        [str(PYTHON), "-m", "pytest", *arguments], QT_QPA_PLATFORM="offscreen", PYTHONDONTWRITEBYTECODE=""
    )


def lint(arguments: list[str]) -> int:
    """Run every linter, whatever the one before it said, and return 1 if any complained."""
    if arguments:
        print("dev.py: lint takes no arguments", file=sys.stderr)
        return 2
    set_up(window=False)
    failed = False
    for name, *options in LINTERS:
        print(f"== {name} {' '.join(options)}", flush=True)
        failed |= call([str(VENV_BIN / name), *options]) != 0
    return int(failed)


def setup(arguments: list[str]) -> int:
    """Only set up."""
    if arguments:
        print("dev.py: setup takes no arguments", file=sys.stderr)
        return 2
    set_up(window=has_display())
    print(f"Set up: {VENV}")
    return 0


COMMANDS = {"run": run, "test": test, "lint": lint, "setup": setup}


def has_display() -> bool:
    """Whether a window can be seen: always outside Linux, there with a display server."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def call(command: list[str], *, silent: bool = False, **environment: str) -> int:
    """Run a command from the project's root; `silent` leaves only its errors to see. Return its exit code."""
    output = subprocess.DEVNULL if silent else None
    child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=output)
    # Whoever ends this ends the window that it opened.
    before = signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    try:
        return child.wait()
    finally:
        signal.signal(signal.SIGTERM, before)


def inspector(template: tuple[str, ...], **values: object) -> list[str]:
    """A command line of the inspector from one of the templates above."""
    return [str(PYTHON), "-m", "inspector", *(part.format(**values) for part in template)]


def preview(source: Path | None) -> int:
    """Report on a file, or on a new sample, and write pictures of the window beside it.

    The folder of the pictures stays: they are what was asked for.
    """
    folder = Path(tempfile.mkdtemp(prefix="context-inspector-"))
    pictures = folder / "pictures"
    file = folder / "preview.constellation"
    steps = []
    if source is None:
        steps.append(inspector(MAKE_SAMPLE, file=file))
    elif source.suffix.lower() in (".af", ".json"):
        steps.append(inspector(IMPORT_FILE, source=source, file=file))
    else:
        file = source
    for step in steps:
        code = call(step)
        if code:
            return code
    for agent in agents_in(file):
        code = call(inspector(REPORT, file=file, agent=agent))
        if code:
            return code
    code = call(inspector(PICTURES, file=file, pictures=pictures), QT_QPA_PLATFORM="offscreen")
    if code == 0:
        print(f"\nThe constellation: {file}\nThe pictures:      {pictures}")
    return code


def agents_in(file: Path) -> list[str]:
    """The ids of a constellation's agents, as the inspector itself lists them."""
    command = inspector(LIST_AGENTS, file=file)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SetupError(f"cannot read {file}")
    return [agent["id"] for agent in json.loads(done.stdout)["agents"]]


def set_up(*, window: bool) -> None:
    """Bring .venv and the system to what pyproject.toml and the constraints say; at once if they are.

    Raises:
        SetupError: if something is missing that cannot be installed from here.
    """
    key = state_key()
    packages_done, system_done = VENV / ".packages-done", VENV / ".system-done"
    if not holds(packages_done, key):
        install_packages()
        packages_done.write_text(key, encoding="utf-8")
    if not holds(system_done, key) and complete_system(window=window):
        system_done.write_text(key, encoding="utf-8")


def state_key() -> str:
    """A digest of all that decides what an installation holds."""
    digest = hashlib.sha256()
    for path in (ROOT / "pyproject.toml", CONSTRAINTS, LIBRARY_PACKAGES):
        digest.update(path.read_bytes())
        digest.update(b"\0")
    digest.update(f"{sys.version}\0{ROOT}".encode())
    return digest.hexdigest()


def holds(stamp: Path, key: str) -> bool:
    """Whether a stamp file says that this very state was reached."""
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == key


def install_packages() -> None:
    """Make .venv if there is no usable one and install the project into it, editable."""
    if not venv_is_usable():
        make_venv()
    print("Installing the packages (about 120 MB the first time) ...", flush=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if call([str(PYTHON), *install, "--constraint", str(CONSTRAINTS), "--editable", ".[dev]"]):
        raise SetupError("couldn't install the packages. See pip's output above.")


def venv_is_usable() -> bool:
    """Whether .venv has pip and the version of Python that is running now."""
    if not PYTHON.exists():
        return False
    probe = f"import sys, pip; sys.exit(sys.version_info[:2] != {tuple(sys.version_info[:2])!r})"
    return quiet([str(PYTHON), "-c", probe]) == 0


def make_venv() -> None:
    """Make .venv with pip in it, also where Debian has left `python3-venv` out."""
    print(f"Creating {VENV} ...", flush=True)
    fresh = [sys.executable, "-m", "venv", "--clear"]
    if importlib.util.find_spec("ensurepip") is None:
        if call([*fresh, "--without-pip", str(VENV)]) == 0 and borrow_pip():
            return
        version = "{}.{}".format(*sys.version_info[:2])
        apt_install([f"python{version}-venv"], "Python can't create a virtual environment")
    if call([*fresh, str(VENV)]):
        raise SetupError(f"couldn't create a virtual environment in {VENV}. See Python's output above.")


def borrow_pip() -> bool:
    """Let the system's pip install one into .venv; False if the system has none that can."""
    command = [sys.executable, "-m", "pip", "--python", str(PYTHON), "install", "--quiet", "pip"]
    return quiet(command) == 0 and venv_is_usable()


def quiet(command: list[str]) -> int:
    """Run a command for its exit code only."""
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    return done.returncode


def complete_system(*, window: bool) -> bool:
    """Install the system libraries and fonts that Qt lacks; True if then nothing is missing.

    Raises:
        SetupError: if Qt cannot start without what is missing.
    """
    if not sys.platform.startswith("linux"):
        return True
    wanted = [*START_LIBRARIES, *WINDOW_LIBRARIES]
    packages = [*packages_for(missing_libraries(wanted)), *missing_fonts()]
    complete = True
    if packages:
        try:
            apt_install(packages, "Qt lacks system libraries or fonts")
        except SetupError as error:
            # Fonts, and libraries for a window where none will open, are wanted and not needed.
            if missing_libraries(wanted if window else START_LIBRARIES):
                raise
            print(f"dev.py: {error}", file=sys.stderr)
            complete = False
    probe_qt()
    return complete


def missing_libraries(wanted: list[str] | tuple[str, ...]) -> list[str]:
    """The shared libraries that the named files of PySide6 want and the system does not have."""
    folder = next((VENV / "lib").glob("python*/site-packages/PySide6"), None)
    ldd = shutil.which("ldd")
    if folder is None or ldd is None:
        return []
    files = [str(folder / name) for name in wanted if (folder / name).exists()]
    said = subprocess.run(
        [ldd, *files],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
        check=False,
    )
    return not_found(said.stdout.decode(errors="replace"))


def not_found(said: str) -> list[str]:
    """The libraries that ldd calls "not found"."""
    lines = (line.split() for line in said.splitlines() if line.rstrip().endswith("=> not found"))
    return sorted({words[0] for words in lines})


def packages_for(libraries: list[str]) -> list[str]:
    """The Debian packages of shared libraries.

    Raises:
        SetupError: if a library is in no row of system-packages.txt.
    """
    rows = (line.split() for line in LIBRARY_PACKAGES.read_text(encoding="utf-8").splitlines())
    table = {row[0]: row[1] for row in rows if len(row) == 2 and row[0] != "#"}
    unknown = [library for library in libraries if library not in table]
    if unknown:
        raise SetupError(
            f"Qt wants {', '.join(unknown)}; install the system packages that hold them and run this again."
        )
    return sorted({table[library] for library in libraries})


def missing_fonts() -> list[str]:
    """The packages of those fonts (Chinese, Japanese, Korean; emoji) that no installed one makes up for."""
    folders = [Path(name).expanduser() for name in FONT_FOLDERS]
    names = [path.name.lower() for folder in folders if folder.is_dir() for path in folder.rglob("*")]
    return [
        package
        for package, parts in FONTS.items()
        if not any(part in name for name in names for part in parts)
    ]


def probe_qt() -> None:
    """Start Qt once without a screen: the only proof that nothing is missing.

    Raises:
        SetupError: with Qt's own words if it does not start.
    """
    done = subprocess.run(
        [str(PYTHON), "-c", QT_PROBE],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise SetupError(f"Qt does not start:\n{done.stderr.decode(errors='replace').strip()}")


def apt_install(packages: list[str], why: str) -> None:
    """Install Debian packages as root or by sudo.

    Raises:
        SetupError: with the command to type if there is no apt-get or no right to use it, or if it fails.
    """
    if shutil.which("apt-get") is None:
        raise SetupError(f"{why}. Install what these Debian packages contain: {' '.join(packages)}")
    privilege = privileges()
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if privilege is None:
        raise SetupError(f"{why}. Run this, then try again:\n    sudo {' '.join(install)}")
    print(f"{why}. Installing {' '.join(packages)} ...", flush=True)
    prefix = [*privilege, "env", "DEBIAN_FRONTEND=noninteractive"]
    call([*prefix, "apt-get", "update", "-qq"], silent=True)
    if call([*prefix, *install[:1], "-qq", *install[1:]], silent=True):
        raise SetupError(f"{why}, and this command failed:\n    {' '.join([*privilege, *install])}")


def privileges() -> list[str] | None:
    """What to put before a command that changes the system; None without the right to."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and quiet(["sudo", "-n", "true"]) == 0:
        return ["sudo", "-n"]
    return None


def other_python() -> str | None:
    """A Python on the path that the project supports."""
    names = ("python{}.{}".format(*version) for version in reversed(SUPPORTED))
    return next(filter(None, map(shutil.which, names)), None)


def start() -> int:
    """Run `main` with a Python that the project supports, this one or another on the path."""
    if sys.version_info[:2] in SUPPORTED:
        return main(sys.argv[1:])
    other = other_python()
    if other is None:
        running = "{}.{}".format(*sys.version_info[:2])
        print(f"dev.py: Context Inspector needs Python 3.11 to 3.13. This is {running}", file=sys.stderr)
        return 1
    return subprocess.call([other, *sys.argv])


if __name__ == "__main__":
    sys.exit(start())
