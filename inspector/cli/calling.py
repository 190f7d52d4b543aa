"""What commands that call a model share: the provider's options, its key, and the words for a failed call."""

from __future__ import annotations

from inspector.cli.terminal import write_error
from inspector.domain.calls import ApiKey, Destination
from inspector.domain.errors import InputError
from inspector.domain.keys import KeyStoreError
from inspector.domain.replies import CallFailure
from inspector.domain.wire.values import WireForm
from inspector.runtime.engine import Engine
from inspector.runtime.wording import word, word_error

FORM_NAMES = [form.value for form in WireForm]


def destination_of(engine: Engine, provider: str, form: str | None) -> Destination:
    """Where the options of a command say that a call goes.

    Raises:
        InputError: there is no such provider, or nothing may be sent to that address.
    """
    return engine.calls.destination(provider, None if form is None else WireForm(form))


async def key_of(engine: Engine, destination: Destination) -> ApiKey | None:
    """The key for a destination, with the key store's trouble on standard error.

    Raises:
        InputError: ``input.no_key``, the provider takes one and nobody has it. CallError: the user works offline.
    """
    engine.calls.require_online(destination)
    try:
        return await engine.calls.require_key(destination)
    except KeyStoreError as error:
        write_error(word_error(error))
        raise InputError("input.no_key", variable=engine.calls.key_variable(destination)) from None


def print_failure(failure: CallFailure, variable: str) -> None:
    """Print what kind of failure it was, the server's own words, and what to do."""
    status = "" if failure.status is None else f" ({failure.status})"
    write_error(word(f"call_failed.{failure.kind.value}", {}) + status + ".")
    if failure.code:
        write_error(word(failure.code, failure.parameters))
    if failure.message:
        write_error(word("told.call_model", {"message": failure.message}))
    write_error(word(f"call_advice.{failure.kind.value}", {"variable": variable}))
    if failure.retry_after is not None:
        write_error(word("call_advice.wait", {"seconds": f"{failure.retry_after:g}"}))
