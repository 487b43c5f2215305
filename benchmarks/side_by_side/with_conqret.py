"""conqret: groundedness and answer relevance, rated in one question (rag-fine-grained)."""

from driver import CONCURRENCY, MODEL, Scores, Task, drive

import conqret

METRICS = ["groundedness", "answer_relevance"]
DEADLINE = 60.0
"""Seconds for a question with all its attempts: conqret has no limit for one of them."""


def measure(task: Task) -> Scores:
    judged = conqret.judge(
        task.items,
        format="rag-fine-grained",
        metrics=METRICS,
        model=f"openai/{MODEL}",
        api_base=task.url,
        api_key="none",
        max_concurrency=CONCURRENCY,
        timeout=DEADLINE,
        stop_after_failures=1.0,
        output=task.folder / "run",
    )
    return {judgment.item: [judgment.measures[name].value for name in METRICS] for judgment in judged}


drive(measure)
