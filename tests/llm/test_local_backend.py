"""Models on this machine: the same figures as from the scorer, under names that say which weights gave them."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from pydantic import BaseModel

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.llm.backends.local import FILLED, identity_of, name_and_identity
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import Recordings
from conqret.llm.request import Answer, Message, Reading, Request, TokenLogprobs

PAIRS = (
    ("Read this text: cities are better off without cars.", ("Cars should go.", "Air gets cleaner.")),
    ("Read nothing.", ("Cars should go.", "Air gets cleaner.")),
)


class Sums(BaseModel):
    values: list[list[float]]
    tokens: list[list[int]]


def reading(pairs: Any = PAIRS) -> Reading:
    return Reading(
        pairs,
        lambda rows: {
            "values": [[one.log_likelihood for one in row] for row in rows],
            "tokens": [[one.tokens for one in row] for row in rows],
        },
        lambda rows: (TokenLogprobs("1", {"0": -1.0, "1": -0.5}),),
    )


def request(pairs: Any = PAIRS, **fields: Any) -> Request[Sums]:
    given: dict[str, Any] = {"reading": reading(pairs), "written": False}
    return Request("sums", "item", (Message("user", "Q"),), Sums, **(given | fields))


def ask(
    model: str, *requests: Request[Sums], store: Recordings | None = None, **more: Any
) -> list[Answer[Sums]]:
    async def work() -> list[Answer[Sums]]:
        async with Client(ClientOptions(model), store=store, **more) as client:
            return list(await asyncio.gather(*map(client.request, requests)))

    return asyncio.run(work())


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    from tests.llm.local_models import save_model

    return save_model(tmp_path_factory.mktemp("models") / "small", window=256)


@pytest.mark.parametrize("chat", [False, True])
def test_figures_are_those_of_the_scorer(tmp_path: Path, model: Path, chat: bool) -> None:
    from conqret.local.scorer import ConditionalPerplexity
    from tests.llm.local_models import save_model

    folder = save_model(tmp_path / "chat", window=256, chat=True) if chat else model
    direct = ConditionalPerplexity(str(folder), wrapping=5)
    assert direct.templated is chat
    expected = [[one.log_likelihood for one in row] for row in direct.stream(PAIRS)]
    (answer,) = ask(f"local/{folder}", request())
    assert answer.value is not None
    assert answer.value.values == [pytest.approx(row, rel=1e-6) for row in expected]
    assert answer.logprobs == (TokenLogprobs("1", {"0": -1.0, "1": -0.5}),)
    (call,) = answer.calls
    assert (call.cost_usd, call.completion_tokens) == (0.0, 0)
    tokens = [[one.context_tokens for one in row] for row in direct.stream(PAIRS)]
    assert call.prompt_tokens == sum(row[0] for row in tokens) + sum(map(sum, answer.value.tokens))


def test_the_name_says_which_weights(tmp_path: Path, model: Path) -> None:
    from tests.llm.local_models import save_model

    identity = identity_of(str(model))
    assert name_and_identity(f"local/{model}@{identity}") == (str(model), identity)
    assert name_and_identity("local/some@where/model") == ("some@where/model", None)
    copy = shutil.copytree(model, tmp_path / "copy", copy_function=shutil.copy)
    assert identity_of(str(copy)) == identity
    assert identity_of(str(save_model(tmp_path / "other", window=256, seed=14))) != identity
    options = ClientOptions(f"local/{model}").resolved()
    assert options.model == f"local/{model}@{identity}"
    assert options.context_window == int(256 * FILLED)
    assert options.resolved() is options
    assert ClientOptions(f"local/{model}", context_window=99).resolved().context_window == 99
    client = Client(ClientOptions(f"local/{model}"), store=None)
    assert client.model_id == options.model
    elsewhere = ClientOptions(f"local/{copy}").resolved()
    assert options.identity == elsewhere.identity


def test_a_text_that_the_scorer_fails_on_fails_alone(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from conqret.local.scorer import ConditionalPerplexity

    stream = ConditionalPerplexity.stream

    def fragile(self: Any, pairs: Any, **more: Any) -> Any:
        if pairs[0][0] == "bad":
            raise IndexError("shapes differ\nand more")
        return stream(self, pairs, **more)

    monkeypatch.setattr(ConditionalPerplexity, "stream", fragile)
    bad, good = ask(f"local/{model}", request((("bad", ("x",)),)), request())
    assert (bad.reason, bad.detail) == (Reason.BAD_REQUEST, "the local model failed: shapes differ")
    assert good.value is not None


def test_other_weights_than_those_that_are_meant(model: Path) -> None:
    with pytest.raises(DeclarationError, match="is not the model that"):
        ask(f"local/{model}@{'0' * 12}", request())


def test_who_can_be_asked_what(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(*_: object) -> None:
        raise AssertionError("a call went out")

    monkeypatch.setattr("conqret.llm.hosted.direct_http.Direct.complete", sent)
    monkeypatch.setattr("conqret.llm.hosted.direct_http.Direct.prepare", sent)
    with pytest.raises(DeclarationError, match="local/FOLDER"):
        ask("gpt-4o-mini", request())
    with pytest.raises(DeclarationError, match="score dispute-awareness"):
        ask(f"local/{model}", replace(request(), reading=None))
    (offline,) = ask("offline", request(baseline=lambda: {"values": [], "tokens": []}))
    assert offline.value == Sums(values=[], tokens=[])


def test_the_old_model_goes_before_the_new_one_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alive: WeakSet[Any] = WeakSet()
    beside: list[int] = []

    class Heavy:
        def __init__(self, name: str, wrapping: int) -> None:
            self.itself = self  # as in the graphs of modules
            beside.append(len(alive))
            alive.add(self)

    monkeypatch.setattr("conqret.llm.backends.local.ConditionalPerplexity", Heavy)
    monkeypatch.setattr("conqret.llm.backends.local._held", {})

    async def load(name: str) -> None:
        async with Client(ClientOptions(f"local/{tmp_path / name}"), store=None) as client:
            await client.prepare()

    for name in ("one", "two", "two", "one"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "config.json").write_text(f'{{"name": "{name}"}}')
        asyncio.run(load(name))
    assert beside == [0, 0, 0]
