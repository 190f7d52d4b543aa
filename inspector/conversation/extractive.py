"""Summarises without a model by picking sentences. The same source gives the same summary.

Sentences that are near to what all of them are about come first, and those near to the reader's question where there
is one; what was decided, what is to be done and what has numbers in it weighs more, what was said already nothing.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from inspector.conversation.summariser import Count
from inspector.domain.dataclass import dataclass
from inspector.domain.losses import names, numbers, paths, reads_like_decision, reads_like_task, sentences
from inspector.domain.messages import Message, Role, ToolCallPart, ToolResultPart
from inspector.domain.search_index import BREAK, pieces
from inspector.domain.summaries import SummaryDetails
from inspector.domain.summarising import SummaryDraft, SummarySource, joined_details, spoken

_LONGEST = 320
"""Characters of a sentence that are taken; longer ones are cut with an ellipsis."""
_MOST_SENTENCES = 2_000
_SAME = 0.6
"""Two sentences with so much of their words in common say the same."""
_QUESTION_WEIGHT = 2.0
_TOPICS = 3
_KEPT = 6
"""Decisions, tasks and entities of messages that are kept apart at most, each."""
_COMMON_WORDS = (
    "a an and are as at be been but by can could did do does for from had has have he her his i if in into is it its "
    "just me my no not of on one or our out she so some that the their them then there they this to up us was we were "
    "what when which who will with would you your user assistant tool ok okay yes please thanks"
)
_COMMON = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Sentence:
    place: int
    text: str
    words: Mapping[str, int]
    who: str
    bonus: float


class ExtractiveSummariser:
    """Picks sentences of the source.

    Args:
        count: Counts tokens, for the size of what is picked.
    """

    def __init__(self, count: Count) -> None:
        self._count = count

    @property
    def name(self) -> str:
        return "extractive"

    async def summarise(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        """Sentences of the source in their order, as many as the tokens allow."""
        return await asyncio.to_thread(self._draft, source, most_tokens)

    def _draft(self, source: SummarySource, most_tokens: int) -> SummaryDraft:
        found = _sentences_of(source)
        weights = _weights(found)
        query = _words(source.query)
        details = _details(source, found)
        apart = {*details.decisions, *details.tasks}
        reported = [each for each in found if each.text not in apart] or found
        ranked = sorted(reported, key=lambda each: (-_score(each, weights, query), each.place))
        existing = (
            [] if source.previous is None else [_words(each) for each in sentences(source.previous.content)]
        )
        room = max(1, most_tokens - self._count(_details_text(details)))
        picked = self._pick(ranked, existing, room)
        return self._fitted(picked, _topics(weights, found), details, most_tokens)

    def _pick(
        self, ranked: Sequence[_Sentence], existing: Sequence[Mapping[str, int]], room: int
    ) -> list[_Sentence]:
        """The best that fit; a smaller one may take room that a larger one could not."""
        picked: list[_Sentence] = []
        reported = list(existing)
        for each in ranked:
            cost = self._count(_line(each)) + 1
            if cost > room or any(_alike(each.words, other) >= _SAME for other in reported):
                continue
            room -= cost
            picked.append(each)
            reported.append(each.words)
        return picked or list(ranked[:1])

    def _fitted(
        self, picked: Sequence[_Sentence], topics: tuple[str, ...], details: SummaryDetails, most: int
    ) -> SummaryDraft:
        """The draft without those details, from the least important on, for which there is no room."""
        content = "\n".join(map(_line, sorted(picked, key=lambda each: each.place)))
        left = most - self._count(content)
        for name in ("entities", "facts", "tasks", "decisions"):
            while getattr(details, name) and self._count(_details_text(details)) > left:
                details = replace(details, **{name: getattr(details, name)[:-1]})
        return SummaryDraft(content, topics, details)


def _sentences_of(source: SummarySource) -> list[_Sentence]:
    found: list[_Sentence] = []
    if source.children:
        for child in source.children:
            _add(found, child.content, "", 0.0)
        return found[:_MOST_SENTENCES]
    last = {message.batch_id: message.id for message in source.messages}
    for message in source.messages:
        # What a turn comes to stands at its end, what it is about at its beginning.
        weight = 0.3 if message.role is Role.USER or last[message.batch_id] == message.id else 0.0
        _add(found, spoken(message), message.name or message.role.value, weight)
        _add(found, _errors(message), "error", 0.2)
    del found[_MOST_SENTENCES:]
    _add(found, _tools(source.messages), "tools", 0.2)
    return found


def _tools(messages: Iterable[Message]) -> str:
    """Which tools were called how often, and how often that failed."""
    names_of: dict[str, str] = {}
    called: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for part in (part for message in messages for part in message.content):
        if isinstance(part, ToolCallPart):
            names_of[part.id] = part.name
            called[part.name] += 1
        elif isinstance(part, ToolResultPart) and part.is_error:
            failed[names_of.get(part.call_id, "?")] += 1
    return ", ".join(
        f"{name} called {times} {'time' if times == 1 else 'times'}"
        + (f" ({failed[name]} failed)" if failed[name] else "")
        for name, times in called.most_common(_KEPT)
    )


def _errors(message: Message) -> str:
    """The first line of each result that is an error; other results are not worth their words."""
    results = (part for part in message.content if isinstance(part, ToolResultPart) and part.is_error)
    return "\n".join(part.content.strip().partition("\n")[0] for part in results)


def _add(found: list[_Sentence], text: str, who: str, weight: float) -> None:
    for each in sentences(text):
        short = each if len(each) <= _LONGEST else f"{each[: _LONGEST - 1]}…"
        words = _words(short)
        if words:
            found.append(_Sentence(len(found), short, words, who, weight + _bonus(short)))


def _bonus(sentence: str) -> float:
    bonus = 0.6 * reads_like_decision(sentence) + 0.4 * reads_like_task(sentence)
    bonus += 0.15 * min(3, len(numbers(sentence))) + 0.2 * min(2, len(paths(sentence)))
    return bonus + 0.1 * min(3, len(names(sentence)))


def _words(text: str) -> Mapping[str, int]:
    return Counter(word for word in pieces(text.casefold()) if word != BREAK and word not in _COMMON)


def _weights(found: Iterable[_Sentence]) -> Mapping[str, float]:
    """How much a word tells of what all is about: often said, but not in every sentence."""
    everywhere: Counter[str] = Counter()
    total: Counter[str] = Counter()
    count = 0
    for each in found:
        count += 1
        everywhere.update(each.words.keys())
        total.update(each.words)
    return {word: math.log1p(times) * math.log1p(count / everywhere[word]) for word, times in total.items()}


def _score(sentence: _Sentence, weights: Mapping[str, float], query: Mapping[str, int]) -> float:
    near = sum(weights[word] for word in sentence.words) / math.sqrt(len(sentence.words) + 3)
    asked = sum(weights.get(word, 0.0) for word in query if word in sentence.words)
    return near + sentence.bonus + _QUESTION_WEIGHT * asked


def _alike(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The part of the smaller one's words that both have."""
    if not one or not other:
        return 0.0
    return len(one.keys() & other.keys()) / min(len(one), len(other))


def _line(sentence: _Sentence) -> str:
    return f"{sentence.who}: {sentence.text}" if sentence.who else sentence.text


def _topics(weights: Mapping[str, float], found: Sequence[_Sentence]) -> tuple[str, ...]:
    said: Counter[str] = Counter()
    for each in found:
        said.update(each.words.keys())
    often = [word for word in said if len(word) > 3 and not word.isdigit()]
    return tuple(sorted(often, key=lambda word: (-weights[word] * said[word], word))[:_TOPICS])


def _details(source: SummarySource, found: Sequence[_Sentence]) -> SummaryDetails:
    if source.children:
        return joined_details(source.children)
    texts = [each.text for each in found if each.who not in ("error", "tools")]
    decisions = dict.fromkeys(each for each in texts if reads_like_decision(each))
    tasks = dict.fromkeys(each for each in texts if reads_like_task(each) and each not in decisions)
    said = "\n".join(texts)
    often = Counter(each for text in texts for each in (*paths(text), *names(text)))
    order = {name: at for at, name in enumerate((*paths(said), *names(said)))}
    entities = sorted(often, key=lambda name: (-often[name], order.get(name, len(order)), name))
    return SummaryDetails(tuple(decisions)[-_KEPT:], (), tuple(tasks)[-_KEPT:], tuple(entities[:_KEPT]))


def _details_text(details: SummaryDetails) -> str:
    kept = (*details.decisions, *details.facts, *details.tasks, *details.entities)
    return "\n".join(f"- {item}" for item in kept)
