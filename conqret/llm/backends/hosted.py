"""Models that are hosted: OpenAI-compatible servers are called directly, every other provider through litellm."""

from __future__ import annotations

from conqret.llm.client_options import Backend, ClientOptions, Connection
from conqret.llm.hosted.servers import directly
from conqret.llm.providers import listed


def _reaches(model: str) -> str:
    """The address in a name, empty where it is a model's of a provider: litellm sends what is requested of
    ``oobabooga/http://…`` there, and takes the host of ``bedrock/agentcore/arn:…`` from it."""
    before, found, _ = model.partition("://")
    if found:
        return model[before.rfind("/") + 1 :]
    return f"/{model}".partition("/arn:")[2]


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
    reaches=_reaches,
)
