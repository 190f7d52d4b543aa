from pathlib import Path

import pytest

from inspector.domain.errors import MalformedError, NotFoundError
from inspector.shipped.words import load_words, parameter_names, read_words


def test_that_the_english_catalogue_can_be_read() -> None:
    assert all(isinstance(template, str) for template in load_words().values())


def test_that_a_language_that_does_not_ship_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        load_words("xx")


def test_that_a_template_names_its_parameters() -> None:
    assert parameter_names("{size} of {limit}, {{not}} this") == {"size", "limit"}


@pytest.mark.parametrize("template", ["{", "{}", "{0}", "{a.b}", "{a[0]}", "{a!r}", "{a:>9}"])
def test_that_a_template_with_anything_but_names_is_refused(tmp_path: Path, template: str) -> None:
    path = tmp_path / "en.json"
    path.write_text(f'{{"some.code": "{template}"}}', encoding="utf-8")
    with pytest.raises(MalformedError) as caught:
        read_words(path)
    assert str(caught.value.parameters["where"]).endswith("en.json $.some.code")
