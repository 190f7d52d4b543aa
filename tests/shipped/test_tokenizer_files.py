import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import tiktoken
import tiktoken.load
import tiktoken_ext.openai_public  # type: ignore[import-untyped]
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING

from inspector.domain.errors import MalformedError
from inspector.shipped.tokenizer_files import (
    EncodingFile,
    encoding_files,
    encoding_name_for_model,
    shipped_encoding_for_model,
)

ENDINGS = ("", "-", "x", "-mini", "-2027-01-01", ".9")


@pytest.fixture(params=["o200k_base", "cl100k_base"])
def shipped(request: pytest.FixtureRequest) -> EncodingFile:
    return encoding_files()[request.param]


def test_that_a_vocabulary_is_the_one_that_tiktoken_expects(
    shipped: EncodingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: dict[str, str | None] = {}

    def remember(_url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        wanted["sha256"] = expected_hash
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", remember)
    recipe = tiktoken_ext.openai_public.ENCODING_CONSTRUCTORS[shipped.name]()
    assert shipped.sha256 == wanted["sha256"]
    assert shipped.pattern == recipe["pat_str"]
    assert dict(shipped.special_tokens) == recipe["special_tokens"]
    assert len(shipped.verified_bytes()) == shipped.path.stat().st_size


def test_that_an_altered_vocabulary_is_refused(shipped: EncodingFile, tmp_path: Path) -> None:
    altered = tmp_path / shipped.path.name
    shutil.copyfile(shipped.path, altered)
    with altered.open("ab") as file:
        file.write(b"\n")
    with pytest.raises(MalformedError):
        replace(shipped, path=altered).verified_bytes()


def test_that_ids_map_as_tiktoken_maps_them() -> None:
    for stem, ending in product((*MODEL_TO_ENCODING, *MODEL_PREFIX_TO_ENCODING), ENDINGS):
        model_id = stem + ending
        try:
            expected: str | None = tiktoken.encoding_name_for_model(model_id)
        except KeyError:
            expected = None
        assert encoding_name_for_model(model_id) == expected, model_id


@pytest.mark.parametrize(
    "model_id", ["gpt-6", "gpt-6.1-sol", "gpt-7", "claude-opus-5-5", "", "davinci", "o3x"]
)
def test_that_an_id_without_a_shipped_vocabulary_is_not_exact(model_id: str) -> None:
    assert shipped_encoding_for_model(model_id) is None


def test_that_an_encoding_which_differs_in_special_tokens_alone_uses_the_shipped_vocabulary() -> None:
    assert encoding_name_for_model("gpt-oss-20b") == "o200k_harmony"
    assert shipped_encoding_for_model("gpt-oss-20b") == "o200k_base"
