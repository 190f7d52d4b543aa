"""Texts of many kinds for fitting token estimators: read where they lie on a machine, or made from a seed.

Nothing of them is kept in the project. What a machine has not got is left out.
A document's *family* is what it shares with its translations and copies (a page's name, a catalogue's domain):
whoever holds documents out holds out whole families, so that no text is held out beside its twin.
"""

from __future__ import annotations

import base64
import difflib
import gettext
import gzip
import hashlib
import html
import json
import os
import random
import re
import sysconfig
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_DOCUMENTS = 60
MOST_CHARACTERS = 60_000
LEAST_CHARACTERS = 40
_INDIC = ("bn", "gu", "hi", "kn", "ml", "mr", "pa", "ta", "te")
_NOT_LATIN = frozenset(
    (*_INDIC, "ar", "bg", "el", "fa", "he", "ja", "ko", "ru", "th", "uk", "zh_CN", "zh_TW")
)
_UI_LANGUAGES = (
    *("de", "es", "fr", "it", "pt_BR", "nl", "sv", "pl", "cs", "hu", "fi", "ro", "tr", "vi", "id"),
    *sorted(_NOT_LATIN),
)
_MAN_LANGUAGES = ("de", "es", "fr", "it", "pt_BR", "pl", "sv", "ru", "uk", "ja", "ko", "zh_CN")
_SHARE = Path("/usr/share")
_RUST = Path.home() / ".rustup/toolchains"


@dataclass(frozen=True)
class Document:
    """A text of one kind. `family` names what it shares with its translations and copies."""

    kind: str
    family: str
    text: str


def gather(more: Path | None = None) -> Iterator[Document]:
    """All documents of this machine, kind by kind, the same at every run on it.

    Args:
        more: A folder of more texts, a folder a kind, or None.
    """
    seen: set[str] = set()
    for kind, texts in _kinds(more):
        chosen = random.Random(kind)
        found = list(texts)
        chosen.shuffle(found)
        count = 0
        for family, text in found:
            text = text[:MOST_CHARACTERS].replace("\x00", "")
            digest = hashlib.sha256(text.strip()[:2_000].encode(errors="replace")).hexdigest()
            if len(text.strip()) < LEAST_CHARACTERS or digest in seen:
                continue
            seen.add(digest)
            yield Document(kind, family, text.encode(errors="replace").decode())
            count += 1
            if count == MOST_DOCUMENTS:
                break


Texts = Iterable[tuple[str, str]]


def _kinds(more: Path | None) -> Iterator[tuple[str, Texts]]:
    yield from _code()
    yield from _english()
    for language in _MAN_LANGUAGES:
        files = (_SHARE / "man" / language).glob("man*/*.gz")
        yield f"man_{language}", _foreign(((path.name, _unroffed(_read(path))) for path in files), language)
    for language in _UI_LANGUAGES:
        yield f"ui_{language}", _foreign(_catalogues(language), language)
    tutors = (_SHARE / "vim").glob("*/tutor/tutor.*.utf-8")
    yield "tutors", ((path.name, _read(path)) for path in tutors)
    yield from _made()
    if more is not None:
        for folder in sorted(path for path in more.iterdir() if path.is_dir()):
            yield f"more_{folder.name}", ((f"{folder.name}/{p.name}", _read(p)) for p in _some(folder, "*"))


def _code() -> Iterator[tuple[str, Texts]]:
    library = Path(sysconfig.get_paths()["stdlib"])
    node = Path("/usr/lib/node_modules")
    cloud = Path("/usr/lib/google-cloud-sdk/lib")
    kinds: tuple[tuple[str, Path, str], ...] = (
        ("python", library, "*.py"),
        ("python_packages", cloud / "third_party", "**/*.py"),
        ("c", Path("/usr/include"), "**/*.h"),
        ("javascript", node, "**/*.js"),
        ("perl", _SHARE / "perl", "**/*.pm"),
        ("vim", _SHARE / "vim", "**/*.vim"),
        ("sql", _SHARE / "postgresql", "**/*.sql"),
        ("yaml", cloud, "surface/**/*.yaml"),
        ("json", cloud / "third_party/botocore", "**/*.json"),
        ("json_packages", node, "**/package.json"),
        ("shell", _SHARE, "**/*.sh"),
        ("config", Path("/etc"), "**/*.conf"),
        ("xml", _SHARE, "**/*.xml"),
        ("css", _RUST, "**/*.css"),
        ("html", _RUST, "stable*/share/doc/rust/html/book/*.html"),
        ("roff", _SHARE / "man/man8", "*.gz"),
    )
    for kind, root, pattern in kinds:
        yield kind, ((path.name, _read(path)) for path in _some(root, pattern))
    rust = _some(_RUST, "stable*/share/doc/rust/html/src/**/*.rs.html")
    yield "rust", ((path.name, _rust(_read(path))) for path in rust)
    for kind in ("json_compact", "csv"):
        yield kind, list(_rewritten(kind, _some(cloud, "**/*.json")))
    yield "diff", _diffs(library)


def _english() -> Iterator[tuple[str, Texts]]:
    node = Path("/usr/lib/node_modules")
    packages = Path(sysconfig.get_paths()["purelib"])
    documents = [*_some(_SHARE / "doc", "**/README*"), *_some(_SHARE / "doc", "**/NEWS*")]
    yield "readme", ((_owner(path), _read(path)) for path in documents)
    yield "copyright", ((_owner(path), _read(path)) for path in _some(_SHARE / "doc", "*/copyright"))
    yield "man_english", ((path.name, _unroffed(_read(path))) for path in _some(_SHARE / "man/man1", "*.gz"))
    book = _some(_RUST, "stable*/share/doc/rust/html/*/*.html")
    yield "prose_english", ((path.name, _untagged(_read(path))) for path in book)
    yield "markdown", ((_owner(path), _read(path)) for path in _some(node, "**/*.md"))
    yield "markdown_packages", ((path.parent.name, _read(path)) for path in _some(packages, "*/METADATA"))
    project = Path(__file__).resolve().parents[2]
    yield "agents", _strings(_some(project / "resources/sample", "*.json*"))


def _some(root: Path, pattern: str) -> list[Path]:
    """Readable files, in an order that does not depend on the disk."""
    found = (path for path in root.glob(pattern) if path.is_file() and os.access(path, os.R_OK))
    return sorted(found) if root.exists() else []


def _owner(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _read(path: Path) -> str:
    data = path.read_bytes()
    try:
        return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (UnicodeDecodeError, OSError, EOFError):
        return ""


def _foreign(texts: Texts, language: str) -> Iterator[tuple[str, str]]:
    """Texts that are in a language and not the English that stands in for what is not translated."""
    for family, text in texts:
        if language not in _NOT_LATIN or sum(letter > "\u0250" for letter in text) > 0.2 * len(text):
            yield family, text


def _catalogues(language: str) -> Iterator[tuple[str, str]]:
    """The translated messages of each catalogue, a paragraph each."""
    for path in _some(_SHARE / "locale" / language / "LC_MESSAGES", "*.mo"):
        try:
            with path.open("rb") as file:
                known = gettext.GNUTranslations(file)
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        # The only way to all the messages; `gettext` gives them one by one.
        messages: dict[object, str] = getattr(known, "_catalog")  # noqa: B009
        found = [text for name, text in messages.items() if name and len(text) > 1]
        random.Random(path.name).shuffle(found)
        yield path.name, "\n".join(found)


def _unroffed(text: str) -> str:
    """A manual page's words, without its macros."""
    text = re.sub(r'(?m)^[.\'] *(?:\\"|de|if|ie|el|nh|ad|sp|ds|TH|Dd|Dt|Os).*\n', "", text)
    text = re.sub(r"(?m)^[.'] *[A-Za-z]{0,2}\b ?", "", text)
    text = re.sub(r"\\f[A-Z]|\\f\([A-Z]{2}|\\[&:/,]", "", text)
    return re.sub(r"\\-", "-", text)


def _untagged(text: str) -> str:
    text = re.sub(r"(?s)<(script|style|nav|head|pre)\b.*?</\1>", "", text)
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    return re.sub(r"\s*\n\s*\n\s*", "\n\n", re.sub(r"[ \t]+", " ", text)).strip()


def _rust(text: str) -> str:
    """The source inside a page that shows it."""
    shown = re.search(r"(?s)<code>(.*)</code>", text)
    lines = re.sub(r"<a href=#\d+ id=\d+[^>]*>\d+</a>", "", shown[1] if shown else "")
    return html.unescape(re.sub(r"<[^>]+>", "", lines))


def _rewritten(kind: str, paths: list[Path]) -> Iterator[tuple[str, str]]:
    for path in random.Random(kind).sample(paths, min(len(paths), 3 * MOST_DOCUMENTS)):
        try:
            value = json.loads(_read(path))
        except ValueError:
            continue
        if kind == "json_compact":
            yield path.name, json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        else:
            yield path.name, "\n".join(",".join(row) for row in _rows(value, ()))


def _rows(value: object, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _rows(each, (*path, str(name)))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from _rows(each, (*path, str(at)))
    else:
        yield (*path, str(value)[:80])


def _diffs(library: Path) -> Iterator[tuple[str, str]]:
    """What changed between two Python versions, where two are there."""
    for path in sorted(library.glob("*.py")):
        for other in sorted(library.parents[2].glob(f"*/lib/python3.*/{path.name}")):
            old, new = _read(other).splitlines(), _read(path).splitlines()
            lines = "\n".join(difflib.unified_diff(old, new, f"a/{path.name}", f"b/{path.name}", lineterm=""))
            if len(lines) > 400:
                yield path.name, lines
                break


def _strings(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """The longer strings of JSON files: what agents remember and say."""
    for path in paths:
        text = _read(path)
        values = (
            [json.loads(line) for line in text.splitlines()]
            if path.suffix == ".jsonl"
            else [json.loads(text)]
        )
        for row in _rows_of_text(values):
            if len(row) > 200:
                yield hashlib.sha256(row.encode()).hexdigest(), row


def _rows_of_text(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _rows_of_text(each)


def _made() -> Iterator[tuple[str, Texts]]:
    words = _words()
    makers: tuple[tuple[str, Callable[[random.Random, list[str]], str]], ...] = (
        ("chat_emoji", _chat),
        ("logs", _logs),
        ("base64", _base64),
        ("hex", _hex),
        ("numbers", _numbers),
        ("tables", _tables),
        ("symbols", _symbols),
        ("calls", _calls),
        ("identifiers", _identifiers),
    )
    for kind, make in makers:
        yield (
            kind,
            [(f"{kind}/{n}", make(random.Random(f"{kind}/{n}"), words)) for n in range(MOST_DOCUMENTS)],
        )


def _words() -> list[str]:
    """Running English words, for what is made of them; from the licences where there are no books."""
    pages = _some(_RUST, "stable*/share/doc/rust/html/book/*.html")
    texts = [_untagged(_read(path)) for path in pages] or [
        _read(path) for path in _some(_SHARE / "common-licenses", "*")
    ]
    return " ".join(texts).split() or ["some", "words", "in", "a", "row"]


def _phrase(chosen: random.Random, words: list[str], most: int) -> str:
    count = chosen.randint(1, most)
    start = chosen.randrange(max(1, len(words) - count))
    return " ".join(words[start : start + count])


def _chat(chosen: random.Random, words: list[str]) -> str:
    faces = [
        chr(code) for code in (*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F6C0), 0x2764, 0x2705, 0x26A0)
    ]
    lines = []
    for _ in range(chosen.choice((2, 8, 60))):
        said = _phrase(chosen, words, 22)
        said = said.lower() if chosen.random() < 0.5 else said
        if chosen.random() < 0.5:
            said += " " + "".join(chosen.choices(faces, k=chosen.randint(1, 3)))
        lines.append(f"{chosen.choice(('user', 'assistant', 'Ana', 'Bo'))}: {said}")
    return "\n".join(lines)


def _moment(chosen: random.Random) -> str:
    date = f"2026-{chosen.randint(1, 12):02}-{chosen.randint(1, 28):02}"
    clock = f"{chosen.randint(0, 23):02}:{chosen.randint(0, 59):02}:{chosen.randint(0, 59):02}"
    return chosen.choice((f"{date}T{clock}Z", f"{date} {clock},{chosen.randint(0, 999):03}", f"[{clock}]"))


def _logs(chosen: random.Random, words: list[str]) -> str:
    lines = []
    for _ in range(chosen.choice((2, 20, 120))):
        name = uuid.UUID(int=chosen.getrandbits(128))
        told = _phrase(chosen, words, 9)
        lines.append(
            chosen.choice(
                (
                    f"{_moment(chosen)} INFO worker-{chosen.randint(1, 99)} {told} id={name}",
                    f"{_moment(chosen)} {chosen.choice(('WARN', 'ERROR'))} {told} ({chosen.randint(1, 9999)} ms)",
                    f"{chosen.randbytes(20).hex()} {told}",
                    f'10.{chosen.randint(0, 255)}.3.7 - - [{_moment(chosen)}] "GET /{words[0]}/'
                    f'{chosen.randint(1, 99999)} HTTP/1.1" {chosen.choice((200, 404, 500))}',
                )
            )
        )
    return "\n".join(lines)


def _base64(chosen: random.Random, words: list[str]) -> str:
    # A picture's first bytes tell its kind; the rest of it is as good as random.
    text = base64.b64encode(b"\x89PNG\r\n\x1a\n" + chosen.randbytes(chosen.choice((60, 900, 6_000)))).decode()
    return text if chosen.random() < 0.5 else "\n".join(re.findall(".{1,76}", text))


def _hex(chosen: random.Random, words: list[str]) -> str:
    rows = [chosen.randbytes(chosen.choice((8, 20, 32))).hex() for _ in range(chosen.choice((2, 40, 200)))]
    return chosen.choice(("\n", " ", "")).join(rows)


def _numbers(chosen: random.Random, words: list[str]) -> str:
    join = chosen.choice((",", ", ", "\t", " ", ";"))
    rows = []
    for _ in range(chosen.choice((2, 30, 120))):
        cells = [
            chosen.choice(
                (
                    str(chosen.randint(-9, 10 ** chosen.randint(1, 9))),
                    f"{chosen.random() * 100:.{chosen.randint(1, 6)}f}",
                )
            )
            for _ in range(6)
        ]
        rows.append(join.join(cells))
    return "\n".join(rows)


def _tables(chosen: random.Random, words: list[str]) -> str:
    width = chosen.randint(5, 18)
    rows = []
    for _ in range(chosen.choice((3, 20, 80))):
        cells = [chosen.choice((str(chosen.randint(0, 99999)), _phrase(chosen, words, 3))) for _ in range(4)]
        rows.append("| " + " | ".join(cell.ljust(width) for cell in cells) + " |")
    rows.insert(1, "|" + "|".join("-" * (width + 2) for _ in range(4)) + "|")
    return "\n".join(rows)


_POOLS = (
    "".join(map(chr, range(0x2190, 0x2200))),
    "".join(map(chr, range(0x2200, 0x22FF))),
    "│─┌┐└┘├┤┬┴┼═║╔╗╚╝█▓▒░▲▼◆●○",
    "—–…“”‘’•·°±×÷§©®™€£¥«»¿¡",
    "".join(map(chr, range(0x10D0, 0x10F0))),
    "".join(map(chr, range(0x1200, 0x1240))),
    "".join(map(chr, (*range(0x1D400, 0x1D4FF), *range(0x20000, 0x20080)))),
)


def _symbols(chosen: random.Random, words: list[str]) -> str:
    pools, dense = chosen.sample(_POOLS, 2), chosen.choice((0.05, 0.2, 0.5))
    found: list[str] = []
    for _ in range(chosen.choice((12, 100, 800))):
        pool = chosen.choice(pools)
        symbols = "".join(chosen.choices(pool, k=chosen.choice((1, 1, 2, 6))))
        found.append(symbols if chosen.random() < dense else chosen.choice(words))
        found.append(chosen.choice((" ", " ", " ", "", "\n")))
    return "".join(found)


def _calls(chosen: random.Random, words: list[str]) -> str:
    """Arguments and results of tool calls: JSON of short keys, ids, numbers and prose."""
    rows = [
        {
            "id": f"call_{chosen.randbytes(8).hex()}",
            "label": _name(chosen, words),
            "content": _phrase(chosen, words, 40),
            "limit": chosen.randint(1, 5000),
            "ok": chosen.random() < 0.5,
            "path": "/" + "/".join(_name(chosen, words) for _ in range(chosen.randint(1, 4))),
        }
        for _ in range(chosen.choice((1, 4, 20)))
    ]
    indent = chosen.choice((None, 2))
    return json.dumps(rows, indent=indent, separators=(",", ":") if indent is None else None)


def _identifiers(chosen: random.Random, words: list[str]) -> str:
    return chosen.choice(("\n", " ", ", ")).join(
        _name(chosen, words) for _ in range(chosen.choice((6, 40, 300)))
    )


def _name(chosen: random.Random, words: list[str]) -> str:
    letters = (
        re.sub(r"[^a-z]", "", chosen.choice(words).lower()) or "x" for _ in range(chosen.randint(1, 4))
    )
    parts = list(letters)
    style = chosen.randrange(4)
    if style == 0:
        return "_".join(parts)
    if style == 1:
        return "".join(part.capitalize() for part in parts)
    return "-".join(parts) if style == 2 else "_".join(parts).upper()
