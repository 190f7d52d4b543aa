#!/usr/bin/env python3
"""Try the Linux packages where nothing else is: in fresh Debian roots, from installation to removal without a trace.

    sudo python3 packaging/check_linux.py [--out FOLDER] [--work FOLDER] [CHECK ...]

deb       install with its dependencies, self-test offscreen and under X11 with a window manager, purge
archive   unpack the .tar.gz, self-test
rpm       install the .rpm with rpm, self-test, remove; without its dependencies, whose names are Fedora's
arch      the same for the Arch package with pacman
wheel     install the wheel with the system's Python, self-test
upgrade   install over an older package; read its file; refuse a file of a newer format and leave it alone
tools     install the wheel with pipx and uvx into empty homes, on this machine

Needs root, debootstrap and the results of build.py in FOLDER (dist). The roots get their packages from where this
machine gets them; the wheel's dependencies are downloaded here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = "context-inspector"
# What README says that a system has to have for the archive and the wheel.
LIBRARIES = (
    *("libegl1", "libgl1", "libglib2.0-0", "libdbus-1-3", "libfontconfig1", "libfreetype6", "libx11-xcb1"),
    *("libxcb-randr0", "libxcb-render0", "libxcb-shape0", "libxcb-shm0", "libxcb-sync1", "libxcb-xfixes0"),
    *("libxcb-xkb1", "libxkbcommon-x11-0"),
)
# What an installation of anything changes, whoever asked for it.
NOT_OURS = (
    "proc/",
    "dev/",
    "tmp/",
    "home/",
    "root/",
    "run/",
    "var/cache/",
    "var/log/",
    "var/lib/apt/",
    "var/lib/dpkg/",
)
NEWER_FORMAT = 9 << 16
"""A version in the header of a file that no program knows yet."""


class CheckError(Exception):
    """Something is not as it should be; the message says what."""


class Debian:
    """One throw-away Debian root.

    Attributes:
        folder: Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str, *, user: bool = False, quiet: bool = False) -> str:
        """Run a shell command inside, as root or as a person; gives its standard output.

        Raises:
            CheckError: it failed, or as `quiet` wrote to standard error.
        """
        inner = ["su", "tester", "-c", command] if user else ["sh", "-c", command]
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "DEBIAN_FRONTEND": "noninteractive",
            "LC_ALL": "C.UTF-8",
            "HOME": "/root",
        }
        done = subprocess.run(
            ["chroot", str(self.folder), *inner], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode or (quiet and done.stderr):
            raise CheckError(
                f"{command!r} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
            )
        return done.stdout

    def install(self, *packages: str) -> None:
        """Install Debian packages, and nothing that is only recommended."""
        self.run(f"apt-get install -qq -y --no-install-recommends {' '.join(packages)}")

    def take(self, file: Path) -> str:
        """Copy a file inside; gives its place there."""
        shutil.copy(file, self.folder / "tmp" / file.name)
        return f"/tmp/{file.name}"

    def files(self) -> set[str]:
        """Every path inside but those that any installation changes."""
        found: set[str] = set()
        for top, folders, names in os.walk(self.folder):
            inside = os.path.relpath(top, self.folder)
            place = "" if inside == "." else f"{inside}/"
            folders[:] = [each for each in folders if not f"{place}{each}/".startswith(NOT_OURS)]
            found.update(f"{place}{each}" for each in (*folders, *names))
        return found

    def selftest(self, program: str, *, screen: bool = False) -> None:
        """Let the program try itself as a person, offscreen or on a screen with a window manager.

        Raises:
            CheckError: it failed or wrote to standard error.
        """
        command = f"QT_QPA_PLATFORM=offscreen {program} --selftest"
        if screen:
            inner = f"openbox & QT_QPA_PLATFORM=xcb {program} --selftest; code=$?; kill %1; exit $code"
            command = f"xvfb-run -a -s '-screen 0 1600x1000x24' sh -c '{inner}' 2>/tmp/on-screen"
        said = self.run(command, user=True, quiet=True)
        print("    " + said.strip().replace("\n", "\n    "), flush=True)
        if "Self-test passed" not in said:
            raise CheckError(f"the self-test did not pass:\n{said}")


def main(arguments: list[str]) -> int:
    """Take the checks that the command line names, or all; gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="check_linux.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checks", nargs="*", choices=(*CHECKS, []))
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "roots")
    given = parser.parse_args(arguments)
    for name in given.checks or CHECKS:
        print(f"== {name}", flush=True)
        try:
            CHECKS[name](given.out.resolve(), given.work.resolve())
        except (CheckError, OSError, subprocess.CalledProcessError) as error:
            print(f"check_linux.py: {name}: {error}", file=sys.stderr)
            return 1
    return 0


def check_deb(out: Path, work: Path) -> None:
    """From installation to purge, with nothing left."""
    with fresh_root(work, "deb") as debian:
        before = debian.files()
        deb = debian.take(the_file(out, "*.deb"))
        debian.install(deb)
        owned = set(debian.run(f"dpkg -L {PROGRAM}").split())
        print(f"  installed, {len(owned)} paths")
        debian.run(f"man -w {PROGRAM} >/dev/null 2>&1 || test -e /usr/share/man/man1/{PROGRAM}.1.gz")
        debian.selftest(PROGRAM)
        debian.run(f"apt-get purge -qq -y {PROGRAM}")
        debian.run("apt-get autoremove -qq -y --purge")
        left = sorted(path for path in debian.files() - before if "inspector" in path.lower())
        others = sorted(debian.files() - before - set(left))
        print(
            f"  purged; {len(left)} paths of the program left, {len(others)} of its dependencies' configuration"
        )
        if left:
            raise CheckError(f"left behind: {', '.join(left[:10])}")
        debian.install(deb, "xvfb", "xauth", "openbox")
        debian.selftest(PROGRAM, screen=True)


def check_archive(out: Path, work: Path) -> None:
    """Unpacked anywhere, with the libraries that README names."""
    with fresh_root(work, "archive") as debian:
        archive = debian.take(the_file(out, f"{PROGRAM}-*.tar.gz"))
        debian.install(*LIBRARIES)
        debian.run(f"mkdir -p /opt && tar -xzf {archive} -C /opt")
        program = debian.run(f"ls -d /opt/{PROGRAM}-*/{PROGRAM}").strip()
        debian.selftest(program)
        debian.install("xvfb", "xauth", "openbox")
        debian.selftest(program, screen=True)


def check_rpm(out: Path, work: Path) -> None:
    """With rpm on Debian: its form, its files and its removal, but not its dependencies."""
    with fresh_root(work, "rpm") as debian:
        debian.install("rpm", *LIBRARIES)
        package = debian.take(the_file(out, "*.rpm"))
        debian.run("rpm --initdb")
        installed_and_removed(debian, f"rpm --install --nodeps {package}", f"rpm --erase {PROGRAM}")


def check_arch(out: Path, work: Path) -> None:
    """With pacman on Debian: its form, its files and its removal, but not its dependencies."""
    with fresh_root(work, "arch") as debian:
        debian.install("pacman-package-manager", *LIBRARIES)
        package = debian.take(the_file(out, "*.pkg.tar.zst"))
        # It looks for mounted disks, which a root in a folder has none of.
        debian.run("sed -i s/^CheckSpace// /etc/pacman.conf")
        quiet = "pacman --noconfirm --nodeps --nodeps --noprogressbar"
        installed_and_removed(debian, f"{quiet} --upgrade {package}", f"{quiet} --remove --nosave {PROGRAM}")


def installed_and_removed(debian: Debian, install: str, remove: str) -> None:
    """Install by a foreign package manager, let the program try itself, remove it.

    Raises:
        CheckError: a command failed, the program failed, or something of it is left.
    """
    before = debian.files()
    debian.run(install)
    print(f"  installed, {len(debian.files() - before)} paths", flush=True)
    debian.selftest(PROGRAM)
    debian.run(remove)
    left = sorted(path for path in debian.files() - before if "inspector" in path.lower())
    print(f"  removed; {len(left)} paths of the program left", flush=True)
    if left:
        raise CheckError(f"left behind: {', '.join(left[:10])}")


def check_wheel(out: Path, work: Path) -> None:
    """With the system's own Python, in a virtual environment."""
    with fresh_root(work, "wheel") as debian:
        wheel = the_file(out, "*.whl")
        house = debian.folder / "tmp" / "wheels"
        wanted = [
            "--dest",
            str(house),
            "--constraint",
            str(ROOT / "packaging" / "constraints.txt"),
            str(wheel),
        ]
        here = [sys.executable, "-m", "pip", "download", "--quiet", *wanted]
        if subprocess.run(here, check=False).returncode:
            raise CheckError("the wheel's dependencies could not be downloaded")
        debian.install(
            "python3", "python3-venv", *LIBRARIES, "libxcb-cursor0", "libxcb-icccm4", "libxcb-keysyms1"
        )
        debian.run("python3 -m venv /opt/inspector")
        debian.run(f"/opt/inspector/bin/pip install -q --no-index --find-links /tmp/wheels {PROGRAM}")
        debian.selftest(f"/opt/inspector/bin/{PROGRAM}")


def check_upgrade(out: Path, work: Path) -> None:
    """Over an older package with a file of its own, and back."""
    with fresh_root(work, "upgrade") as debian:
        deb = the_file(out, "*.deb")
        older = debian.take(as_older(deb, work / "older"))
        debian.install(older)
        debian.run(f"test -e /usr/lib/{PROGRAM}/_internal/only-in-the-older.txt")
        debian.run(f"cd && {PROGRAM} sample work.constellation", user=True)
        before = debian.run(f"cd && {PROGRAM} agents work.constellation --json", user=True)
        debian.install(debian.take(deb))
        if debian.run(f"find /usr/lib/{PROGRAM} -name only-in-the-older.txt").strip():
            raise CheckError("a file of the older package is left")
        if debian.run(f"cd && {PROGRAM} agents work.constellation --json", user=True) != before:
            raise CheckError("the newer program reads the file otherwise")
        refuse_newer(debian)


def refuse_newer(debian: Debian) -> None:
    """A file of a format that is newer than the program: a sentence, exit code 1, and not one byte changed."""
    file = debian.folder / "home" / "tester" / "work.constellation"
    content = bytearray(file.read_bytes())
    # The header's user version: https://sqlite.org/fileformat2.html
    content[60:64] = NEWER_FORMAT.to_bytes(4, "big")
    file.write_bytes(content)
    try:
        debian.run(
            f"cd && {PROGRAM} edit work.constellation --agent Ada --block persona --append x", user=True
        )
    except CheckError as error:
        said = str(error)
    else:
        raise CheckError("a file of a newer format was written")
    if file.read_bytes() != bytes(content) or "Traceback" in said or "knows up to" not in said:
        raise CheckError(f"a file of a newer format was changed, or refused without a reason:\n{said}")
    print("  " + said.splitlines()[-1])


def check_tools(out: Path, work: Path) -> None:
    """With pipx and uvx, into empty homes."""
    wheel = the_file(out, "*.whl")
    folder = work / "tools"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    pip = [str(folder / "venv" / "bin" / "pip"), "install", "--quiet", "pipx", "uv"]
    subprocess.run(pip, check=True)
    home = {**os.environ, "HOME": str(folder / "home"), "QT_QPA_PLATFORM": "offscreen"}
    home |= {"PIPX_HOME": str(folder / "pipx"), "PIPX_BIN_DIR": str(folder / "bin")}
    home |= {"UV_CACHE_DIR": str(folder / "cache")}
    tools = folder / "venv" / "bin"
    run_here([str(tools / "pipx"), "install", "--quiet", str(wheel)], home)
    run_here([str(folder / "bin" / PROGRAM), "--selftest"], home)
    uvx = [str(tools / "uvx"), "--quiet", "--python", sys.executable, "--from", str(wheel)]
    run_here([*uvx, PROGRAM, "--selftest"], home)


def run_here(command: list[str], environment: dict[str, str]) -> None:
    """Run a command on this machine.

    Raises:
        CheckError: it failed.
    """
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    print(
        "    " + " ".join(command[-3:]) + "\n    " + done.stdout.strip().replace("\n", "\n    "), flush=True
    )
    if done.returncode:
        raise CheckError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def as_older(deb: Path, folder: Path) -> Path:
    """The same package with a lower version, and a file that the newer one does not have."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run(["dpkg-deb", "--raw-extract", str(deb), str(folder / "tree")], check=True)
    control = folder / "tree" / "DEBIAN" / "control"
    lines = control.read_text(encoding="utf-8").splitlines(keepends=True)
    control.write_text(
        "".join("Version: 0.0.1\n" if line.startswith("Version:") else line for line in lines),
        encoding="utf-8",
    )
    only = folder / "tree" / "usr" / "lib" / PROGRAM / "_internal" / "only-in-the-older.txt"
    only.write_text("older\n", encoding="utf-8")
    made = folder / "older.deb"
    build = ["dpkg-deb", "--build", "--root-owner-group", "-Zgzip", "-z1", str(folder / "tree"), str(made)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    return made


def the_file(out: Path, pattern: str) -> Path:
    """The one result of that name.

    Raises:
        CheckError: there are none or several.
    """
    found = sorted(out.glob(pattern))
    if len(found) != 1:
        raise CheckError(f"{out} has {len(found)} files {pattern}: build with build.py into an empty folder")
    return found[0]


@contextmanager
def fresh_root(work: Path, name: str) -> Iterator[Debian]:
    """A new root with one person in it and nothing installed; it is removed in the end."""
    base = base_root(work)
    folder = work / name
    remove(folder)
    subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(folder)], check=True)
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    subprocess.run(["mount", "-t", "proc", "proc", str(folder / "proc")], check=True)
    debian = Debian(folder)
    try:
        debian.run("useradd --create-home --shell /bin/sh tester")
        debian.run("apt-get update -qq")
        yield debian
    finally:
        subprocess.run(["umount", "--lazy", str(folder / "proc")], check=False)
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a root, but never what is mounted in it."""
    if folder.exists():
        subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=True)


def base_root(work: Path) -> Path:
    """The root that all others are copies of; made once."""
    base = work / "base"
    done = work / "base.done"
    if done.exists():
        return base
    sources = debian_sources()
    uri, suite = sources[0]
    remove(base)
    work.mkdir(parents=True, exist_ok=True)
    print(f"  making a root of {suite} ...", flush=True)
    command = ["debootstrap", "--variant=minbase", suite, str(base), uri]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        raise CheckError("debootstrap failed")
    lines = "".join(f"deb {uri} {suite} main\n" for uri, suite in sources)
    (base / "etc" / "apt" / "sources.list").write_text(lines, encoding="utf-8")
    done.touch()
    return base


def debian_sources() -> list[tuple[str, str]]:
    """Where this machine gets Debian's packages from: address and code name, the main archive first."""
    command = [
        "apt-get",
        "indextargets",
        "--format",
        "$(REPO_URI) $(CODENAME)",
        "Created-By: Packages",
        "Component: main",
    ]
    said = subprocess.run([*command, "Origin: Debian"], capture_output=True, text=True, check=True).stdout
    found = sorted({tuple(line.split()) for line in said.splitlines()}, key=lambda pair: len(pair[1]))
    if not found:
        raise CheckError("this machine has no list of Debian's packages: run apt-get update")
    return [(uri, suite) for uri, suite in found]


CHECKS: dict[str, Callable[[Path, Path], None]] = {
    "deb": check_deb,
    "archive": check_archive,
    "rpm": check_rpm,
    "arch": check_arch,
    "wheel": check_wheel,
    "upgrade": check_upgrade,
    "tools": check_tools,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
