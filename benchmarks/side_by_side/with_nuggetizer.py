"""nuggetizer: nuggets of topic and documents, their importance, and which of them the argument holds."""

import asyncio
import os
from dataclasses import asdict

from driver import CONCURRENCY, MODEL, Scores, Task, drive
from nuggetizer.core.metrics import calculate_nugget_scores
from nuggetizer.core.types import Document, Query, Request
from nuggetizer.models.async_nuggetizer import AsyncNuggetizer


def measure(task: Task) -> Scores:
    os.environ["OPENAI_BASE_URL"] = task.url
    return asyncio.run(_measure(task))


async def _measure(task: Task) -> Scores:
    nuggetizer = AsyncNuggetizer(model=MODEL, api_keys="none")
    places = asyncio.Semaphore(CONCURRENCY)  # it has no limit of its own

    async def one(item: dict[str, object]) -> list[float | None]:
        documents = [Document(str(place), text) for place, text in enumerate(item["documents"])]
        async with places:
            nuggets = await nuggetizer.create(Request(Query(item["id"], item["topic"]), documents))
            assigned = await nuggetizer.assign(item["topic"], item["argument"], nuggets)
        scores = calculate_nugget_scores(item["id"], [asdict(nugget) for nugget in assigned])
        return [scores.vital_score, scores.all_score]

    rows = await asyncio.gather(*map(one, task.items))
    return {item["id"]: row for item, row in zip(task.items, rows, strict=True)}


drive(measure)
