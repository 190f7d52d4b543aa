from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.context.counting.counter import EstimateCounter
from inspector.domain.errors import MalformedError
from inspector.domain.estimation import FEATURE_NAMES, add_features, estimate, features
from inspector.shipped.estimators import GENERIC, EstimatorTable, load_estimators, read_estimators
from inspector.shipped.locate import resource_path
from inspector.shipped.models import load_model_table
from tests.context.builders import POOL
from tests.context.tiktoken_counts import recount

TABLE = load_estimators()

ENGLISH = (
    "An agent keeps what it has learned about its partner in named blocks. Each block has a limit, and the inspector "
    "shows what every one of them costs before anything is sent. When the room runs out, older notes are left out, "
    "and the reason is written beside each of them, together with the smallest change that would bring it back.\n"
) * 3
PYTHON = (
    "def read_layout(path: Path) -> Layout:\n    content = path.read_bytes()\n    if not content:\n"
    "        raise ValueError(f'{path.name} is empty')\n    return decode(content, type=Layout)\n\n\n"
) * 3
GERMAN = (
    "Der Speicher eines Agenten besteht aus benannten Blöcken. Jeder Block hat eine Obergrenze, und das Werkzeug "
    "zeigt, was er kostet, bevor irgendetwas gesendet wird. Wenn der Platz knapp wird, bleiben alte Notizen draußen.\n"
) * 3
JAPANESE = (
    "エージェントの記憶は名前のついたブロックに分かれています。送信する前に、それぞれの費用を確認できます。\n"
    * 6
)


def counted(family: str, text: str) -> int:
    """What the family's estimator counts, with the shared vocabulary where it weighs that."""
    shared = POOL.counter(load_model_table().resolve("gpt-4o"))
    return EstimateCounter(TABLE.for_family(family), shared).count(text).tokens


def test_that_an_estimate_weighs_the_shared_vocabulary_unless_it_is_the_familys_own() -> None:
    assert TABLE.for_family("claude_3").shared > 0.3
    assert (TABLE.for_family("o200k").shared, TABLE.for_family("cl100k").shared) == (0, 0)


@pytest.mark.parametrize(
    "text", [ENGLISH, PYTHON, GERMAN, JAPANESE], ids=["english", "python", "german", "japanese"]
)
@pytest.mark.parametrize(("family", "name"), [("o200k", "o200k_base"), ("cl100k", "cl100k_base")])
def test_that_an_estimate_is_within_its_band_of_the_real_count(family: str, name: str, text: str) -> None:
    true = recount(name, text)
    estimator = TABLE.for_family(family)
    assert abs(estimate(text, estimator.weights) - true) <= estimator.band * true


def test_that_newer_claude_models_are_estimated_well_above_older_ones() -> None:
    older, newer = (counted(family, ENGLISH) for family in ("claude_3", "claude_4_8"))
    assert 1.2 < newer / older < 1.5


EVERY_KIND = (
    *("a", "1", " ", "\n", "\t", "    ", "é"),
    *("Ж", "漢", "あ", "ア", "한", "अ", "ع", "ש", "ก"),
    *("😀", "\x00", "—", "→", "𐍈", "="),
)


@pytest.mark.parametrize("family", sorted(TABLE.by_family))
def test_that_no_character_is_free_of_charge(family: str) -> None:
    assert [text for text in EVERY_KIND if counted(family, text * 40) < 1] == []


def test_that_nothing_costs_nothing() -> None:
    assert estimate("", TABLE.for_family("o200k").weights) == 0


def test_that_a_stand_in_says_so_and_has_a_wider_band() -> None:
    stand_ins = [each for each in TABLE.by_family.values() if each.is_stand_in]
    assert {each.family for each in stand_ins} == {"gpt_6", "deepseek_v4", "glm"}
    for each in stand_ins:
        assert each.band > TABLE.for_family(each.fitted_on).band
    unknown = TABLE.for_family("nobody")
    assert (unknown.family, unknown.fitted_on, unknown.is_stand_in) == ("nobody", GENERIC, True)


FITTED = (
    *("o200k", "cl100k", "claude_3", "claude_4_7", "claude_4_8", "llama3", "qwen3", "mistral_v1"),
    *("mistral_tekken", "deepseek_v3", "gemma2", "gemma3", "gemma4", "gemini"),
)


@pytest.mark.parametrize("family", FITTED)
def test_that_the_error_is_a_tenth_and_the_band_held_for_texts_that_gave_neither_weights_nor_band(
    family: str,
) -> None:
    estimator = TABLE.for_family(family)
    assert not estimator.is_stand_in
    assert estimator.mape <= 0.10
    assert estimator.covered >= 0.95
    assert estimator.mape < estimator.band < 0.35


PIECES = st.text(alphabet="aZéЖ你あカ한अ 5-=\n\r\t /#…😀\ufe0f\u0301\x00", max_size=30)


@given(st.lists(PIECES.map(lambda text: f"x{text}\n"), max_size=6))
def test_that_features_add_up_over_safe_borders(pieces: list[str]) -> None:
    assert add_features(features(piece) for piece in pieces) == features("".join(pieces))


@given(st.text())
def test_that_every_character_is_in_one_feature(text: str) -> None:
    counted = dict(zip(FEATURE_NAMES, features(text), strict=True))
    assert sum(value for name, value in counted.items() if name.endswith("_length")) == len(text)


def test_that_every_tokenizer_family_of_the_model_table_is_known() -> None:
    assert {facts.tokenizer for facts in load_model_table().models.values()} <= TABLE.by_family.keys()


def _altered(folder: Path, old: str, new: str) -> EstimatorTable:
    path = folder / "estimators.json"
    content = resource_path("models", "estimators.json").read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new, 1), encoding="utf-8")
    return read_estimators(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"word_length"', '"wordiness"'), ('"like": "o200k"', '"like": "x"'), ('"generic"', '"gen"')],
)
def test_that_a_faulty_file_is_refused(tmp_path: Path, old: str, new: str) -> None:
    with pytest.raises(MalformedError):
        _altered(tmp_path, old, new)
