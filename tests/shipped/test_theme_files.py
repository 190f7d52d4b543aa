from pathlib import Path

import pytest
from pygments.token import string_to_tokentype

from inspector.domain.errors import MalformedError, NotFoundError
from inspector.shipped import theme_files
from inspector.shipped.theme_files import THEME_NAMES, load_theme


@pytest.mark.parametrize("name", THEME_NAMES)
def test_that_a_theme_has_the_name_of_its_file(name: str) -> None:
    assert load_theme(name)["name"] == name


def test_that_both_themes_style_the_same_kinds_of_token() -> None:
    dark, light = (load_theme(name)["code"] for name in THEME_NAMES)
    assert dark.keys() == light.keys()


def test_that_every_styled_token_is_one_of_pygments() -> None:
    styled = load_theme("dark")["code"]
    assert {str(string_to_tokentype(token)) for token in styled} == {f"Token.{token}" for token in styled}


def test_that_a_theme_of_no_name_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        load_theme("neon")


def test_that_a_file_that_is_no_json_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "dark.json"
    path.write_text("{", encoding="utf-8")
    monkeypatch.setattr(theme_files, "resource_path", lambda *_: path)
    with pytest.raises(MalformedError) as caught:
        load_theme("dark")
    assert "dark.json" in str(caught.value.parameters["where"])
