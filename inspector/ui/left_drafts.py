"""Tells of drafts that no longer fit, one banner at a time: its text can be copied, then it can be discarded."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from inspector.domain.changes import Health
from inspector.ui.left_work import OLDER, UNFIT
from inspector.ui.panel import Services
from inspector.ui.widgets.banner import Banners, Notice
from inspector.ui.wording import tr, tr_code, tr_count

_KEY = "left_draft"


class LeftDrafts(QObject):
    """Hears of each draft that was left, and of its end."""

    def __init__(self, services: Services, banners: Banners, parent: QObject) -> None:
        super().__init__(parent)
        self._services = services
        self._banners = banners
        self._left: dict[str, Health] = {}
        services.workspace.file_changed.connect(self._forget)
        services.bridge.changed.connect(self._hear)

    def _hear(self, news: object) -> None:
        if not isinstance(news, Health) or news.code not in (UNFIT, OLDER):
            return
        id_ = str(news.ref)
        if news.resolved:
            self._left.pop(id_, None)
        else:
            self._left[id_] = news
            self._services.workspace.drafts.note_left(id_)
        self._show()

    def _forget(self) -> None:
        self._left.clear()
        self._show()

    def _show(self) -> None:
        if not self._left:
            self._banners.close_notice(_KEY)
            return
        id_, health = next(iter(self._left.items()))
        told = dict(health.parameters)
        more = len(self._left) - 1
        remark = tr("Nothing of it is lost: copy its text, then discard it.")
        if more:
            remark += " " + tr_count(
                "{count} more is among the problems.", "{count} more are among the problems.", more
            )
        choices = (
            (tr("Copy its text"), lambda: QGuiApplication.clipboard().setText(told.get("text", ""))),
            (tr("Discard"), lambda: self._services.workspace.drop_draft(id_)),
        )
        self._banners.show_notice(
            Notice(_KEY, tr_code(health.code, told), remark, "warning", choices=choices)
        )
