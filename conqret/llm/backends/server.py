"""Judges as HTTP addresses: one POST, an item in, a judgment out, as ``conqret serve http`` speaks it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import Any

import aiohttp

from conqret.data import Reason
from conqret.errors import DeclarationError, first_line
from conqret.llm.backends.function import MAX_RESPONSE, VERDICT, item_of
from conqret.llm.client_options import Backend, ClientOptions, Connection, ModelFacts, stated
from conqret.llm.provider_errors import error_in, provider_error
from conqret.llm.request import Completion, Request
from conqret.llm.retry import ProviderError

PREFIX = "server/"
KEY = "CONQRET_SERVER_KEY"
"""The environment variable with the key that is sent as ``Authorization: Bearer``."""


def model_of(url: str) -> str:
    """Return the model name for the address of a judging server.

    Raises:
        DeclarationError: the address does not begin with http:// or https://.
    """
    if not url.startswith(("http://", "https://")) or any(character.isspace() for character in url):
        raise DeclarationError(f"a server's address must begin with http:// or https://, unlike {url!r}")
    return PREFIX + url


class ServerConnection(Connection):
    """A connection to a server that judges items; it never follows a redirect."""

    def __init__(self, options: ClientOptions) -> None:
        self._url = options.model.removeprefix(PREFIX)
        self._session: aiohttp.ClientSession | None = None

    async def complete(self, request: Request[Any]) -> Completion:
        """Send the request's item to the server and return its response as JSON.

        Raises:
            DeclarationError: the request is not about an item as plain data.
            ProviderError: no response came, or it is not JSON.
        """
        began = time.perf_counter()
        text = await self.answer(item_of(request))
        return Completion(text, model=f"{PREFIX}{self._url}", seconds=time.perf_counter() - began)

    async def answer(self, item: dict[str, Any]) -> str:
        """Post an item to the server and return its response as JSON under :data:`VERDICT`.

        Raises:
            ProviderError: no response came, or it is not JSON.
        """
        if self._session is None:
            key = os.environ.get(KEY)
            self._session = aiohttp.ClientSession(
                headers={"Authorization": f"Bearer {key}"} if key else None,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),  # the sender has a deadline
            )
        try:
            async with self._session.post(self._url, json=item, allow_redirects=False) as response:
                raw = await response.content.read(MAX_RESPONSE + 1)
                while len(raw) <= MAX_RESPONSE and (
                    more := await response.content.read(MAX_RESPONSE + 1 - len(raw))
                ):
                    raw += more
        except (aiohttp.ClientError, OSError) as error:
            raise provider_error(error) from error
        if 300 <= response.status < 400:
            where = response.headers.get("Location", "")[:200]
            raise ProviderError(
                Reason.BAD_REQUEST, f"the server redirects to {where!r}, which conqret does not follow"
            )
        if response.status != 200:
            raise error_in(raw.decode("utf-8", "replace"), response.status, response.headers)
        if len(raw) > MAX_RESPONSE:
            raise ProviderError(
                Reason.BAD_REQUEST, f"the server's response is longer than {MAX_RESPONSE >> 20} MiB"
            )
        try:
            return json.dumps({VERDICT: json.loads(raw)})
        except (ValueError, RecursionError) as error:
            raise ProviderError(
                Reason.SERVER_ERROR, f"the server's response is not valid JSON: {first_line(error)}"
            ) from error

    async def close(self) -> None:
        """Close the connections."""
        opened, self._session = self._session, None
        if opened is not None:
            await opened.close()


def _facts(options: ClientOptions) -> ModelFacts:
    return replace(stated(options), vision=True)  # it gets the item itself


BACKEND = Backend(
    prefix=PREFIX, open=ServerConnection, facts=_facts, reaches=lambda model: model.removeprefix(PREFIX)
)
