"""Options and types of values that several commands share."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from inspector.domain.codec import from_plain, read_time
from inspector.domain.errors import MalformedError
from inspector.domain.limits import STRATEGIES, Strategy
from inspector.domain.ref import Ref
from inspector.domain.strategy_rules import strategy_fault
from inspector.domain.wire.values import WireForm
from inspector.runtime.wording import word

_SIZE = re.compile(r"(\d{3,5})x(\d{3,5})")

FILE = click.Path(path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document and nothing else.")
AGENT = click.option("--agent", metavar="ID|NAME", help="Whose view; not needed when there is one agent.")
BLOCK = click.option("--block", required=True, metavar="ID|LABEL")
OWNER = click.option("--owner", metavar="ID|NAME", help="Whose block, when several have the label.")
REASON = click.option("--reason", default="", help="Kept in the block's history.")
UNLOCK = click.option("--unlock", is_flag=True, help="Write a part that is read-only for its agent.")
CACHE_MARKS = click.option(
    "--cache-marks", "cached", is_flag=True, help="Mark where the provider's cache is to end."
)
WIRE_FORMS = [form.value for form in WireForm]
AS_AGENT = click.option("--as-agent", is_flag=True, help="Act as the agent, bound by its permissions.")


class Name(click.ParamType[str]):
    """A name: never the empty text, which could be taken for none given."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, or wrong usage."""
        if not value:
            self.fail("it is empty", param, ctx)
        return str(value)


class Moment(click.ParamType[datetime]):
    """A time in ISO 8601; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """The moment, or wrong usage."""
        if isinstance(value, datetime):
            return value
        try:
            return read_time(value)
        except ValueError:
            self.fail(f"{value!r} is no ISO 8601 time such as 2026-11-20T09:30:00Z", param, ctx)


NOW, LAST = "now", "last"
"""The Request as it would be now, and the newest one that was sent."""


class Place(click.ParamType[datetime | str]):
    """A moment: a time, the id of a run, ``last`` for the newest one, or ``now``."""

    name = "time|run|last"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime | str:
        """The time, or the name."""
        if isinstance(value, datetime):
            return value
        name = str(value)
        if name in (LAST, NOW) or name.startswith("run_"):
            return name
        return Moment().convert(value, param, ctx)


class Target(click.ParamType[Ref]):
    """One thing: its kind and its id."""

    name = "kind:id"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Ref:
        """The thing, or wrong usage."""
        if isinstance(value, Ref):
            return value
        ref = Ref.read(str(value))
        if ref is None:
            self.fail(f"{value!r} names no thing, as message:msg_1 does", param, ctx)
        return ref


class Size(click.ParamType[tuple[int, int]]):
    """Width and height in pixels."""

    name = "WxH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The pair, or wrong usage."""
        if isinstance(value, tuple):
            return value
        match = _SIZE.fullmatch(value)
        if match is None:
            self.fail(f"{value!r} is no size such as 1440x900", param, ctx)
        return int(match[1]), int(match[2])


class StrategyValue(click.ParamType[Strategy]):
    """How a history is shortened: a strategy's name, or JSON with its settings."""

    name = "strategy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Strategy:
        """The strategy, or wrong usage."""
        if not isinstance(value, str):
            return cast(Strategy, value)
        try:
            plain = json.loads(value) if value.lstrip().startswith("{") else {"kind": value}
            strategy = cast(Strategy, from_plain(Strategy, plain))
        except (ValueError, RecursionError, MalformedError):
            kinds = ", ".join(each.kind for each in STRATEGIES)
            example = '\'{"kind": "window", "verbatim_count": 5}\''
            self.fail(f"{value!r} is neither one of {kinds} nor JSON such as {example}", param, ctx)
        fault = strategy_fault(strategy)
        if fault is not None:
            self.fail(word("input.strategy_setting", fault), param, ctx)
        return strategy


_CHOICES = (
    click.option(
        "--strategy", type=StrategyValue(), help="Another way to shorten the history: a name, or JSON."
    ),
    click.option(
        "--continue",
        "continuing",
        is_flag=True,
        help="With the newest turn, though it waits for its reply or for results.",
    ),
    click.option("--layout", type=Name(), help="Another layout than the agent's."),
    click.option("--model", type=Name(), help="Another model than the agent's."),
    click.option(
        "--zone",
        type=Name(),
        default="UTC",
        show_default=True,
        help="Time zone for times in the Request.",
    ),
    click.option("--now", type=Moment(), help="Build as of this moment; the present one otherwise."),
)
_AT = click.option(
    "--at",
    type=Place(),
    help="As it was at a time, or at a run (its id, or last), and whether that is what was sent.",
)


def choosing(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say how a Request of the present is to be built."""
    for option in (*_CHOICES, AGENT):
        command = option(command)
    return command


def asking(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which Request is meant, of the present or of the past."""

    @functools.wraps(command)
    def asked(*values: Any, **named: Any) -> None:
        _require_one_moment(named["at"])
        command(*values, **named)

    for option in (*_CHOICES, _AT, AGENT):
        asked = option(asked)
    return asked


def given_of(*names: str) -> list[str]:
    """Those of the options that stand on the command line, as they are written there."""
    source = click.get_current_context().get_parameter_source
    return [_OPTIONS.get(name, f"--{name}") for name in names if source(name) is ParameterSource.COMMANDLINE]


def _require_one_moment(at: datetime | str | None) -> None:
    """Pass if the options that say which Request is meant go together.

    Raises:
        click.UsageError: what was sent has its own settings, and a time of the past is the moment of the build.
    """
    if at is None or at == NOW:
        return
    given = given_of(*(OF_THE_PRESENT if isinstance(at, datetime) else OF_A_BUILD))
    if given:
        raise click.UsageError(f"--at {at} cannot be had with {', '.join(given)}")


OF_THE_PRESENT = ("now", "continuing")
"""Options that only a Request of the present has."""
OF_A_BUILD = (*OF_THE_PRESENT, "zone", "model", "layout", "strategy")
"""Options that what was sent has not: it is as it was."""
_OPTIONS = {"continuing": "--continue"}
