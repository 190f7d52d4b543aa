"""The perspectives of the window: which panels stand around the centre for one kind of work, and how large."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt

from inspector.domain.dataclass import dataclass
from inspector.ui.wording import tr

_AREAS = Qt.DockWidgetArea


@dataclass(frozen=True, slots=True)
class PanelPlace:
    """Where a panel stands: its area, its size there in pixels at text scale 1, and its share beside others."""

    area: Qt.DockWidgetArea
    size: int
    share: int = 1


@dataclass(frozen=True, slots=True)
class Perspective:
    """A way of standing for one kind of work.

    `places` has the panels that are shown, by id. Without any, each panel stands and shows as its own row says.
    """

    id: str
    title: Callable[[], str]
    places: Mapping[str, PanelPlace]


PERSPECTIVES: tuple[Perspective, ...] = (
    Perspective("inspect", lambda: tr("Inspect"), {}),
    Perspective(
        "edit",
        lambda: tr("Edit"),
        {
            "navigator": PanelPlace(_AREAS.LeftDockWidgetArea, 248),
            "detail": PanelPlace(_AREAS.RightDockWidgetArea, 300),
        },
    ),
    Perspective(
        "debug",
        lambda: tr("Debug a turn"),
        {
            "budget": PanelPlace(_AREAS.RightDockWidgetArea, 404),
            "detail": PanelPlace(_AREAS.BottomDockWidgetArea, 240),
            "run": PanelPlace(_AREAS.BottomDockWidgetArea, 290, 3),
        },
    ),
)
USUAL_PERSPECTIVE = PERSPECTIVES[0].id


def perspective_of(id_: str) -> Perspective:
    """The perspective of that id, the usual one for another id."""
    return next((each for each in PERSPECTIVES if each.id == id_), PERSPECTIVES[0])
