"""What a build puts into packages and refuses to put there, without building one."""

from __future__ import annotations

import configparser
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import click
import pytest

from inspector.cli.commands import Windows, command_line
from inspector.entry import COMMANDS
from inspector.ui.startup import DESKTOP_ID

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SHARED_MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package of build steps, as `build.py` finds it."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    from installers import (  # noqa: PLC0415  only found there
        bundle,
        bundle_contents,
        desktop,
        distributions,
        draw_manual,
        libraries,
        linux_files,
        linux_packages,
        materials,
        sqlite_library,
        workshop,
    )

    parts = ModuleType("steps")
    for part in (bundle, bundle_contents, desktop, distributions, draw_manual, libraries, linux_files):
        setattr(parts, part.__name__.rpartition(".")[2], part)
    for part in (linux_packages, materials, sqlite_library, workshop):
        setattr(parts, part.__name__.rpartition(".")[2], part)
    yield parts
    for name in [name for name in sys.modules if name.partition(".")[0] == "installers"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ((3, 40, 1), False),
        ((3, 44, 5), False),
        ((3, 44, 6), True),
        ((3, 50, 4), False),
        ((3, 50, 7), True),
        ((3, 51, 2), False),
        ((3, 51, 3), True),
        ((3, 52, 0), False),
        ((3, 54, 1), True),
    ],
)
def test_that_a_sqlite_with_the_wal_reset_bug_is_refused(
    steps: ModuleType, version: tuple[int, ...], fixed: bool
) -> None:
    assert steps.sqlite_library.is_fixed(version) is fixed
    if not fixed:
        with pytest.raises(steps.workshop.BuildError, match="WAL-reset"):
            steps.sqlite_library.require_fixed(version)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", True),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", True),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/Qt/plugins/platforms/libqvnc.so", False),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", False),
        ("PySide6/Qt/translations/qt_de.qm", False),
        ("PySide6/Qt/lib/libQt6Widgets.so.6", True),
        ("PySide6/Qt/lib/libQt6Network.so.6", False),
        ("PySide6/QtWidgets.abi3.so", True),
        ("libpython3.11.so.1.0", True),
        ("libsqlite3.so.0", True),
        ("libX11.so.6", False),
        ("libgtk-3.so.0", False),
        ("libreadline.so.8", False),
        ("loro/loro.cpython-311-x86_64-linux-gnu.so", True),
        ("click-8.5.1.dist-info/METADATA", True),
        ("click-8.5.1.dist-info/direct_url.json", False),
        ("resources/words/en.json", True),
    ],
)
def test_that_a_bundle_holds_what_is_needed_and_nothing_else(
    steps: ModuleType, name: str, wanted: bool
) -> None:
    assert steps.bundle_contents.is_wanted(name) is wanted


def test_that_a_library_under_the_gpl_is_refused(steps: ModuleType, tmp_path: Path) -> None:
    steps.bundle.require_free_of_gpl(tmp_path)
    (tmp_path / "libreadline.so.8").touch()
    with pytest.raises(steps.workshop.BuildError, match=r"libreadline\.so\.8"):
        steps.bundle.require_free_of_gpl(tmp_path)


@pytest.mark.parametrize(
    ("stated", "licence"),
    [
        ({"License-Expression": "MIT"}, "MIT"),
        ({"License-Metadata": "LGPL-3.0-only OR GPL-2.0-only"}, "LGPL-3.0-only OR GPL-2.0-only"),
        ({"License-Metadata": "MIT License\n\nCopyright"}, "MIT License"),
        ({"License-Expression": "GPL-3.0-or-later"}, None),
        ({"License-Classifier": "GNU General Public License v3"}, None),
        ({"License-Metadata": "UNKNOWN"}, None),
    ],
)
def test_that_a_package_needs_a_licence_that_the_bundle_may_carry(
    steps: ModuleType, stated: dict[str, str], licence: str | None
) -> None:
    row = {"Name": "some", **stated}
    if licence is None:
        with pytest.raises(steps.workshop.BuildError, match="some"):
            steps.materials.allowed(row)
    else:
        assert steps.materials.allowed(row) == licence


def test_that_the_bill_of_materials_names_what_is_no_python_package(steps: ModuleType) -> None:
    bom = {
        "components": [{"name": "pip", "bom-ref": "pip==1"}, {"name": "click", "bom-ref": "click==8"}],
        "dependencies": [{"ref": "pip==1"}, {"ref": "click==8"}],
    }
    made = steps.materials.completed(bom, steps.bundle.parts())
    assert [each["name"] for each in made["components"]] == ["click", "SQLite"]
    assert made["dependencies"] == [{"ref": "click==8"}]


def test_that_every_resource_has_its_place_in_the_wheel(steps: ModuleType) -> None:
    wanted = steps.distributions.wanted(ROOT)
    assert {
        "inspector/entry.py",
        "inspector/_resources/words/en.json",
        "inspector/_resources/LICENSE",
    } <= wanted
    resources = sum(1 for path in (ROOT / "resources").rglob("*") if path.is_file())
    assert sum(1 for name in wanted if name.startswith("inspector/_resources/")) == resources + 1


def test_that_the_names_in_a_wheel_are_read(steps: ModuleType, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("inspector/entry.py", "")
    assert steps.distributions.in_wheel(tmp_path / "a.whl") == {"inspector/entry.py"}


def test_that_libraries_become_the_packages_of_each_system(steps: ModuleType) -> None:
    rows = steps.libraries.table(PACKAGING / "linux" / "libraries.toml")
    needed = ["libX11.so.6", "libX11-xcb.so.1", "libwayland-client.so.0"]

    def packages(system: str, optional: bool = False) -> list[str]:
        found: list[str] = steps.libraries.packages(rows, needed, system, optional=optional)
        return found

    assert packages("deb") == ["libx11-6", "libx11-xcb1"]
    assert packages("arch") == ["libx11"]
    assert packages("rpm") == ["libX11-xcb.so.1()(64bit)", "libX11.so.6()(64bit)"]
    assert packages("deb", optional=True) == ["libwayland-client0"]
    with pytest.raises(steps.workshop.BuildError, match=r"libnew\.so\.1"):
        steps.libraries.packages(rows, ["libnew.so.1"], "deb", optional=False)


def test_that_only_programs_and_libraries_are_searched_for_needs(steps: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    assert not steps.libraries.is_elf(tmp_path / "text.so")
    assert steps.libraries.is_elf(Path(sys.executable).resolve()) is sys.platform.startswith("linux")


def test_that_the_packages_depend_on_what_was_found(steps: ModuleType, tmp_path: Path) -> None:
    shop = steps.workshop.Workshop(ROOT, tmp_path / "work", tmp_path / "out")
    needs = steps.libraries.Needs(("libX11.so.6", "libc.so.6", "libwayland-client.so.0"), "2.35")
    rows = steps.libraries.table(PACKAGING / "linux" / "libraries.toml")
    made = steps.linux_packages.configuration(shop, (tmp_path / "bundle", tmp_path / "desktop"), needs, rows)
    assert made["overrides"]["deb"]["depends"] == ["libc6 (>= 2.35)", "libx11-6"]
    assert made["overrides"]["archlinux"]["depends"] == ["glibc>=2.35", "libx11"]
    assert "libc.so.6(GLIBC_2.35)(64bit)" in made["overrides"]["rpm"]["depends"]
    assert "libwayland-client0" in made["overrides"]["deb"]["recommends"]
    assert {"/usr/bin/context-inspector", "/usr/lib/context-inspector"} < {
        each["dst"] for each in made["contents"]
    }


def test_that_all_that_is_packed_has_one_time(steps: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    steps.linux_packages.stamp(tmp_path, 1_000_000_000)
    assert {path.lstat().st_mtime for path in (tmp_path, *tmp_path.rglob("*"))} == {1_000_000_000}


def test_that_the_menu_entry_opens_both_kinds_of_files(steps: ModuleType) -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read_string(steps.linux_files.desktop_entry())
    main = entry["Desktop Entry"]
    assert main["Exec"] == "context-inspector %f"
    assert main["Icon"] == steps.desktop.ID == DESKTOP_ID
    types = {kind.mime for kind in steps.desktop.FILE_TYPES}
    assert set(main["MimeType"].rstrip(";").split(";")) == types
    globs = ET.fromstring(steps.linux_files.mime_types()).iter(f"{SHARED_MIME}glob")
    assert {each.get("pattern") for each in globs} == {"*.constellation", "*.af"}
    metadata = ET.fromstring(steps.linux_files.metadata("1.2.3", datetime(2026, 1, 2, tzinfo=UTC)))
    assert {each.text for each in metadata.iter("mediatype")} == types
    assert metadata.findtext("id") == main["Icon"]


def test_that_the_manual_has_every_command_and_no_line_that_troff_would_run(
    steps: ModuleType, tmp_path: Path
) -> None:
    steps.draw_manual.main(tmp_path, "1.2.3", "2026-01-02")
    page = (tmp_path / "context-inspector.1").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f".SS {name.replace('-', chr(92) + '-')} " in page
    macros = (".TH", ".SH", ".SS", ".PP", ".TP", ".B ", ".RI", ".I ", ".br")
    assert [
        line for line in page.splitlines() if line.startswith((".", "'")) and not line.startswith(macros)
    ] == []
    assert "_CONTEXT_INSPECTOR_COMPLETE" in (tmp_path / "context-inspector.bash").read_text(encoding="utf-8")


def test_that_no_option_is_left_out_of_the_manual(steps: ModuleType) -> None:
    group = command_line(Windows(lambda *_: 0, lambda *_: 0))
    context = click.Context(group)
    command = group.get_command(context, "report")
    assert command is not None
    described = "\n".join(steps.draw_manual.described("report", command, context))
    names = [option for each in command.params for option in each.opts if option.startswith("--")]
    assert [name for name in names if name.replace("-", "\\-") not in described] == []


def test_that_text_is_no_troff(steps: ModuleType) -> None:
    assert steps.draw_manual.escaped(".so a\n'b \\n-") == "\\&.so a\n\\&'b \\en\\-"


@pytest.mark.parametrize("script", ["build.py", "check_linux.py"])
def test_that_the_help_comes_without_building(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(PACKAGING / script), "--help"], capture_output=True, text=True, check=True
    )
    assert "--work FOLDER" in done.stdout


def test_that_each_pin_of_the_build_is_exact() -> None:
    lines = (PACKAGING / "build-constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins
    assert all(line.count("==") == 1 and "@" not in line and "://" not in line for line in pins)
