"""DeepEval: faithfulness and answer relevancy, by ``evaluate`` with its cache, errors kept with their cases."""

import os

from driver import CONCURRENCY, MODEL, PATIENCE, Scores, Task, drive

os.environ |= {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_PER_ATTEMPT_TIMEOUT_SECONDS_OVERRIDE": str(PATIENCE),
    "DEEPEVAL_PER_TASK_TIMEOUT_SECONDS_OVERRIDE": "600",  # else a busy machine ends items without a fault
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
}

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import AnswerRelevancyMetric, FaithfulnessMetric
from deepeval.models import OpenAIModel
from deepeval.test_case import LLMTestCase


def measure(task: Task) -> Scores:
    model = OpenAIModel(model=MODEL, base_url=task.url, api_key="none")
    cases = [
        LLMTestCase(
            name=item["id"],
            input=item["topic"],
            actual_output=item["argument"],
            retrieval_context=item["documents"],
        )
        for item in task.items
    ]
    done = evaluate(
        cases,
        [FaithfulnessMetric(model=model), AnswerRelevancyMetric(model=model)],
        async_config=AsyncConfig(max_concurrent=CONCURRENCY),
        cache_config=CacheConfig(use_cache=True),
        error_config=ErrorConfig(ignore_errors=True),
        display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    )
    return {result.name: [metric.score for metric in result.metrics_data] for result in done.test_results}


drive(measure)
