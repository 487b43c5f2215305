"""Models that are hosted: OpenAI-compatible servers are asked directly, every other provider through litellm."""

from __future__ import annotations

from conqret.llm.backend import Backend, Connection
from conqret.llm.catalogue import listed
from conqret.llm.client_options import ClientOptions
from conqret.llm.hosted.servers import directly


def _open(options: ClientOptions) -> Connection:
    if directly(options):
        from conqret.llm.hosted.direct_http import Direct  # aiohttp, which the offline model needs not

        return Direct(options)
    from conqret.llm.hosted.through_litellm import ThroughLitellm

    return ThroughLitellm(options)


BACKEND = Backend(
    prefix="",
    open=_open,
    cannot=(
        "reads the log-probabilities of a given text, which hosted chat models do not give: use --model local/FOLDER "
        "(a transformers model on this machine), or offline"
    ),
    facts=listed,
)
