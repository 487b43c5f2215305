"""A server that counts what it is asked, over how many connections, and what that costs."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.server import FaultServer

DOLLARS_AN_ANSWER = 0.10
"""A million tokens cost so much that each answer costs this."""
BUDGET = 0.5
ASKED = 10
ITEMS = [
    (f"Should zoo number {place} be banned?", f"Yes: cage {place} is small [1].") for place in range(ASKED)
]
DOCUMENTS = ["Cages are small, and animals suffer.", "Keepers care."]


class MeteredServer(FaultServer):
    """Each answer is billed as one token, which costs :data:`DOLLARS_AN_ANSWER`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(alter=self._bill, constant=True, **given)
        self.peers: set[object] = set()

    @property
    def spent(self) -> float:
        """Dollars that were billed."""
        return DOLLARS_AN_ANSWER * len(self.requests)

    def settings(self, **more: Any) -> dict[str, Any]:
        """Of a judge that asks here, and may spend what pays for five answers."""
        return {
            "model": "openai/mine",
            "api_base": self.url,
            "api_key": "none-at-all",
            "max_tokens": 1,
            "input_price": 0.0,
            "output_price": DOLLARS_AN_ANSWER * 1e6,
            "budget_usd": BUDGET,
            **more,
        }

    def check(self, asked: int = 5, connections: int = ASKED) -> None:
        """Assert that so many questions came, as the budget allows, over so many connections at most."""
        assert len(self.requests) == asked, f"${self.spent:.2f} were spent of ${BUDGET:.2f}"
        assert len(self.peers) <= connections

    @staticmethod
    def _bill(body: dict[str, Any]) -> None:
        body["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        self.peers.add(request.transport and request.transport.get_extra_info("peername"))
        return await super()._complete(request)
