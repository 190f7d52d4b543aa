"""Facts about a model: its window, prices and tokenizer, with dates, from a shipped file.

A fact that is not known is None and never a guess; whoever needs a number for it says so on the screen.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from inspector.domain.counts import Method
from inspector.domain.dataclass import dataclass


class ResolvedBy(StrEnum):
    """How a model id was recognised, surest first."""

    EXACT = "exact"
    """The id stands in the table."""
    ALIAS = "alias"
    """Another spelling of a known id, or one with a route before it (``openai/gpt-4o``)."""
    FAMILY = "family"
    """A dated, tagged or otherwise marked variant of a known id (``claude-sonnet-4-5-20250929``)."""
    MAKER = "maker"
    """Only its maker and the tokenizer that is likely are known; limits and prices are None."""


@dataclass(frozen=True, slots=True)
class PriceTier:
    """What a Request of more than `above` input tokens costs, all of it. US dollars per million tokens."""

    above: int
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens; `cache_write` is for the shortest life of an entry."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    tiers: tuple[PriceTier, ...] = ()

    def at(self, input_tokens: int) -> PriceTier:
        """The prices of a Request of that size: those of the highest tier that it passes, else the base."""
        passed = [tier for tier in self.tiers if input_tokens > tier.above]
        base = PriceTier(0, self.input, self.output, self.cache_read, self.cache_write)
        if not passed:
            return base
        tier = max(passed, key=lambda each: each.above)
        return PriceTier(
            tier.above,
            base.input if tier.input is None else tier.input,
            base.output if tier.output is None else tier.output,
            base.cache_read if tier.cache_read is None else tier.cache_read,
            base.cache_write if tier.cache_write is None else tier.cache_write,
        )


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """One model as far as it is known.

    Attributes:
        id: The id in the table; for `ResolvedBy.MAKER` the id that was asked for.
        provider: Who serves it under this id (``anthropic``, ``openai``, ``gemini``, ``ollama`` …).
        max_input: The most input tokens that a request may hold.
        max_output: The most output tokens that a reply may hold.
        context_window: Input and output together where the provider states it; not to be filled with input
            where `max_input` is smaller.
        prices: What a token costs, or None.
        cache_minimum: Tokens below which a prefix is silently not cached, or None.
        tokenizer: The family that estimators and overheads are listed under (``o200k``, ``claude_4_8`` …).
        encoding: The shipped vocabulary that counts this model exactly, or None.
        flags: What it can (``assistant_prefill``) and, where that is said, what it cannot
            (``no_assistant_prefill``). A flag that is absent is not known.
        retires: The announced last day as an ISO date, or None.
        resolved_by: How the id was recognised.
        overridden: The names of the facts that are the user's own.
    """

    id: str
    provider: str
    max_input: int | None
    max_output: int | None
    context_window: int | None
    prices: Prices | None
    cache_minimum: int | None
    tokenizer: str
    encoding: str | None
    flags: frozenset[str]
    retires: str | None
    resolved_by: ResolvedBy
    overridden: frozenset[str] = frozenset()

    @property
    def input_limit(self) -> int | None:
        """The most input that is safe: `max_input`, else what the window leaves beside the longest reply, or None.

        A window may be larger than what a request may hold of it.
        """
        if self.max_input is not None or self.context_window is None:
            return self.max_input
        return self.context_window - (self.max_output or 0)

    @property
    def exact(self) -> bool:
        """Whether its own tokenizer is shipped, so that counts of text are exact."""
        return self.encoding is not None


@dataclass(frozen=True, slots=True)
class Overheads:
    """What the frame of a chat costs beyond the strings in it, in tokens.

    A user's message costs `message` and `role`, and `name` more if it has a name; so does a tool's result, with
    `result` on top. A call adds `call` to its assistant message, beside its own name and arguments. `reply` and
    `request` come once.

    Attributes:
        family: The tokenizer family these are of.
        message: Around each message.
        role: The role's own token.
        system: Around the system string.
        assistant: Around an assistant's message.
        assistant_method: How that is known.
        name: More for a message with a name.
        reply: For the start of the reply.
        request: For the request as a whole.
        call: Around each tool call.
        result: Around each tool result.
        schema: With a schema of the reply, beside its own tokens; 0 where a schema isn't charged.
        page: For a page of a PDF document, text and picture.
        thinking: Where the model is told to think.
        task_budget: Where the model is told how many tokens it has for the task.
        old_thinking: Whether thinking of finished turns is charged.
        signed: Whether what signs a part hides thinking that is charged.
        sealed_head: Characters of sealed thinking before those that hide tokens.
        sealed_token: Characters of sealed thinking for each token that they hide.
        method: How the figures of messages are known: exact where the provider documents them.
        call_method: How those of calls and results are known.
        source: Where the figures are from.
    """

    family: str
    message: int
    role: int
    system: int
    assistant: int
    assistant_method: Method
    name: int
    reply: int
    request: int
    call: int
    result: int
    schema: int
    page: int
    thinking: int
    task_budget: int
    old_thinking: bool
    sealed_head: int
    sealed_token: float
    signed: bool
    method: Method
    call_method: Method
    source: str


class DefinitionCost(StrEnum):
    """How the tokens of a tool definition are counted."""

    TYPESCRIPT = "typescript"
    """The function as OpenAI's models read it, with its comments."""
    JSON = "json"
    """The definition's JSON as one text."""
    BARE_JSON = "bare_json"
    """The same without titles and empty descriptions, and without whether other fields may stand."""
    WORDS = "words"
    """The names and descriptions alone, each as a text."""


@dataclass(frozen=True, slots=True)
class ToolOverheads:
    """What a tool definition costs beyond the tokens of its texts; always an estimate.

    `function` comes with each definition, `end` once with all of them, of which `joined` is not paid where a system
    string stands before them. `preamble` is what the provider tells the model about tools, once where there are any;
    `forced` where it must call one; `chat` more of it on Chat Completions.
    """

    definition: DefinitionCost
    function: int
    end: int
    joined: int
    preamble: int
    forced: int
    chat: int
    method: Method
    source: str


class ImageKind(StrEnum):
    """How a provider counts an image."""

    PATCHES = "patches"
    """By the square patches that cover it, after it was shrunk to a longest side and a number of patches."""
    TILES = "tiles"
    """So much for any, and more for each tile of 512 pixels, after it was shrunk to 768 on the shorter side."""
    CROPS = "crops"
    """So much for a small one; for a larger one the same for each crop, whose size goes by the shorter side."""
    FIXED = "fixed"
    """The same for every size."""


@dataclass(frozen=True, slots=True)
class ImageRule:
    """What an image costs, by a provider's published rule; always an estimate.

    Attributes:
        name: The rule's name in the table.
        kind: How it counts.
        patch: The side of a patch, in pixels.
        longest: The longest side, in pixels, that is not shrunk.
        most: The most patches.
        factor: Tokens a patch.
        base: Tokens for any image.
        tile: Tokens a tile or crop.
        low: The longest side of an image that is sent with little detail; 0 where that can't be asked for.
        source: Where the rule is from.
        is_assumed: Whether it is another provider's, for want of the model's own.
    """

    name: str
    kind: ImageKind
    patch: int = 0
    longest: int = 0
    most: int = 0
    factor: float = 1.0
    base: int = 0
    tile: int = 0
    low: int = 0
    source: str = ""
    is_assumed: bool = False


@dataclass(frozen=True, slots=True)
class Estimator:
    """Weights for `inspector.domain.estimation`, with their errors on texts that were held out of the fit.

    Attributes:
        family: The tokenizer family asked for.
        fitted_on: The family whose tokenizer the weights were fitted to; another one than `family` where
            that has no public tokenizer, and the band is then wider.
        weights: One number a feature, in the order of `FEATURE_NAMES`.
        shared: What a token of the `SHARED` vocabulary weighs.
        mape: Mean absolute relative error.
        band: The relative error that 95 % of texts stay within. It was found on other texts than the mean error.
        covered: The share of texts, of which none was fitted or gave the band, that the band held for.
        under: By how much the true count of a longer text, as a Request is, exceeds the estimate at the 95th
            percentile; times ``1 + under`` the estimate covers 95 % of such texts.
    """

    family: str
    fitted_on: str
    weights: tuple[float, ...]
    shared: float
    mape: float
    band: float
    covered: float
    under: float

    @property
    def is_stand_in(self) -> bool:
        return self.family != self.fitted_on


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """What is known of a reconstructed tokenizer: how to ask for it, and how far it may be off.

    Attributes:
        family: The tokenizer family.
        version: What the package calls it.
        band: The relative error that 95 % of texts stay within.
        under: By how much the true count exceeds the figure at the 95th percentile.
        source: What the errors were measured on.
    """

    family: str
    version: str
    band: float
    under: float
    source: str


OverheadTable = Mapping[str, Overheads]
"""Overheads by tokenizer family."""
