"""The table of model facts (`resources/models/models.json`), and how an id is found in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path

from inspector.domain.dataclass import dataclass
from inspector.domain.models import ModelFacts, Prices, PriceTier, ResolvedBy
from inspector.shipped.checked import ShippedRecord, read_json
from inspector.shipped.locate import malformed, resource_path
from inspector.shipped.model_ids import fine_tuned_base, is_variant, prefixes_of, spellings
from inspector.shipped.tokenizer_files import shipped_encoding_for_model


class StoredTier(ShippedRecord, frozen=True):
    """A price tier as files have it."""

    above: int
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class StoredPrices(ShippedRecord, frozen=True):
    """Prices as files have them."""

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    tiers: tuple[StoredTier, ...] = ()


class _Model(ShippedRecord, frozen=True):
    id: str
    provider: str
    tokenizer: str
    max_input: int | None = None
    max_output: int | None = None
    context_window: int | None = None
    prices: StoredPrices | None = None
    cache_minimum: int | None = None
    retires: str | None = None
    aliases: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class _Maker(ShippedRecord, frozen=True):
    prefix: str
    provider: str
    tokenizer: str


class _ModelsFile(ShippedRecord, frozen=True):
    """`vendors` are prefixes that gateways put before an id; `makers` say who makes ids that begin so."""

    dated: str
    currency: str
    sources: tuple[str, ...]
    vendors: tuple[str, ...]
    models: tuple[_Model, ...]
    makers: tuple[_Maker, ...]


@dataclass(frozen=True, slots=True)
class ModelTable:
    """All models whose facts are shipped.

    Attributes:
        dated: The day of the snapshot, as an ISO date.
        currency: What prices are in.
        sources: Where the facts are from.
        models: The facts by id, each as it resolves for its own id.
    """

    dated: str
    currency: str
    sources: tuple[str, ...]
    models: Mapping[str, ModelFacts]
    _aliases: Mapping[str, str]
    _vendors: tuple[str, ...]
    _makers: tuple[_Maker, ...]
    _resolved: dict[str, ModelFacts | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(sorted(self.models))

    def resolve(self, model_id: str) -> ModelFacts | None:
        """What is known of a model, or None for one of which not even the maker is known.

        Tried in this order: the id as it stands; an alias, or the id behind a route (``openai/gpt-4o``,
        ``bedrock/us.anthropic.claude-…``); a dated or tagged variant of a known id; the maker alone. Letter case
        does not matter.
        """
        if model_id not in self._resolved:
            self._resolved[model_id] = self._find(model_id)
        return self._resolved[model_id]

    def with_models(self, models: Mapping[str, ModelFacts]) -> ModelTable:
        """The table with some models instead of, or beside, those of their ids."""
        return replace(self, models={**self.models, **models}, _resolved={})

    def _find(self, model_id: str) -> ModelFacts | None:
        candidates = tuple(spellings(model_id, self._vendors))
        bare = candidates[-1]
        cached = self._named(candidates) or self._variant(bare) or self._fine_tuned(bare) or self._made(bare)
        if cached is None or cached.resolved_by is ResolvedBy.EXACT:
            return cached
        # A known id may be mapped to a vocabulary where the spelling asked for is not, and the other way round.
        # A fine-tuned model counts as its base does; by its own id the mapping would take gpt-4.1 for gpt-4.
        spelled = fine_tuned_base(bare) or bare
        return replace(cached, encoding=shipped_encoding_for_model(spelled) or cached.encoding)

    def _named(self, candidates: Iterable[str]) -> ModelFacts | None:
        for at, name in enumerate(candidates):
            existing = self._resolve(name)
            if existing is not None:
                is_same = at == 0 and name == existing.id
                return existing if is_same else replace(existing, resolved_by=ResolvedBy.ALIAS)
        return None

    def _resolve(self, name: str) -> ModelFacts | None:
        return self.models.get(name) or self.models.get(self._aliases.get(name, ""))

    def _variant(self, bare: str) -> ModelFacts | None:
        for name, rest in prefixes_of(bare):
            existing = self._resolve(name)
            if existing is not None:
                return replace(existing, resolved_by=ResolvedBy.FAMILY) if is_variant(rest) else None
        return None

    def _fine_tuned(self, bare: str) -> ModelFacts | None:
        base = fine_tuned_base(bare)
        existing = self._named([base]) or self._variant(base) if base else None
        return replace(existing, prices=None, resolved_by=ResolvedBy.FAMILY) if existing else None

    def _made(self, bare: str) -> ModelFacts | None:
        fitting = [maker for maker in self._makers if bare.startswith(maker.prefix)]
        if not fitting:
            return None
        maker = max(fitting, key=lambda each: len(each.prefix))
        return ModelFacts(
            id=bare,
            provider=maker.provider,
            max_input=None,
            max_output=None,
            context_window=None,
            prices=None,
            cache_minimum=None,
            tokenizer=maker.tokenizer,
            encoding=None,
            flags=frozenset(),
            retires=None,
            resolved_by=ResolvedBy.MAKER,
        )


@cache
def load_model_table() -> ModelTable:
    """Load the shipped table of models.

    Raises:
        MalformedError: the file has another shape, or one id or alias stands for two models.
    """
    return read_model_table(resource_path("models", "models.json"))


def read_model_table(path: Path) -> ModelTable:
    """A table from any file of the shape; `load_model_table` for the shipped one."""
    content = read_json(path, _ModelsFile)
    _check_names(path, content)
    return ModelTable(
        dated=content.dated,
        currency=content.currency,
        sources=content.sources,
        models={model.id: _facts(model) for model in content.models},
        _aliases={alias: model.id for model in content.models for alias in model.aliases},
        _vendors=content.vendors,
        _makers=content.makers,
    )


def _facts(model: _Model) -> ModelFacts:
    return ModelFacts(
        id=model.id,
        provider=model.provider,
        max_input=model.max_input,
        max_output=model.max_output,
        context_window=model.context_window,
        prices=read_prices(model.prices),
        cache_minimum=model.cache_minimum,
        tokenizer=model.tokenizer,
        encoding=shipped_encoding_for_model(model.id),
        flags=frozenset(model.flags),
        retires=model.retires,
        resolved_by=ResolvedBy.EXACT,
    )


def read_prices(stored: StoredPrices | None) -> Prices | None:
    """Prices from their stored form."""
    if stored is None:
        return None
    tiers = tuple(
        PriceTier(tier.above, tier.input, tier.output, tier.cache_read, tier.cache_write)
        for tier in stored.tiers
    )
    return Prices(stored.input, stored.output, stored.cache_read, stored.cache_write, tiers)


def _check_names(path: Path, content: _ModelsFile) -> None:
    seen: set[str] = set()
    for place, name in _names(content.models):
        if name in seen or name != name.lower():
            raise malformed(path, f"{name!r} appears twice or isn't in lower case - at `$.models{place}`")
        seen.add(name)


def _names(models: tuple[_Model, ...]) -> Iterator[tuple[str, str]]:
    for at, model in enumerate(models):
        yield f"[{at}].id", model.id
        for alias_at, alias in enumerate(model.aliases):
            yield f"[{at}].aliases[{alias_at}]", alias
