"""The shipped vocabularies, and which models' tokens they count exactly."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from inspector.domain.dataclass import dataclass
from inspector.domain.errors import MalformedError
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path


@dataclass(frozen=True, slots=True)
class EncodingFile:
    """One shipped vocabulary and what else its tokenizer is made of.

    Attributes:
        name: ``o200k_base`` or ``cl100k_base``.
        path: The file of byte-pair ranks, in tiktoken's form.
        sha256: What the file's hash must be, in hexadecimal.
        index: Where in that file each token stands, for looking up one without reading all.
        index_sha256: The hash of the index.
        pattern: The expression that splits text before merging.
        special_tokens: Ids of the special tokens; counting of text never uses them.
    """

    name: str
    path: Path
    sha256: str
    index: Path
    index_sha256: str
    pattern: str
    special_tokens: Mapping[str, int]

    def verified_bytes(self) -> bytes:
        """The vocabulary, read and checked.

        Raises:
            MalformedError: the file is not the one that the hash is of.
        """
        return _verified(self.path, self.sha256)

    def verified_index(self) -> bytes | None:
        """The index, read and checked; None on a machine with the other order of bytes.

        Raises:
            MalformedError: the file is not the one that the hash is of.
        """
        return _verified(self.index, self.index_sha256) if sys.byteorder == "little" else None


def _verified(path: Path, sha256: str) -> bytes:
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise malformed(path, "its SHA-256 is not the expected one")
    return content


class _EncodingRecord(ShippedRecord, frozen=True):
    file: str
    sha256: str
    index: str
    index_sha256: str
    pattern: str
    special_tokens: dict[str, int]


class _EncodingsFile(ShippedRecord, frozen=True):
    """`models` and `model_prefixes` are tiktoken's tables of the version named by `tiktoken`, unabridged.

    `vocabulary_of` names the shipped vocabulary of an encoding that differs from it in special tokens alone.
    """

    tiktoken: str
    encodings: dict[str, _EncodingRecord]
    vocabulary_of: dict[str, str]
    models: dict[str, str]
    model_prefixes: dict[str, str]


@cache
def encoding_files() -> Mapping[str, EncodingFile]:
    """The shipped vocabularies by name."""
    table = _read()
    return MappingProxyType(
        {
            name: EncodingFile(
                name=name,
                path=resource_path("tokenizers", record.file),
                sha256=record.sha256,
                index=resource_path("tokenizers", record.index),
                index_sha256=record.index_sha256,
                pattern=record.pattern,
                special_tokens=MappingProxyType(record.special_tokens),
            )
            for name, record in table.encodings.items()
        }
    )


def encoding_name_for_model(model_id: str) -> str | None:
    """The encoding that tiktoken maps an id to, by id or by prefix, whether it ships or not; None for none."""
    table = _read()
    if model_id in table.models:
        return table.models[model_id]
    for prefix, name in table.model_prefixes.items():
        if model_id.startswith(prefix):
            return name
    return None


def shipped_encoding_for_model(model_id: str) -> str | None:
    """The shipped vocabulary that counts a model's text exactly, or None.

    A model is counted exactly only if tiktoken maps its id: ``gpt-5.6`` is, ``gpt-6`` is not.
    """
    table = _read()
    name = encoding_name_for_model(model_id)
    if name is None:
        return None
    name = table.vocabulary_of.get(name, name)
    return name if name in table.encodings else None


@cache
def _read() -> _EncodingsFile:
    path = resource_path("tokenizers", "encodings.json")
    table = read_json(path, _EncodingsFile)
    for name, vocabulary in table.vocabulary_of.items():
        if vocabulary not in table.encodings:
            raise _unknown(path, f"vocabulary_of.{name}", vocabulary)
    return table


def _unknown(path: Path, place: str, name: str) -> MalformedError:
    return malformed(path, f"no such encoding: {name!r} - at `$.{place}`")
