"""Lays out what a Linux desktop wants to know of the program: menu entry, file types, icons, manual, completions."""

from __future__ import annotations

import datetime
import gzip
import shutil
from html import escape
from pathlib import Path

from installers.bundle import PROGRAM
from installers.desktop import FILE_TYPES, ID, NAME, SUMMARY
from installers.workshop import Workshop

_DESCRIPTION = (
    "Context Inspector opens the files of LLM agents with memory, builds the Request that the next model call would "
    "send, traces every character to its source and counts its tokens.",
    "Edit memory with a full history, try other models and limits without sending anything, and compare any two "
    "Requests. It works offline: nothing leaves the machine unless you send it.",
)


def lay_out(shop: Workshop, python: Path) -> Path:
    """Make ``share`` with everything in its place below ``/usr``; gives the folder that it is in.

    Beside it lies ``zsh`` with what each distribution has a place of its own for.

    Args:
        shop: Where.
        python: An interpreter with the program and PySide6.
    """
    root = shop.fresh("desktop")
    share = root / "share"
    write(share / "applications" / f"{ID}.desktop", desktop_entry())
    write(share / "mime" / "packages" / f"{ID}.xml", mime_types())
    write(share / "metainfo" / f"{ID}.metainfo.xml", metadata(shop.version, moment(shop)))
    scripts = shop.packaging / "installers"
    shop.run([str(python), str(scripts / "draw_icons.py"), str(shop.work / "icons")])
    for picture in sorted((shop.work / "icons").glob("*.png")):
        size = f"{picture.stem}x{picture.stem}"
        place(picture, share / "icons" / "hicolor" / size / "apps" / f"{ID}.png")
    place(
        shop.packaging / "linux" / "icon.svg", share / "icons" / "hicolor" / "scalable" / "apps" / f"{ID}.svg"
    )
    manual = shop.fresh("manual")
    day = moment(shop).date().isoformat()
    shop.run([str(python), str(scripts / "draw_manual.py"), str(manual), shop.version, day])
    squeeze(manual / f"{PROGRAM}.1", share / "man" / "man1" / f"{PROGRAM}.1.gz")
    place(manual / f"{PROGRAM}.bash", share / "bash-completion" / "completions" / PROGRAM)
    place(manual / f"{PROGRAM}.zsh", root / "zsh" / f"_{PROGRAM}")
    place(manual / f"{PROGRAM}.fish", share / "fish" / "vendor_completions.d" / f"{PROGRAM}.fish")
    add_documents(shop, share / "doc" / PROGRAM)
    return root


def add_documents(shop: Workshop, folder: Path) -> None:
    """Licences, the bill of materials and the changelog."""
    place(shop.packaging / "linux" / "copyright", folder / "copyright")
    for source in sorted((shop.packaging / "licences").iterdir()):
        place(source, folder / source.name)
    for source in sorted((shop.work / "facts").iterdir()):
        place(source, folder / source.name)
    squeeze(shop.root / "CHANGELOG.md", folder / "NEWS.md.gz")


def moment(shop: Workshop) -> datetime.datetime:
    """The time of the release."""
    return datetime.datetime.fromtimestamp(shop.epoch, tz=datetime.UTC)


def write(path: Path, text: str) -> None:
    """Write a file, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def place(source: Path, target: Path) -> None:
    """Copy a file's bytes, making its folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def squeeze(source: Path, target: Path) -> None:
    """Copy a file compressed, with neither time nor name in it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))


def desktop_entry() -> str:
    """The menu entry. One file can be dropped on it."""
    types = "".join(f"{kind.mime};" for kind in FILE_TYPES)
    return f"""[Desktop Entry]
Type=Application
Version=1.4
Name={NAME}
GenericName=Agent debugger
Comment={SUMMARY}
Exec={PROGRAM} %f
TryExec={PROGRAM}
Icon={ID}
Terminal=false
Categories=Development;Debugger;
Keywords=LLM;agent;context;tokens;memory;prompt;
MimeType={types}
StartupNotify=true
StartupWMClass={PROGRAM}
Actions=safe-mode;

[Desktop Action safe-mode]
Name=Start in safe mode
Exec={PROGRAM} --safe-mode
"""


def mime_types() -> str:
    """The kinds of files, each known by its suffix."""
    rows = "".join(
        f"""  <mime-type type="{kind.mime}">
    <comment>{escape(kind.name)}</comment>
    <sub-class-of type="{kind.parent}"/>
    <glob pattern="*.{kind.suffix}"/>
    <icon name="{ID}"/>
  </mime-type>
"""
        for kind in FILE_TYPES
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">\n{rows}</mime-info>\n'


def metadata(version: str, when: datetime.datetime) -> str:
    """What software centres show, in the form of AppStream."""
    paragraphs = "".join(f"    <p>{escape(text)}</p>\n" for text in _DESCRIPTION)
    types = "".join(f"    <mediatype>{kind.mime}</mediatype>\n" for kind in FILE_TYPES)
    kind = "development" if "dev" in version else "stable"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{ID}</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>MIT AND OFL-1.1</project_license>
  <name>{NAME}</name>
  <summary>{escape(SUMMARY)}</summary>
  <developer id="org.contextinspector"><name>Context Inspector contributors</name></developer>
  <description>
{paragraphs}  </description>
  <launchable type="desktop-id">{ID}.desktop</launchable>
  <icon type="stock">{ID}</icon>
  <content_rating type="oars-1.1"/>
  <categories>
    <category>Development</category>
    <category>Debugger</category>
  </categories>
  <provides>
    <binary>{PROGRAM}</binary>
{types}  </provides>
  <releases>
    <release version="{version}" date="{when.date().isoformat()}" type="{kind}"/>
  </releases>
</component>
"""
