"""TruLens: groundedness and relevance with reasons, by ``BatchEvaluator``."""

import functools
import math

from driver import CONCURRENCY, MODEL, PATIENCE, Scores, Task, drive
from trulens.core import BatchEvaluator, Metric, Selector
from trulens.core.feedback.feedback import GroundednessConfigs
from trulens.core.metric.metric import SkipEval
from trulens.providers.openai import OpenAI

RPM = 100_000
"""Questions a minute, no limit here: by default it sends 60."""


def measure(task: Task) -> Scores:
    provider = OpenAI(model_engine=MODEL, base_url=task.url, api_key="none", timeout=PATIENCE, rpm=RPM)
    # By default NLTK splits sentences, with a table that it fetches from the network: here the model splits them.
    configs = GroundednessConfigs(use_sent_tokenize=False, filter_trivial_statements=True)
    metrics = [
        Metric(
            name="groundedness",
            implementation=_groundedness(provider, configs),
            selectors={
                "source": Selector.from_column("documents", collect_list=True),
                "statement": Selector.from_column("argument"),
            },
        ),
        Metric(
            name="relevance",
            implementation=_relevance(provider),
            selectors={"prompt": Selector.from_column("topic"), "response": Selector.from_column("argument")},
        ),
    ]
    done = BatchEvaluator(metrics, max_workers=CONCURRENCY).evaluate(task.items)
    return {row["id"]: [_value(row["groundedness"]), _value(row["relevance"])] for _, row in done.iterrows()}


def _groundedness(provider, configs):
    def groundedness(source: list, statement: str):
        with_configs = functools.partial(
            provider.groundedness_measure_with_cot_reasons, groundedness_configs=configs
        )
        return _or_skip(with_configs, source=source, statement=statement)

    return groundedness


def _relevance(provider):
    def relevance(prompt: str, response: str):
        return _or_skip(provider.relevance_with_cot_reasons, prompt=prompt, response=response)

    return relevance


def _or_skip(function, **fields):
    """Skip a row whose question fails in the end: the evaluator would stop at it and give no row at all."""
    try:
        return function(**fields)
    except Exception as error:
        raise SkipEval(str(error)) from error


def _value(value: float | None) -> float | None:
    """None for what is missing, and for -1, by which TruLens says that it could not read an answer."""
    return None if value is None or math.isnan(value) or value < 0 else float(value)


drive(measure)
