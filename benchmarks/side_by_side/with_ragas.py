"""ragas: ``Faithfulness`` and ``AnswerRelevancy`` of its collections, with a model of ``llm_factory`` and its cache."""

import asyncio
import math
import os
import sys

from driver import CONCURRENCY, MODEL, PATIENCE, Scores, Task, drive

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

from openai import AsyncOpenAI
from ragas.cache import DiskCacheBackend
from ragas.embeddings import OpenAIEmbeddings
from ragas.llms import llm_factory
from ragas.metrics.collections import AnswerRelevancy, Faithfulness


def measure(task: Task) -> Scores:
    return asyncio.run(_measure(task))


async def _measure(task: Task) -> Scores:
    client = AsyncOpenAI(base_url=task.url, api_key="none", timeout=PATIENCE)
    cache = DiskCacheBackend(cache_dir=str(task.folder / "cache"))
    model = llm_factory(MODEL, client=client, cache=cache)
    faithfulness = Faithfulness(llm=model)
    relevancy = AnswerRelevancy(llm=model, embeddings=OpenAIEmbeddings(client=client, cache=cache))
    places = asyncio.Semaphore(CONCURRENCY)  # its experiments start all rows at once

    async def score(metric, **fields) -> float | None:
        try:
            value = (await metric.ascore(**fields)).value
        except Exception as error:  # noqa: BLE001 - an experiment would print it and go on
            print(f"{metric.name}: {error}"[:200], file=sys.stderr)
            return None
        return None if math.isnan(value) else value

    async def one(item: dict[str, object]) -> list[float | None]:
        asked = {"user_input": item["topic"], "response": item["argument"]}
        async with places:
            grounded = await score(faithfulness, **asked, retrieved_contexts=item["documents"])
            return [grounded, await score(relevancy, **asked)]

    rows = await asyncio.gather(*map(one, task.items))
    return {item["id"]: row for item, row in zip(task.items, rows, strict=True)}


drive(measure)
