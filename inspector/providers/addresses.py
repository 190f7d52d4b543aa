"""Checks the addresses that Requests and keys may be sent to.

An address of somebody's own is https, except on this computer or at an address of its own network. Hosts that hand
out a cloud machine's credentials, link-local addresses and every unusual spelling of a number are refused, so that
what is shown is where it goes.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from inspector.domain.calls import HostPlace
from inspector.domain.dataclass import dataclass
from inspector.domain.errors import InputError

_BASE = re.compile(r"https?://[A-Za-z0-9._:\[\]-]+(?:/[A-Za-z0-9._~%!$&'()*+,;=:@/-]*)?", re.IGNORECASE)
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_CREDENTIALS = frozenset(
    {
        *(
            "metadata",
            "metadata.google.internal",
            "metadata.goog",
            "instance-data",
            "instance-data.ec2.internal",
        ),
        *("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"),
    }
)
"""Hosts that give a cloud machine its own credentials."""
_NAT64 = IPv6Network("64:ff9b::/96")
"""Addresses that another one is written inside of."""
_SHOWN = 200
_LONGEST = 2_000
Ip = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class CheckedBase:
    """An address that may be sent to: as it is written, in lower case up to its path, without a slash at its end."""

    base: str
    host: str
    place: HostPlace


def checked_base(base: str, *, plain: bool = False) -> CheckedBase:
    """The address, if Requests may go there; with `plain` also unencrypted, for commands that carry no key.

    Raises:
        InputError: ``input.no_address``, it is none; ``input.key_unencrypted``, it is not encrypted and not near;
            ``input.address_refused``, nothing is ever sent there.
    """
    shown = base[:_SHOWN]
    if len(base) > _LONGEST or not _BASE.fullmatch(base):
        raise InputError("input.no_address", address=shown)
    try:
        parts = urlsplit(base)
        port = parts.port
    except ValueError as error:
        raise InputError("input.no_address", address=shown) from error
    host = parts.hostname or ""
    is_near = _is_near(host, shown)
    if port == 0 or parts.netloc.endswith(":"):
        raise InputError("input.no_address", address=shown)
    if not plain and parts.scheme != "https" and is_near is HostPlace.PUBLIC:
        raise InputError("input.key_unencrypted", address=shown)
    written = f"{parts.scheme}://{parts.netloc.lower()}{parts.path.rstrip('/')}"
    return CheckedBase(written, host, is_near)


def joined_url(base: str, path: str) -> str:
    """Where a body is posted: people give an address with or without the version that the path begins with."""
    version, _, _ = path.lstrip("/").partition("/")
    if base.endswith(f"/{version}"):
        base = base[: -len(version) - 1]
    return base + path


def is_refused(address: str) -> bool:
    """Whether nothing is ever sent to an IP address, such as one that a name turned out to have."""
    try:
        return _refused(_plain(ip_address(address.partition("%")[0])))
    except ValueError:
        return True


def _is_near(host: str, shown: str) -> HostPlace:
    address = _ip(host, shown)
    if address is not None:
        if _refused(address) or host in _CREDENTIALS:
            raise InputError("input.address_refused", address=shown)
        if address.is_loopback:
            return HostPlace.LOOPBACK
        return HostPlace.PRIVATE if address.is_private else HostPlace.PUBLIC
    if not _HOST.fullmatch(host):
        raise InputError("input.no_address", address=shown)
    if host in _CREDENTIALS:
        raise InputError("input.address_refused", address=shown)
    return HostPlace.LOOPBACK if host == "localhost" else HostPlace.PUBLIC


def _ip(host: str, shown: str) -> Ip | None:
    try:
        return _plain(ip_address(host))
    except ValueError:
        # Other spellings of a number, which a resolver takes and a person doesn't see through.
        if _NUMBER.fullmatch(host.rpartition(".")[2]) or ":" in host:
            raise InputError("input.no_address", address=shown) from None
        return None


def _plain(address: Ip) -> Ip:
    """The address itself where another one is written inside it."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        return inner or address
    return address


def _refused(address: Ip) -> bool:
    if (
        str(address) in _CREDENTIALS
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
    ):
        return True
    return address.is_reserved and not address.is_loopback
