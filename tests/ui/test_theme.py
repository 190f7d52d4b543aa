import itertools
from typing import Any

import pytest
from PySide6.QtGui import QColor, QPalette

from inspector.domain.errors import MalformedError
from inspector.runtime.resources import THEME_NAMES, load_theme
from inspector.ui.style import style_sheet
from inspector.ui.theme import Theme, contrast

READABLE = 4.5
NOTICEABLE = 3.0


def copy_of(name: str) -> dict[str, Any]:
    mapping = load_theme(name)
    return {key: dict(value) if key != "name" else value for key, value in mapping.items()}


@pytest.fixture(params=THEME_NAMES)
def theme(request: pytest.FixtureRequest) -> Theme:
    return Theme.from_mapping(load_theme(request.param))


def test_that_every_text_colour_is_readable_on_every_background(theme: Theme) -> None:
    inks = {"text": theme.text, "muted": theme.muted, "accent": theme.accent, "ok": theme.ok}
    inks |= {"warning": theme.warning, "error": theme.error, "info": theme.info}
    inks |= {f"section {name}": colour for name, colour in theme.sections.items()}
    grounds = {"background": theme.background, "surface": theme.surface, "raised": theme.raised}
    poor = {
        f"{ink} on {ground}": round(contrast(inks[ink], grounds[ground]), 2)
        for ink, ground in itertools.product(inks, grounds)
        if contrast(inks[ink], grounds[ground]) < READABLE
    }
    assert not poor


def test_that_selected_and_primary_text_is_readable(theme: Theme) -> None:
    assert contrast(theme.text, theme.selection) >= READABLE
    assert contrast(theme.on_accent, theme.accent) >= READABLE


def test_that_selected_and_found_text_is_readable_and_stands_out(theme: Theme) -> None:
    for ground in (theme.chosen, theme.found):
        assert contrast(theme.text, ground) >= READABLE
        assert contrast(ground, theme.background) >= 1.5
        assert contrast(ground, theme.surface) >= 1.5


def test_that_edges_rings_and_marks_of_a_selection_stand_out_from_every_ground(theme: Theme) -> None:
    grounds = {"background": theme.background, "surface": theme.surface, "raised": theme.raised}
    grounds |= {"selection": theme.selection, "hover": theme.hover}
    marks = {"focus ring": theme.accent, "tick box": theme.muted, "edge": theme.control}
    poor = {
        f"{mark} on {ground}": round(contrast(marks[mark], grounds[ground]), 2)
        for mark, ground in itertools.product(marks, grounds)
        if contrast(marks[mark], grounds[ground]) < NOTICEABLE and (mark, ground) != ("edge", "selection")
    }
    assert not poor


def test_that_text_is_readable_under_the_pointer_and_in_a_selected_row(theme: Theme) -> None:
    inks = {"text": theme.text, "muted": theme.muted, "accent": theme.accent}
    inks |= {name: theme.state(name) for name in ("ok", "warning", "error", "info")}
    grounds = {"selection": theme.selection, "hover": theme.hover}
    poor = {
        f"{ink} on {ground}": round(contrast(inks[ink], grounds[ground]), 2)
        for ink, ground in itertools.product(inks, grounds)
        if contrast(inks[ink], grounds[ground]) < READABLE
    }
    assert not poor


def test_that_text_is_readable_on_every_tinted_and_pressed_ground(theme: Theme) -> None:
    states = ("ok", "warning", "error", "info")
    inks = {"text": theme.text, "muted": theme.muted, "accent": theme.accent}
    inks |= {name: theme.state(name) for name in states}
    code = {token: style.colour for token, style in theme.code.items()}
    piece = theme.blend(theme.selection, theme.background, 0.6)
    pairs = [
        ("pressed", theme.pressed, inks),
        ("pointed line", theme.selection, code),
        ("piece", piece, code),
    ]
    # A banner has text, quiet text, links and its own colour; of what differs, words are text.
    pairs += [(f"banner {tone}", theme.tint(tone), inks) for tone in states]
    plain = {"text": theme.text}
    for tone in ("ok", "error"):
        pairs += [
            (f"line {tone}", theme.line_ground(tone), plain),
            (f"words {tone}", theme.word_ground(tone), plain),
        ]
    pairs += [(f"marking {tone}", theme.marking(tone), plain) for tone in (*states, "muted", "accent")]
    poor = {
        f"{ink} on {ground}": round(contrast(colour, under), 2)
        for ground, under, over in pairs
        for ink, colour in over.items()
        if contrast(colour, under) < READABLE
    }
    assert not poor
    assert contrast(theme.on_accent, theme.accent_hover) >= READABLE


def test_that_controls_stand_out_from_the_grounds_that_they_have_and_lie_on(theme: Theme) -> None:
    tints = {f"banner {tone}": theme.tint(tone) for tone in ("ok", "warning", "error", "info")}
    grounds = {**tints, "hover": theme.hover, "pressed": theme.pressed, "selection": theme.selection}
    marks = {"edge": theme.control, "focus ring": theme.accent, "handle of a bar": theme.muted}
    poor = {
        f"{mark} on {ground}": round(contrast(marks[mark], grounds[ground]), 2)
        for mark, ground in itertools.product(marks, grounds)
        if contrast(marks[mark], grounds[ground]) < NOTICEABLE
    }
    assert not poor


def test_that_the_handle_of_a_scroll_bar_is_seen_on_every_ground(theme: Theme) -> None:
    for ground in (theme.background, theme.surface, theme.raised):
        assert contrast(theme.scroll_handle, ground) >= NOTICEABLE


def test_that_contrast_is_that_of_the_standard() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor(119, 119, 119), QColor("white")) == pytest.approx(4.48, abs=0.01)


def test_that_dark_and_light_are_what_they_are_called() -> None:
    assert Theme.from_mapping(load_theme("dark")).is_dark
    assert not Theme.from_mapping(load_theme("light")).is_dark


def test_that_the_qt_palette_takes_its_colours_from_the_file(theme: Theme) -> None:
    palette = theme.palette()
    assert palette.color(QPalette.ColorRole.Base) == theme.surface
    assert palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text) == theme.muted


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_that_no_place_of_the_style_sheet_stays_unfilled(theme: Theme, scale: float) -> None:
    assert "@" not in style_sheet(
        theme,
        9.0,
        scale,
        {"tick": "t.png", "tick_off": "", "arrow": "a b.png", "folded": "f.png", "back": "b.png"},
    )


def test_that_a_token_takes_its_nearest_ancestors_style(theme: Theme) -> None:
    assert theme.code_style("Literal.String.Double") == theme.code["Literal.String"]
    assert theme.code_style("Escape.Unheard.Of") == theme.code["Text"]


def test_that_an_unknown_section_has_a_colour(theme: Theme) -> None:
    assert theme.section("a section of my own") == theme.sections["custom"]


@pytest.mark.parametrize("colour", ["red", "#fff", "#GG0000", None, 7])
def test_that_a_colour_that_is_none_is_named_with_its_place(colour: object) -> None:
    mapping = copy_of("dark")
    mapping["palette"]["border"] = colour
    with pytest.raises(MalformedError) as caught:
        Theme.from_mapping(mapping)
    assert caught.value.parameters["where"] == "dark.palette.border"


def test_that_a_missing_and_an_unknown_colour_are_refused() -> None:
    missing, unknown = copy_of("dark"), copy_of("dark")
    del missing["sections"]["core"]
    unknown["palette"]["glow"] = "#FFFFFF"
    for mapping in (missing, unknown):
        with pytest.raises(MalformedError):
            Theme.from_mapping(mapping)
