"""Packs a bundle for Linux: a .tar.gz for any distribution, and with nfpm a .deb, an .rpm and a package for Arch."""

from __future__ import annotations

import gzip
import json
import os
import platform
import shutil
import tarfile
from pathlib import Path
from typing import Any

from installers import libraries, linux_files
from installers.bundle import PROGRAM
from installers.desktop import SUMMARY
from installers.libraries import Needs
from installers.workshop import BuildError, Workshop, say

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
LARGEST_INSTALLED = 230_000_000
LARGEST_DEB = 70_000_000
_SYSTEMS = {"deb": "deb", "rpm": "rpm", "archlinux": "arch"}
_SUFFIXES = {"deb": "deb", "rpm": "rpm", "archlinux": "pkg.tar.zst"}
ZSH = {"deb": "zsh/vendor-completions", "rpm": "zsh/site-functions", "archlinux": "zsh/site-functions"}
# They keep the tables of file types and of menu entries up to date; elsewhere every desktop has them.
_RECOMMENDED = {"deb": ["shared-mime-info", "desktop-file-utils"], "rpm": [], "archlinux": []}


def build(shop: Workshop, bundle: Path) -> list[Path]:
    """Pack a bundle in every form; gives the packages.

    Raises:
        BuildError: a step failed, or a package is larger than it may be.
    """
    python = shop.work / "environment" / "bin" / "python"
    say("Laying out menu entry, icons, manual and completions ...")
    desktop = linux_files.lay_out(shop, python)
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file() and not path.is_symlink())
    if size > LARGEST_INSTALLED:
        raise BuildError(f"the bundle has {size:,} bytes, at most {LARGEST_INSTALLED:,} are meant")
    for folder in (bundle, desktop):
        stamp(folder, shop.epoch)
    needs = libraries.needs_of(shop, bundle)
    made = [pack_archive(shop, bundle, desktop)]
    rows = libraries.table(shop.packaging / "linux" / "libraries.toml")
    config = shop.work / "nfpm.yaml"
    # JSON is YAML.
    config.write_text(
        json.dumps(configuration(shop, (bundle, desktop), needs, rows), indent=2), encoding="utf-8"
    )
    made += [pack(shop, config, kind) for kind in _SYSTEMS]
    deb = next(path for path in made if path.suffix == ".deb")
    if deb.stat().st_size > LARGEST_DEB:
        raise BuildError(f"{deb.name} has {deb.stat().st_size:,} bytes, at most {LARGEST_DEB:,} are meant")
    for path in made:
        say(f"{path.stat().st_size:>12,}  {path}")
    return made


def stamp(folder: Path, epoch: int) -> None:
    """Give everything in a folder one time: nfpm packs each file with its own."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def architecture() -> str:
    """This machine's, as Debian calls it.

    Raises:
        BuildError: nothing is packed for it.
    """
    found = ARCHITECTURES.get(platform.machine())
    if found is None:
        raise BuildError(f"there are no packages for {platform.machine()}")
    return found


def pack_archive(shop: Workshop, bundle: Path, desktop: Path) -> Path:
    """The bundle with its ``share`` in one folder, which can lie anywhere."""
    top = f"{PROGRAM}-{shop.version}-linux-{platform.machine()}"
    target = shop.out / f"{top}.tar.gz"
    say(f"Packing {target.name} ...")
    folder = shop.fresh("archive") / top
    shutil.copytree(bundle, folder, symlinks=True)
    shutil.copytree(desktop / "share", folder / "share")
    shutil.copytree(desktop / "zsh", folder / "share" / ZSH["rpm"])
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, shop.epoch) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for path in [folder, *sorted(folder.rglob("*"))]:
            add(archive, path, path.relative_to(folder.parent).as_posix(), shop.epoch)
    return target


def add(archive: tarfile.TarFile, path: Path, name: str, epoch: int) -> None:
    """Add a file, link or folder with nothing of the building machine but its content."""
    entry = archive.gettarinfo(str(path), name)
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = epoch
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    if entry.isreg():
        with path.open("rb") as content:
            archive.addfile(entry, content)
    else:
        archive.addfile(entry)


def configuration(shop: Workshop, sources: tuple[Path, Path], needs: Needs, rows: Any) -> dict[str, Any]:
    """What nfpm is told, once for all kinds of packages."""
    bundle, desktop = sources
    overrides = {}
    for kind, system in _SYSTEMS.items():
        always = libraries.packages(rows, needs.libraries, system, optional=False)
        if system == "deb":
            always = [f"libc6 (>= {needs.glibc})" if name == "libc6" else name for name in always]
        if system == "arch":
            always = [f"glibc>={needs.glibc}" if name == "glibc" else name for name in always]
        if system == "rpm":
            always.append(f"libc.so.6(GLIBC_{needs.glibc})(64bit)")
        sometimes = libraries.packages(rows, needs.libraries, system, optional=True)
        overrides[kind] = {"depends": always, "recommends": [*sometimes, *_RECOMMENDED[kind]]}
    library = f"/usr/lib/{PROGRAM}"
    return {
        "name": PROGRAM,
        "arch": architecture(),
        "platform": "linux",
        "version": shop.version.replace(".dev", "~dev"),
        "version_schema": "none",
        "release": "1",
        "section": "devel",
        "priority": "optional",
        "maintainer": "Context Inspector contributors <contributors@contextinspector.invalid>",
        "description": f"{SUMMARY}\nOpens the files of LLM agents with memory and accounts for every token.",
        "license": "MIT AND OFL-1.1",
        "contents": [
            {"src": str(bundle), "dst": library, "type": "tree"},
            {"src": str(desktop / "share"), "dst": "/usr/share", "type": "tree"},
            *(
                {
                    "src": f"{desktop}/zsh/_{PROGRAM}",
                    "dst": f"/usr/share/{place}/_{PROGRAM}",
                    "packager": kind,
                }
                for kind, place in ZSH.items()
            ),
            {"src": f"../lib/{PROGRAM}/{PROGRAM}", "dst": f"/usr/bin/{PROGRAM}", "type": "symlink"},
        ],
        "overrides": overrides,
        "deb": {"compression": "zstd"},
        "rpm": {"compression": "zstd", "group": "Development/Debuggers", "summary": SUMMARY},
    }


def pack(shop: Workshop, config: Path, kind: str) -> Path:
    """One package by nfpm."""
    target = shop.out / f"{PROGRAM}-{shop.version}-linux-{platform.machine()}.{_SUFFIXES[kind]}"
    say(f"Packing {target.name} ...")
    tool = shop.work / "tools" / "bin" / "nfpm"
    shop.run([str(tool), "package", "--config", str(config), "--packager", kind, "--target", str(target)])
    return target
