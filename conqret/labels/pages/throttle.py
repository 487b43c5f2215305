"""How often somebody may try a wrong link: a bucket for each caller, that fills again."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

AT_ONCE = 20
A_MINUTE = 20
"""Wrong links of one caller; nobody finds one of 2^128, and who mistypes theirs is not kept out by others."""
CALLERS = 10_000
"""So many are told apart; then the first is forgotten."""
NETWORK_BITS = 64
"""What one household has of an IPv6 address."""


class Throttle:
    """``take`` says whether a caller has one left; ``a_minute`` come anew, up to ``at_once``."""

    def __init__(
        self, at_once: int = AT_ONCE, a_minute: float = A_MINUTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._rate, self._clock = at_once, a_minute / 60, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, caller: str) -> bool:
        """Take one, if there is one."""
        now = self._clock()
        left, at = self._left.pop(caller, (float(self._most), now))
        left = min(self._most, left + (now - at) * self._rate)
        self._left[caller] = (left - 1 if left >= 1 else left), now
        if len(self._left) > CALLERS:
            del self._left[next(iter(self._left))]
        return left >= 1


def caller_of(request: Request, proxy: str = "") -> str:
    """The address, or network, from which a request comes.

    It is that of the connection. Where this is the ``proxy``'s, it is the last one in ``X-Forwarded-For``, which the
    proxy has added; what stands before it, and the header of anybody else, can be made up.
    """
    peer = request.client.host if request.client is not None else ""
    if proxy and peer == proxy:
        forwarded = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2].strip()
        return _network(forwarded) or peer
    return _network(peer) or peer


def _network(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return ""
    if parsed.version == 4:
        return str(parsed)
    return str(ipaddress.ip_network((int(parsed), NETWORK_BITS), strict=False))
