"""The command for keys of providers in the system's key store: keys."""

from __future__ import annotations

import sys
from typing import Any

import click

from inspector.cli.options import JSON, example
from inspector.cli.session import asynchronous
from inspector.cli.terminal import format_table, write_error, write_json, write_line
from inspector.domain.errors import InputError
from inspector.domain.keys import KeyPlace, KeyState
from inspector.runtime.environment import usual_surroundings
from inspector.runtime.key_places import all_places, place_of
from inspector.runtime.keys import KeyService
from inspector.runtime.wording import word, word_error


@click.command("keys", epilog=example("keys anthropic --set"))
@click.argument("provider", required=False, metavar="[NAME|URL]")
@click.option(
    "--set", "is_set", is_flag=True, help="Store a key. It's asked for, or read from standard input."
)
@click.option("--forget", is_flag=True, help="Remove the stored key.")
@JSON
@asynchronous
async def keys_command(provider: str | None, is_set: bool, forget: bool, as_json: bool) -> None:
    """Store, remove or list providers' keys in the system's key store.

    Keys are never printed. The key of an environment variable comes before a stored one.
    """
    if (is_set or forget) and (provider is None or is_set == forget):
        raise click.UsageError("give a provider and one of --set and --forget")
    keys = usual_surroundings().keys
    places = (place_of(provider),) if provider else await all_places(keys)
    if is_set:
        await _store(keys, places[0])
    elif forget:
        await keys.forget(places[0].origin)
    if is_set or forget:
        write_error(word("told.key_stored" if is_set else "told.key_forgotten", {"origin": places[0].origin}))
    states = [await keys.state(each) for each in places]
    if as_json:
        write_json({"keys": [*map(_plain, states)]})
    elif not is_set and not forget:
        _print(states)


async def _store(keys: KeyService, place: KeyPlace) -> None:
    given = sys.stdin
    is_asked = given is not None and given.isatty()
    text = click.prompt("Key", hide_input=True, err=True) if is_asked else given.readline() if given else ""
    if not text.strip():
        raise InputError("input.empty_key")
    keys.enter(text, place.origin)
    await keys.keep(place.origin)


def _print(states: list[KeyState]) -> None:
    head = ("Provider", "For", "Key from")
    rows = [(each.place.name, each.place.origin, _source(each)) for each in states]
    write_line(format_table(head, rows, frozenset()))
    problem = next((each.problem for each in states if each.problem is not None), None)
    if problem is not None:
        write_error(word_error(problem))


def _source(state: KeyState) -> str:
    if state.source is None:
        return word("key_source.none")
    return word(f"key_source.{state.source.value}", {"variable": state.place.variable, "store": state.store})


def _plain(state: KeyState) -> dict[str, Any]:
    problem = state.problem
    return {
        "provider": state.place.name,
        "origin": state.place.origin,
        "variable": state.place.variable,
        "source": None if state.source is None else state.source.value,
        "store": state.store or None,
        "problem": None if problem is None else {"code": problem.code, "message": word_error(problem)},
    }
