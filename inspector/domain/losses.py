"""Numbers, paths, names and decisions of a source that its summary must not lose.

Found by their form alone, so some of it is no loss to anybody; nothing is refused for it, it is listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inspector.domain.summarising import (
    Losses,
    SummarySource,
    spoken,
    summary_source_text,
    unescaped_text,
)

# Every repetition has a bound, so that no text makes the search slow.
_NUMBER = re.compile(
    r"(?<![\w./-])[#$€£]?\d{1,40}(?:[.,:]\d{1,40}){0,8}(?: ?%|[A-Za-z]{1,3}(?!\w))?(?![\w/])"
)
_PATH = re.compile(
    r"[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`)\]]{1,500}|"
    r"(?<![\w/])(?:~|\.{1,2})?/?(?:[\w.@+-]{1,80}/){1,40}[\w.@+-]{0,80}|"
    r"[A-Za-z]:\\[^\s\"'`<>|]{1,255}"
)
_CODE = re.compile(r"`([^`\n]{1,80})`")
# Names that no sentence makes: with a case or a sign inside, or letters and digits together.
_INSIDE = re.compile(
    r"(?<![\w/.-])(?=[\w.-]{0,80}[A-Za-z])(?:[A-Za-z]\w{0,60}_\w{1,60}|[a-z]{1,60}[A-Z]\w{0,60}|"
    r"[A-Z]{1,60}[a-z]{1,60}[A-Z]\w{0,60}|[A-Za-z]{1,60}-?\d(?:[\w.-]{0,60}\w)?|\d{1,60}[a-f][0-9a-f]{4,60}|"
    r"[A-Z]{2}[A-Z0-9]{0,60})(?![\w/])"
)
# A word with a capital that does not begin a sentence.
_PROPER = re.compile(r"(?<=[\w,;)] )[A-Z][\w'-]{0,40}[a-z]\w{0,40}(?: [A-Z][\w'-]{0,40}[a-z]\w{0,40}){0,4}")
_SENTENCE_END = re.compile("(?<=[.!?])\\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_DECISION = re.compile(
    r"\b(?:decided?|decision|agreed|we(?:'ll| will| go| use)|let's|settled|approved|granted|chose|chosen|"
    r"go with|go for|must not|never again|from now on|the rule is)\b",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:todo|to do|need(?:s)? to|have to|has to|must|please|next step|remember to|waiting for|open point|"
    r"i(?:'ll| will)|by (?:tomorrow|monday|tuesday|wednesday|thursday|friday))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_LONGEST_SENTENCE = 400
_SHARED_WORDS = 0.6
"""Of a decision's longer words, so many must stand in the summary."""
_LONG_WORD = 4
_STOP = re.compile(r"[.,;:]+$")
_SIGNS = "#$€£"
_SPEAKER = re.compile(r"I\b")


def losses_of(source: SummarySource, summary_text: str, decisions: Iterable[str] = ()) -> Losses:
    """What a source says and a summary of it does not.

    Args:
        source: What the summary was made of.
        summary_text: The summary as a model reads it.
        decisions: More of them than those that are found, such as the ones that are marked as such.
    """
    # What was said comes before what tools were given and gave.
    said = "\n".join((*map(spoken, source.messages), *(each.content for each in source.children)))
    beside = (*map(unescaped_text, source.messages), *map(summary_source_text, source.children))
    text = "\n".join((said, *beside))
    low = summary_text.casefold()
    summary_numbers = frozenset(each.lstrip(_SIGNS) for each in numbers(summary_text))
    words = frozenset(_WORD.findall(low))
    paths_there = tuple(paths(text))
    inside_paths = "\n".join(paths_there)
    return Losses(
        tuple(
            each
            for each in numbers(text)
            if each.lstrip(_SIGNS) not in summary_numbers and each not in inside_paths
        ),
        tuple(each for each in paths_there if each.casefold() not in low),
        tuple(
            each for each in names(text) if not _is_mentioned(each, low, words) and each not in inside_paths
        ),
        tuple(
            each
            for each in dict.fromkeys((*source.decisions, *decisions, *decisions_in(said)))
            if each.casefold() not in low and not _is_retold(each, words)
        ),
    )


def numbers(text: str) -> tuple[str, ...]:
    """Numbers with their signs and units, each once, in order."""
    return tuple(dict.fromkeys(match.group().strip() for match in _NUMBER.finditer(text)))


def paths(text: str) -> tuple[str, ...]:
    """Paths of files and addresses of pages, each once, in order."""
    found = (_STOP.sub("", match.group()) for match in _PATH.finditer(text))
    return tuple(dict.fromkeys(each for each in found if len(each) > 2))


def names(text: str) -> tuple[str, ...]:
    """Identifiers, and words with a capital inside of sentences; each once, in order."""
    found: dict[int, str] = {}
    for pattern in (_CODE, _INSIDE, _PROPER):
        for match in pattern.finditer(text):
            found.setdefault(match.start(), match.group(match.lastindex or 0).strip())
    named = (name for _, name in sorted(found.items()) if name and _SPEAKER.match(name) is None)
    return tuple(dict.fromkeys(named))


def sentences(text: str) -> Iterator[str]:
    """A text's sentences and lines, each on one line."""
    for each in _SENTENCE_END.split(text):
        flat = " ".join(each.split()).lstrip("-*•> ")
        if flat:
            yield flat


def decisions_in(text: str) -> tuple[str, ...]:
    """The sentences that read like a decision, each once, in order."""
    return tuple(dict.fromkeys(each for each in sentences(text) if reads_like_decision(each)))


def reads_like_decision(sentence: str) -> bool:
    """Whether a sentence says what was decided, by its words; a question does not."""
    if sentence.endswith("?") or len(sentence) > _LONGEST_SENTENCE:
        return False
    return _DECISION.search(sentence) is not None


def reads_like_task(sentence: str) -> bool:
    """Whether a sentence says what is still to be done, by its words."""
    if sentence.endswith("?") or len(sentence) > _LONGEST_SENTENCE:
        return False
    return _TASK.search(sentence) is not None


def _is_mentioned(name: str, low: str, words: frozenset[str]) -> bool:
    folded = name.casefold()
    return folded in words or (not folded.isalnum() and folded in low)


def _is_retold(sentence: str, words: frozenset[str]) -> bool:
    own = {each for each in _WORD.findall(sentence.casefold()) if len(each) >= _LONG_WORD}
    return bool(own) and len(own & words) >= _SHARED_WORDS * len(own)
