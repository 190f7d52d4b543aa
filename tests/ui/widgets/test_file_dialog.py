import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QFileDialog, QTreeView, QWidget

from inspector.ui.widgets.file_dialog import FileDialog
from tests.lock_prober import others_find_it
from tests.ui.conftest import Until

posix = pytest.mark.skipif(os.name != "posix", reason="only POSIX drops locks when a file is closed")


async def listed(dialog: QFileDialog, until: Until, name: str) -> None:
    """Wait until a file stands in the list with its icon and kind, and for what is read besides."""
    view = dialog.findChild(QTreeView, "treeView")
    assert view is not None
    model = view.model()

    def there() -> bool:
        root = view.rootIndex()
        return any(model.index(row, 0, root).data() == name for row in range(model.rowCount(root)))

    dialog.setViewMode(QFileDialog.ViewMode.Detail)
    await until(there)
    await asyncio.sleep(0.3)


@posix
@pytest.mark.parametrize("ours", [True, False])
async def test_that_listing_a_folder_drops_no_lock_on_what_lies_there(
    qloop: asyncio.AbstractEventLoop, qapp: QApplication, tmp_db_dir: Path, until: Until, ours: bool
) -> None:
    path = tmp_db_dir / "a.constellation"
    parent = QWidget()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE t (a)")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t VALUES (1)")
        if ours:
            dialog: QFileDialog = FileDialog(parent, "Open", str(tmp_db_dir), "All files (*)")
        else:
            dialog = QFileDialog(parent, "Open", str(tmp_db_dir), "All files (*)")
            dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.open()
        await listed(dialog, until, path.name)
        # Qt's own reads the file to find its icon; were that no more so, this class would have no reason.
        assert others_find_it(path) == ("locked" if ours else "free")
        dialog.close()


@posix
async def test_that_no_path_is_a_tool_tip(
    qloop: asyncio.AbstractEventLoop, qapp: QApplication, tmp_path: Path, until: Until
) -> None:
    folder = tmp_path / '<img src="file:' / "etc" / 'passwd">'
    folder.mkdir(parents=True)
    (folder / "<b>x.constellation").touch()
    parent = QWidget()
    dialog = FileDialog(parent, "<b>[*]", str(folder), "All files (*)")
    dialog.open()
    await listed(dialog, until, "<b>x.constellation")
    views = [
        *dialog.findChildren(QAbstractItemView),
        *(each.view() for each in dialog.findChildren(QComboBox)),
    ]
    assert len(views) > 2
    for view in views:
        QApplication.sendEvent(view.viewport(), QHelpEvent(QEvent.Type.ToolTip, QPoint(4, 4), QPoint(4, 4)))
        assert not any(each.objectName() == "qtooltip_label" for each in QApplication.topLevelWidgets())
    assert dialog.testOption(QFileDialog.Option.ReadOnly)
    dialog.close()
