"""Reward models on this machine, as judges of one's own: transformers that score an answer to a question."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from conqret.data import Reason
from conqret.errors import DeclarationError, first_line
from conqret.llm.backend import Backend, Connection, ModelFacts, on_this_machine
from conqret.llm.backends.function import SAID, item_of
from conqret.llm.client_options import ClientOptions
from conqret.llm.local_model import folder_of, identity_of, name_and_identity
from conqret.llm.replies import CONTEXT_OVERFLOW
from conqret.llm.request import Completion, Request
from conqret.llm.retry import ProviderError

if TYPE_CHECKING:
    from conqret.local.rewards import RewardModel, RewardOutcome

PREFIX = "reward/"
REVISION = 1
"""Part of every key of a reward model. Raise it when texts are put together or scored in another way."""
IN_FLIGHT = 256
"""Items that are asked about at a time: so many can be sorted by length before they go through the model."""

_WORKER = ThreadPoolExecutor(1, thread_name_prefix="conqret-reward")

Waiting = tuple[tuple[str, str], "asyncio.Future[RewardOutcome]"]


class RewardConnection(Connection):
    """Answers with the scores of a reward model; what is asked about at the same time goes through it together."""

    def __init__(self, options: ClientOptions) -> None:
        self._model = options.model
        self._scorer: RewardModel | None = None
        self._waiting: list[Waiting] = []
        self._working: asyncio.Task[None] | None = None

    async def prepare(self) -> None:
        """Load the model, or take the one that this process has loaded before.

        Raises:
            DeclarationError: there is no such model, it is no reward model, or not the one that is meant.
            MissingDependencyError: torch or transformers is not installed.
        """
        if self._scorer is None:
            loop = asyncio.get_running_loop()
            self._scorer = await loop.run_in_executor(_WORKER, _loaded, *_parts(self._model))

    async def complete(self, request: Request[Any]) -> Completion:
        """The score of the item's argument, or, of two, how far the first is better, as JSON.

        Raises:
            DeclarationError: the question is none about an item as plain data.
            ProviderError: the model failed, or gave no number.
        """
        item = item_of(request)
        await self.prepare()
        began = time.perf_counter()
        texts = [item[name] for name in ("argument", "second_argument") if name in item]
        rewards = await asyncio.gather(*(self._reward(item["topic"], text) for text in texts))
        seconds = time.perf_counter() - began
        tokens = sum(reward.tokens for reward in rewards)
        done = Completion(
            "", model=self._model, prompt_tokens=tokens, completion_tokens=0, cost_usd=0.0, seconds=seconds
        )
        if any(reward.logits is None for reward in rewards):
            window = self._scorer.window if self._scorer is not None else 0
            longest = max(reward.tokens for reward in rewards)
            message = f"question and argument take {longest} tokens, and the model has room for {window}"
            return replace(done, text=message, finish_reason=CONTEXT_OVERFLOW)
        value = rewards[0].value if len(rewards) == 1 else rewards[0].over(rewards[1])
        return replace(done, text=json.dumps({SAID: value}))

    async def _reward(self, question: str, answer: str) -> RewardOutcome:
        future: asyncio.Future[RewardOutcome] = asyncio.get_running_loop().create_future()
        self._waiting.append(((question, answer), future))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        """Score what waits, all of it together, until nothing does."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)  # until all that was asked at once waits
        while self._waiting and self._scorer is not None:
            taken, self._waiting = self._waiting, []
            texts = [pair for pair, _ in taken]
            try:
                rewards = await loop.run_in_executor(_WORKER, self._scorer.rewards, texts)
            except (RuntimeError, IndexError, TypeError, ValueError) as error:
                message = f"the reward model failed: {first_line(error)}"
                self._settle(taken, error=ProviderError(Reason.BAD_REQUEST, message))
            else:
                self._settle(taken, rewards)
        self._working = None

    def _settle(
        self, taken: list[Waiting], rewards: list[RewardOutcome] | None = None, error: Exception | None = None
    ) -> None:
        for place, (_, future) in enumerate(taken):
            if future.done():  # given up meanwhile
                continue
            if error is not None:
                future.set_exception(error)
            elif rewards is not None:
                future.set_result(rewards[place])


@lru_cache(1)
def _loaded(name: str, identity: str | None) -> RewardModel:
    """The model with these weights; the one before it goes first."""
    from conqret.local.rewards import RewardModel

    actual = identity_of(name)
    if actual != identity:
        raise DeclarationError(
            f"{name} is not the model that was named: its identity is {actual}, not {identity}"
        )
    folder = folder_of(name)
    return RewardModel(str(folder) if folder.is_dir() else name)


def _parts(model: str) -> tuple[str, str | None]:
    return name_and_identity(model.removeprefix(PREFIX))


def _resolved(options: ClientOptions) -> ClientOptions:
    name, identity = _parts(options.model)
    folder = folder_of(name)
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise DeclarationError(f"{folder} contains no transformers model: config.json is missing")
    return replace(options, model=f"{PREFIX}{name}@{identity or identity_of(name)}")


def _facts(options: ClientOptions) -> ModelFacts:
    return replace(on_this_machine(options), in_flight=IN_FLIGHT)


BACKEND = Backend(
    prefix=PREFIX,
    open=RewardConnection,
    resolve=_resolved,
    identity=lambda model: f"reward-{REVISION}@{_parts(model)[1]}",
    pinned=_parts,
    facts=_facts,
)
