"""Is a server for this machine alone, and does a request really come to it?"""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("example.org")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def names_this_machine(host: str) -> bool:
    """Whether the `Host` of a request does: a page elsewhere must not reach us through a name it controls.

    >>> names_this_machine("127.0.0.1:8321"), names_this_machine("evil.example:8321")
    (True, False)
    """
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
