import re
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


@pytest.mark.parametrize(
    "template", ["{", "{}", "{0}", "{a.b}", "{a[0]}", "{a!r}", "{a:>9}", "{a:one}", "{a:one|}"]
)
def test_that_a_template_with_anything_but_names_is_refused(tmp_path: Path, template: str) -> None:
    path = tmp_path / "en.json"
    path.write_text(f'{{"some.code": "{template}"}}', encoding="utf-8")
    with pytest.raises(MalformedError) as caught:
        read_words(path)
    assert str(caught.value.parameters["where"]).endswith("en.json $.some.code")


LONGEST = 200
_AVOIDED = re.compile(
    r"""\b(mend\w*|told|tells?|bring\w*[ ]\w*[ ]?in|the[ ]nearest|of[ ]last[ ]time|afresh|anew|otherwise|things?
    |there[ ]is[ ]nothing[ ]to|is[ ]over[ ]already|(is|are)[ ]no[ ]\w+|cannot)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_VERBS = {
    "Archive",
    "Clear",
    "Include",
    "Keep",
    "Look",
    "Move",
    "Pin",
    "Raise",
    "Remove",
    "Restore",
    "Show",
    "Stop",
    "Try",
}


def _of(prefix: str) -> dict[str, str]:
    return {code.removeprefix(prefix): each for code, each in load_words().items() if code.startswith(prefix)}


def _is_plain(template: str) -> bool:
    is_short = len(template) <= LONGEST and template == template.strip()
    return is_short and not re.search(";|  ", template) and not _AVOIDED.search(template)


def test_that_every_sentence_is_short_and_plain() -> None:
    assert [code for code, template in load_words().items() if not _is_plain(template)] == []


def test_that_a_button_starts_with_a_verb() -> None:
    assert {each.split()[0] for each in _of("fix_button.").values()} == _VERBS


def test_that_each_button_has_a_sentence_for_before_and_one_for_after() -> None:
    # What is put back into a what-if stores nothing, so there is nothing to say of it afterwards.
    buttons = _of("fix_button.").keys() - {"undrop"}
    assert buttons == _of("fix_done.").keys() <= _of("fix.").keys()


def test_that_long_work_is_named_by_what_is_being_done() -> None:
    assert all(re.match(r"[A-Z]\w+ing ", each) for each in _of("job.").values())


def test_that_the_catalogue_is_in_order() -> None:
    assert list(load_words()) == sorted(load_words())
