"""Opening, copying and the sample: what is opened, what is made, and what is said when it is none of ours."""

import asyncio
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from inspector.domain.edits.base import Edit
from inspector.domain.edits.text import SetText
from inspector.domain.errors import DocumentError, FileError
from inspector.domain.exchange import ExportFormat, ExportOptions
from inspector.domain.ref import Ref, RefKind
from inspector.runtime.session import FileSession
from inspector.ui.commands import file as file_commands
from inspector.ui.failures import failure_of
from inspector.ui.file_state import What
from inspector.ui.widgets.file_dialog import FileDialog
from inspector.ui.widgets.import_preview import ImportPreview
from tests.ui import values
from tests.ui.conftest import Scene, Studio, Until
from tests.ui.file_builders import banner_texts
from tests.ui.open_window import calm, open_file, said
from tests.ui.world import QUESTIONS


async def test_that_the_sample_stays_as_it_was_left_and_another_is_made_beside_it(
    qloop: asyncio.AbstractEventLoop,
    studio: Studio,
    until: Until,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(file_commands, "data_folder", lambda: tmp_path / "data")
    made: list[Path] = []

    async def create_sample(path: Path) -> FileSession:
        made.append(path)
        # Instead of a file that takes long to make.
        path.parent.mkdir(exist_ok=True)
        shutil.copy2(studio.opener.path, path)
        return await studio.opener.open(path)

    monkeypatch.setattr(studio.opener, "create_sample", create_sample)
    workspace, files = studio.contents.workspace, studio.contents.files
    first, second = tmp_path / "data" / "sample.constellation", tmp_path / "data" / "sample-2.constellation"
    files.see_sample()
    await until(lambda: workspace.file.path == first)
    files.new_sample()
    await until(lambda: workspace.file.path == second)
    await open_file(studio, until)
    files.see_sample()
    await until(lambda: workspace.file.path == second)
    assert made == [first, second]
    await calm(studio, until)


@pytest.mark.parametrize("content", [b"", b"junk \xff\x00" * 100])
async def test_that_a_file_of_our_name_that_is_none_is_told_as_that_and_not_imported(
    scene: Scene, content: bytes
) -> None:
    path = scene.folder / "junk.constellation"
    path.write_bytes(content)
    scene.real.contents.files.take(path)
    await scene.until(lambda: banner_texts(scene.real))
    [notice] = scene.real.window.banners.notices
    assert "Importing" not in notice.text
    assert "isn't a constellation file" in notice.text
    assert "Open another file" in notice.remark
    assert not scene.real.window.findChildren(ImportPreview)
    assert path.read_bytes() == content


async def test_that_what_was_refused_on_the_way_to_a_file_goes_when_one_opens(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    studio.contents.workspace.open(studio.opener.folder / "missing.constellation")
    await until(lambda: studio.window.banners.notices)
    await open_file(studio, until)
    assert studio.window.banners.notices == ()


async def test_that_drafts_of_last_time_are_told_by_their_labels(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await studio.opener.change_file(drafts=(Edit(QUESTIONS, SetText("x")),))
    await open_file(studio, until)
    [notice] = studio.window.banners.notices
    assert (notice.text, notice.remark) == ("Recovered 1 unsaved draft.", "open_questions")
    studio.window.banners.close_notice(notice.key)
    studio.contents.workspace.changed.emit(What.BLOCKS)
    assert studio.window.banners.notices == ()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DocumentError("document.damaged"), "context-inspector check FILE"),
        (FileError("file.damaged", path="a", why="b"), "context-inspector salvage FILE --out NEW"),
        (FileError("file.not_found", path="a"), "Find out where it went"),
        (FileError("file.not_a_constellation", path="a", why="b"), "Import an agent file …"),
        (FileError("file.moved", path="a", what="deleted"), "Save a copy"),
        (FileError("file.locked", path="a"), "Open it again"),
    ],
)
def test_that_the_advice_names_what_there_is(error: DocumentError | FileError, words: str) -> None:
    assert words in failure_of(error, doing="Opening a").advice


async def test_that_every_list_of_the_navigator_opens_its_panel(
    qloop: asyncio.AbstractEventLoop, studio: Studio, until: Until
) -> None:
    await open_file(studio, until)
    selection, actions = studio.contents.services.selection, studio.contents.services.actions
    selection.open(QUESTIONS)
    selection.open(Ref(RefKind.SECTION, values.ADA, "queue"))
    assert studio.window.centre.current_key == ("queue", None)
    selection.open(Ref(RefKind.SECTION, values.ADA, "consent"))
    assert studio.window.centre.current_key == ("consent", None)
    selection.select(Ref(RefKind.MESSAGE, "msg_3"))
    assert actions.row("selection.open").why_not() == ""
    assert actions.run("selection.open")
    assert studio.window.centre.current_key == ("messages", None)
    assert actions.row("selection.open").why_not() == "it is shown in the tab in front"
    assert not actions.item("selection.open").isEnabled()


async def test_that_a_debug_bundle_is_saved_from_the_menu_and_never_over_a_file(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    assert not studio.contents.services.actions.run("file.debug_bundle")
    await open_file(studio, until)
    out = tmp_path / "bundle.zip"
    studio.contents.files.bundle_to(out)
    await said(studio, until, "Saved bundle.zip.")
    with zipfile.ZipFile(out) as bundle:
        assert bundle.namelist() == ["program.json", "structure.json", "requests.json"]
        assert "Ada" not in bundle.read("structure.json").decode()
    studio.contents.files.bundle_to(out)
    await calm(studio, until)
    assert [each.text for each in studio.window.banners.notices] == [f"{out} already exists."]


async def test_that_an_agent_is_exported_from_the_menu_with_what_the_format_changes(
    studio: Studio, until: Until, tmp_path: Path
) -> None:
    actions, files = studio.contents.services.actions, studio.contents.files
    assert not actions.run("file.export_agent")
    await open_file(studio, until)
    out = tmp_path / "Ada.af"
    assert actions.run("file.export_agent")
    dialog = studio.window.findChild(FileDialog)
    assert dialog is not None
    assert [Path(each).name for each in dialog.selectedFiles()] == ["Ada.af"]
    dialog.fileSelected.emit(str(out))
    dialog.close()
    await until(lambda: studio.window.banners.notices)
    [notice] = studio.window.banners.notices
    assert notice.text.startswith(f"Exported 1 agent to {out} (")
    agents = json.loads(out.read_text())["agents"]
    assert [each["name"] for each in agents] == ["Ada"]
    content = out.read_bytes()
    files.export_to(out, ExportOptions(ExportFormat.LETTA, agent_id=values.ADA))
    await until(lambda: any("already exists" in each.text for each in studio.window.banners.notices))
    assert out.read_bytes() == content


async def test_that_all_is_exported_as_json(studio: Studio, until: Until, tmp_path: Path) -> None:
    await open_file(studio, until)
    out = tmp_path / "all.json"
    assert studio.contents.services.actions.run("file.export")
    dialog = studio.window.findChild(FileDialog)
    assert dialog is not None
    dialog.fileSelected.emit(str(out))
    dialog.close()
    await until(lambda: studio.window.banners.notices)
    assert {each["name"] for each in json.loads(out.read_text())["agents"]} == set(values.NAMES.values())
