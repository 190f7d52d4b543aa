"""Exports a Request as a curl or PowerShell command. The key stays in the environment."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

from inspector.domain.wire.values import EndpointAddress, WireRequest
from inspector.providers.addresses import checked_base, joined_url

_CONTENT_TYPE = "content-type"
_JSON_TYPE = "application/json"


def to_curl(wire: WireRequest, base: str | None = None) -> str:
    """A command for a POSIX shell. The body goes through standard input, so it may be of any size.

    Raises:
        InputError: `base` is no address that can be posted to.
    """
    address = _address(wire.address, base)
    headers = [shlex.quote(f"{name}: {value}") for name, value in _headers(address).items()]
    if address.key_header:
        # The one thing that the shell is to put in. It stops with a message where the variable is not set.
        headers.append(f'"{address.key_header}: {address.key_prefix}${{{address.key_variable}:?}}"')
    lines = [
        f"printf '%s' {shlex.quote(body_text(wire))} |",
        f"curl --silent --show-error --globoff --request POST {shlex.quote(address.url)}",
        *(f"--header {header}" for header in headers),
        "--data-binary @-",
    ]
    return f"{lines[0]} \\\n" + " \\\n".join(f"  {line}" for line in lines[1:]) + "\n"


def to_powershell(wire: WireRequest, base: str | None = None) -> str:
    """The same for PowerShell. The body is one line of ASCII, so that its quotes end nothing.

    Raises:
        InputError: `base` is no address that can be posted to.
    """
    address = _address(wire.address, base)
    pairs = [f"{_quoted(name)} = {_quoted(value)}" for name, value in address.headers.items()]
    if address.key_header:
        prefix = f"{_quoted(address.key_prefix)} + " if address.key_prefix else ""
        pairs.append(f"{_quoted(address.key_header)} = {prefix}$env:{address.key_variable}")
    return (
        f"$body = @'\n{body_text(wire)}\n'@\n"
        f"Invoke-WebRequest -UseBasicParsing -Method Post -Uri {_quoted(address.url)} `\n"
        f"  -Headers @{{ {'; '.join(pairs)} }} -ContentType {_quoted(_JSON_TYPE)} -Body $body\n"
    )


def body_text(wire: WireRequest) -> str:
    """The body as the commands send it: one line of ASCII, so that nothing in it acts on a terminal."""
    return json.dumps(wire.body, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace(
        "\x7f", "\\u007f"
    )


def _headers(address: EndpointAddress) -> dict[str, str]:
    return {_CONTENT_TYPE: _JSON_TYPE, **address.headers}


def _address(usual: EndpointAddress, base: str | None) -> EndpointAddress:
    if base is None:
        return usual
    # The path goes behind the address as whoever sends it from here would join the two.
    checked_base(base, plain=not usual.key_variable)
    url = joined_url(base.rstrip("/"), usual.path)
    return replace(usual, base=url.removesuffix(usual.path))


def _quoted(text: str) -> str:
    """A PowerShell literal; other quotation marks than ASCII's end one too, and none comes here."""
    return "'" + text.replace("'", "''") + "'"
