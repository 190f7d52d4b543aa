"""A theme of the window: the colours of one palette file."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QColor, QPalette

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError

_SINGLE = (
    "background",
    "surface",
    "raised",
    "border",
    "text",
    "muted",
    "accent",
    "on_accent",
    "selection",
    "ok",
    "warning",
    "error",
    "info",
)
_SECTIONS = (
    "instructions",
    "core",
    "working",
    "log",
    "shared",
    "hints",
    "summary",
    "activity",
    "tools",
    "messages",
    "scratchpad",
    "retrieved",
    "additional",
    "reply",
    "custom",
)
_EDGE_CONTRAST = 3.0
_OTHER_SECTION = "custom"


@dataclass(frozen=True, slots=True)
class CodeStyle:
    """How a token of highlighted text looks."""

    colour: QColor
    bold: bool = False
    italic: bool = False


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme, by their purpose."""

    name: str
    background: QColor
    surface: QColor
    raised: QColor
    border: QColor
    text: QColor
    muted: QColor
    accent: QColor
    on_accent: QColor
    selection: QColor
    ok: QColor
    warning: QColor
    error: QColor
    info: QColor
    sections: Mapping[str, QColor]
    code: Mapping[str, CodeStyle]
    """Styles by Pygments token name; a token takes its nearest ancestor's (``Name.Tag`` → ``Name`` → ``Text``)."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Theme:
        """A theme from a palette file's content: ``name``, ``palette``, ``sections``, ``code``.

        Raises:
            MalformedError: a colour is missing, unknown or not written as ``#RRGGBB``.
        """
        name = str(mapping.get("name"))
        palette = _colours(_part(mapping, "palette", name), _SINGLE, f"{name}.palette")
        sections = _colours(_part(mapping, "sections", name), _SECTIONS, f"{name}.sections")
        styles = _part(mapping, "code", name).items()
        code = {token: _code_style(style, palette, f"{name}.code.{token}") for token, style in styles}
        if "Text" not in code:
            raise MalformedError("malformed.theme", where=f"{name}.code.Text", why="missing")
        return cls(name=name, sections=sections, code=code, **palette)

    @property
    def chosen(self) -> QColor:
        """The ground of selected text, on which all text has the text's colour.

        Stronger than `selection`, the ground of a selected row, on which every colour has to be legible.
        """
        return self.blend(self.accent, self.background, 0.35)

    @property
    def found(self) -> QColor:
        """The ground of text that was looked for, on which all text has the text's colour."""
        return self.blend(self.warning, self.background, 0.35)

    @property
    def hover(self) -> QColor:
        """The ground of what is under the pointer."""
        return self.blend(self.selection, self.raised, 0.35)

    @property
    def scroll_handle(self) -> QColor:
        """The handle of a scroll bar at rest, as noticeable as the edge of a control."""
        return self.control

    @property
    def pressed(self) -> QColor:
        """The ground of a button that is held down."""
        return self.blend(self.selection, self.raised, 0.7)

    @property
    def accent_hover(self) -> QColor:
        """The ground of a primary button under the pointer, on which text has the colour `on_accent`."""
        return self.blend(self.accent, self.text, 0.85)

    def tint(self, tone: str) -> QColor:
        """The ground of a banner of a state, on which text has the text's colour or that of its links."""
        return self.blend(self.state(tone), self.surface, 0.12)

    def line_ground(self, tone: str) -> QColor:
        """The ground of a line that was added (``ok``) or removed (``error``), on which all is text or muted."""
        return self.blend(self.state(tone), self.background, 0.13)

    def word_ground(self, tone: str) -> QColor:
        """The ground of the words of such a line that differ, on which all text has the text's colour."""
        return self.blend(self.state(tone), self.background, 0.38)

    def marking(self, tone: str) -> QColor:
        """The ground of a stretch of the Request that is marked, on which all text has the text's colour."""
        return self.blend(self.state(tone), self.background, 0.28)

    @property
    def control(self) -> QColor:
        """The edge of what can be typed into, pressed or ticked: at least 3 : 1 on every ground."""
        grounds = (self.background, self.surface, self.raised)
        for step in range(3, 10):
            colour = self.blend(self.text, self.surface, step / 10)
            if all(contrast(colour, ground) >= _EDGE_CONTRAST for ground in grounds):
                return colour
        return self.text

    @property
    def is_dark(self) -> bool:
        return self.text.lightnessF() > self.background.lightnessF()

    def section(self, name: str) -> QColor:
        return self.sections.get(name, self.sections[_OTHER_SECTION])

    def state(self, name: str) -> QColor:
        """The colour of ``ok``, ``warning``, ``error``, ``info``, ``muted`` or ``text``."""
        found = {
            "ok": self.ok,
            "warning": self.warning,
            "error": self.error,
            "info": self.info,
            "muted": self.muted,
            "accent": self.accent,
        }
        return found.get(name, self.text)

    def blend(self, over: QColor, under: QColor, share: float) -> QColor:
        parts = zip(_rgb(over), _rgb(under), strict=True)
        return QColor.fromRgbF(*(top * share + bottom * (1 - share) for top, bottom in parts))

    def palette(self) -> QPalette:
        roles = QPalette.ColorRole
        table = {
            roles.Window: self.surface,
            roles.WindowText: self.text,
            roles.Base: self.surface,
            roles.AlternateBase: self.raised,
            roles.ToolTipBase: self.raised,
            roles.ToolTipText: self.text,
            roles.PlaceholderText: self.muted,
            roles.Text: self.text,
            roles.Button: self.raised,
            roles.ButtonText: self.text,
            roles.BrightText: self.error,
            roles.Link: self.accent,
            roles.LinkVisited: self.accent,
            roles.Highlight: self.selection,
            roles.HighlightedText: self.text,
            roles.Light: self.border,
            roles.Midlight: self.border,
            roles.Mid: self.border,
            roles.Dark: self.border,
            roles.Shadow: self.background,
            roles.Accent: self.accent,
        }
        palette = QPalette()
        for role, colour in table.items():
            palette.setColor(role, colour)
        for role in (roles.WindowText, roles.Text, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.muted)
        return palette

    def code_style(self, token: str) -> CodeStyle:
        while token not in self.code and token:
            token = token.rpartition(".")[0]
        return self.code[token or "Text"]


def contrast(first: QColor, second: QColor) -> float:
    """The contrast ratio of two colours as WCAG 2 defines it, from 1 to 21."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _rgb(colour: QColor) -> tuple[float, float, float]:
    return (colour.redF(), colour.greenF(), colour.blueF())


def _luminance(colour: QColor) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _part(mapping: Mapping[str, object], key: str, where: str) -> Mapping[str, object]:
    part = mapping.get(key)
    if not isinstance(part, Mapping):
        raise MalformedError("malformed.theme", where=f"{where}.{key}", why="missing")
    return part


def _code_style(style: object, palette: Mapping[str, QColor], where: str) -> CodeStyle:
    if not isinstance(style, Mapping) or style.get("colour") not in palette:
        raise MalformedError("malformed.theme", where=where, why="no such colour")
    return CodeStyle(palette[str(style["colour"])], style.get("bold") is True, style.get("italic") is True)


def _colours(mapping: Mapping[str, object], names: tuple[str, ...], where: str) -> dict[str, QColor]:
    unknown = sorted(mapping.keys() - set(names))
    if unknown:
        raise MalformedError("malformed.theme", where=f"{where}.{unknown[0]}", why="unknown")
    return {name: _colour(mapping.get(name), f"{where}.{name}") for name in names}


def _colour(text: object, where: str) -> QColor:
    if not isinstance(text, str) or len(text) != 7 or not text.startswith("#"):
        raise MalformedError("malformed.theme", where=where, why=f"#RRGGBB needed, not {text!r}")
    colour = QColor(text)
    if not colour.isValid():
        raise MalformedError("malformed.theme", where=where, why=f"#RRGGBB needed, not {text!r}")
    return colour
