"""Whether a provider can be asked at all, before the first question: its key is set, its address answers."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import socket
from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.client_options import ClientOptions
from conqret.llm.retry import ProviderError

PATIENCE = 5.0
"""Seconds to wait for an address; a slow one may still answer the request, which has a time limit of its own."""

HERE = ("localhost", "127.0.0.1", "::1")
"""What this machine calls itself."""

PORTS = {"http": 80, "https": 443}
"""Where a server listens whose address does not say."""

_OTHER_NAMES = {
    "cohere": "CO_API_KEY",
    "huggingface": "HF_TOKEN",
    "openrouter": "OR_API_KEY",
    "replicate": "REPLICATE_API_TOKEN",
}
"""Variables that litellm reads besides those that it says are missing."""


def check_key(litellm: Any, options: ClientOptions, provider: str, provider_key: str | None) -> None:
    """Check that there is a key for the model: in the options, in the environment, or ``provider_key`` by litellm.

    Nothing is asked of a server of one's own (``api_base``), nor of providers that take other credentials than a key
    (AWS, Google Cloud, Azure's tokens).

    Raises:
        DeclarationError: there is none, with the names of the variables that the provider wants.
    """
    known = (options.api_key, options.api_base, provider_key, os.environ.get(_OTHER_NAMES.get(provider, "")))
    if any(setting and setting.strip() for setting in known):
        return
    missing = litellm.validate_environment(options.model)["missing_keys"]
    usual = f"{provider.upper()}_API_KEY"
    if not missing and usual in os.environ and not os.environ[usual].strip():
        missing = [usual]  # an empty one counts as set for litellm
    if missing and all(name.endswith("_API_KEY") for name in missing):
        missing_key(options.model, provider, missing)


def missing_key(model: str, provider: str, names: Sequence[str]) -> NoReturn:
    """Say that there is no key, and which variables may hold it.

    Raises:
        DeclarationError: always.
    """
    raise DeclarationError(
        f"the model {model} needs a key of {provider}, and none is set: put it into the "
        f"environment variable {' or '.join(names)}, or give the address of your own server (--api-base)"
    )


async def check_address(url: str) -> None:
    """Check that somebody listens at the address, by connecting to it; where a proxy stands between, the proxy knows.

    Raises:
        DeclarationError: it is no address, its name does not resolve, or the connection is refused.
    """
    shown, (scheme, host, port) = address(url), _parts(url)
    if scheme not in PORTS or host is None or port is None:
        raise DeclarationError(
            f"{shown} is not the address of a server: write one such as http://localhost:8000/v1"
        )
    if proxy_of(url):
        return
    try:
        async with asyncio.timeout(PATIENCE):
            _, writer = await asyncio.open_connection(host, port)
    except socket.gaierror:
        raise DeclarationError(
            f"the name {host} of the address {shown} cannot be resolved: check its spelling"
        ) from None
    except ConnectionRefusedError:
        raise DeclarationError(
            f"the connection to {shown} was refused: check that the server is running and the port is right"
        ) from None
    except OSError:  # unreachable for now, or too slow (TimeoutError): the requests will say
        return
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()


def proxy_of(url: str) -> str | None:
    """The proxy that the environment names for an address; None where there is none, and for this machine itself: what
    is said to it, keys among it, is nobody else's business."""
    scheme, host, _ = _parts(url)
    if host is None or _is_here(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def address(url: str) -> str:
    """The address as it may be shown: without a password, a query or a fragment."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "the address given"
    return SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "").geturl()


def sent_on(url: str, target: str) -> ProviderError:
    """The error where an address answers by naming another one, to which a key would go along."""
    where = f"{address(url)} sends on to {address(target) or 'nowhere'}"
    return ProviderError(Reason.BAD_REQUEST, f"{where}: give the address itself (--api-base)")


def _is_here(host: str) -> bool:
    try:
        parsed = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return parsed.is_loopback or parsed.is_unspecified


def _parts(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port, as far as they can be told."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme)
    except ValueError:
        return "", None, None
