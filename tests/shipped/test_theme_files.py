import json
from pathlib import Path

import pytest
from msgspec.structs import asdict
from pygments.token import string_to_tokentype

from inspector.domain.errors import MalformedError, NotFoundError
from inspector.shipped.locate import resource_path
from inspector.shipped.theme_files import THEME_NAMES, load_theme, read_theme

BACKGROUNDS = ("background", "surface", "raised", "selection")
TEXTS = ("text", "muted", "accent", "ok", "warning", "error", "info")
LEAST_CONTRAST = 4.5


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_that_contrast_is_computed_as_published() -> None:
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", THEME_NAMES)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_that_every_text_and_section_is_legible_on_every_background(name: str, background: str) -> None:
    theme = load_theme(name)
    colours = asdict(theme.palette)
    inks = {key: colours[key] for key in TEXTS} | {
        f"sections.{key}": value for key, value in asdict(theme.sections).items()
    }
    faint = {key: round(contrast(ink, colours[background]), 2) for key, ink in inks.items()}
    assert {key: ratio for key, ratio in faint.items() if ratio < LEAST_CONTRAST} == {}


@pytest.mark.parametrize("name", THEME_NAMES)
def test_that_text_on_the_accent_is_legible(name: str) -> None:
    colours = asdict(load_theme(name).palette)
    assert contrast(colours["on_accent"], colours["accent"]) >= LEAST_CONTRAST


@pytest.mark.parametrize("name", THEME_NAMES)
def test_that_selection_can_be_told_from_what_is_around_it(name: str) -> None:
    colours = asdict(load_theme(name).palette)
    assert contrast(colours["selection"], colours["surface"]) > 1.15


def test_that_both_themes_style_the_same_kinds_of_token() -> None:
    dark, light = (load_theme(name) for name in THEME_NAMES)
    assert dark.code.keys() == light.code.keys()


def test_that_every_styled_token_is_one_of_pygments() -> None:
    known = {str(string_to_tokentype(token)) for token in load_theme("dark").code}
    assert known == {f"Token.{token}" for token in load_theme("dark").code}


def test_that_a_theme_of_no_name_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        load_theme("neon")


@pytest.mark.parametrize(
    ("group", "key", "value", "place"),
    [
        ("palette", "text", "red", "$.palette.text"),
        ("palette", "shine", "#FFFFFF", "$.palette"),
        ("sections", "core", "#12345", "$.sections.core"),
        ("code", "Comment", {"colour": "core"}, "$.code.Comment.colour"),
    ],
)
def test_that_a_faulty_theme_is_refused_with_its_place(
    tmp_path: Path, group: str, key: str, value: object, place: str
) -> None:
    stored = json.loads(resource_path("themes", "dark.json").read_text(encoding="utf-8"))
    stored[group][key] = value
    path = tmp_path / "dark.json"
    path.write_text(json.dumps(stored), encoding="utf-8")
    with pytest.raises(MalformedError) as caught:
        read_theme(path)
    assert str(caught.value.parameters["where"]).endswith(f"dark.json {place}")
