"""Baselines of one system's answers: what they need is made ready first, and then all are computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conqret.debateqa.baselines import bartscore, semscore
from conqret.debateqa.baselines.metric_list import BaselineMetric
from conqret.debateqa.baselines.text_similarity import Likeness, Similarity, bleu, rouge_l
from conqret.debateqa.dispute_awareness import acknowledges
from conqret.debateqa.finished_scores import KeptValues
from conqret.debateqa.metric_requests import AnswerCase
from conqret.debateqa.score_table import EMPTY_ANSWER, NO_PARTIAL_ANSWERS, ScoreRow
from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions

CHUNK = 16
"""Answers that are compared together and then kept: enough to batch by length, few enough to lose little."""


@dataclass(frozen=True, slots=True)
class Models:
    """The neural metrics' models (a folder, or a name on a hub) and where they run."""

    bart: str = bartscore.DEFAULT_MODEL
    encoder: str = semscore.DEFAULT_MODEL
    device: str | None = None
    dtype: str | None = None


def prepared(
    baselines: Sequence[BaselineMetric],
    cases: Sequence[AnswerCase],
    models: Models,
    client: ClientOptions | None = None,
) -> dict[str, Similarity]:
    """The similarity metrics among ``baselines``, loaded; nothing is computed before all are there.

    ``client`` are the options of the model whose answers are needed (None: no model's are).

    Raises:
        DeclarationError: a package or a model is missing, no question has what a metric needs, or the model cannot
            be asked with these options.
    """
    for kind, there, need in (
        ("similarity", any(case.partial for case in cases), "a partial answer"),
        ("asked", any(case.question.strip() for case in cases), "a text"),
    ):
        wanting = [baseline.name for baseline in baselines if baseline.kind == kind]
        if wanting and not there:
            raise DeclarationError(
                f"no answered question has {need}, which {', '.join(wanting)} needs: give DebateQA's "
                "layout with --references, or map its columns with --columns"
            )
    if client is not None:
        for name in (baseline.name for baseline in baselines if baseline.kind == "asked"):
            client.backend.check_can_ask(name)
        Client(client, store=None)
    makers: Mapping[str, Callable[[], Similarity]] = {
        "bleu": bleu,
        "rouge-l": rouge_l,
        "semscore": lambda: semscore.SemScore(models.encoder, device=models.device, dtype=models.dtype),
        "bartscore": lambda: bartscore.BartScore(models.bart, device=models.device, dtype=models.dtype),
    }
    wanted = {baseline.name for baseline in baselines}
    return {name: make() for name, make in makers.items() if name in wanted}


def baseline_rows(
    baselines: Sequence[BaselineMetric],
    cases: Sequence[AnswerCase],
    system: str,
    *,
    similarities: Mapping[str, Similarity],
    asked: Sequence[ScoreRow] = (),
    kept: KeptValues | None = None,
    on_answer: Callable[[str, int], None] = lambda metric, number: None,
) -> list[ScoreRow]:
    """One row a baseline and case, baselines in their order; those that are ``asked`` of a model are there already.

    ``kept`` gives values from before and takes in new ones. ``on_answer`` is called with a baseline's name and the
    number of each case that is compared.
    """
    rows: list[ScoreRow] = []
    for baseline in baselines:
        if baseline.kind == "similarity":
            rows += _compared(baseline, similarities[baseline.name], cases, system, kept, on_answer)
        elif baseline.kind == "text":
            rows += [_acknowledged(baseline.metric, case, system) for case in cases]
        else:
            rows += [row for row in asked if row.metric == baseline.metric]
    return rows


def _compared(
    baseline: BaselineMetric,
    similarity: Similarity,
    cases: Sequence[AnswerCase],
    system: str,
    kept: KeptValues | None,
    on_answer: Callable[[str, int], None],
) -> list[ScoreRow]:
    metric, instrument = baseline.metric, similarity.instrument
    rows = []
    for begin in range(0, len(cases), CHUNK):
        chunk = cases[begin : begin + CHUNK]
        likenesses = {
            place: _unfit(case) or (None if kept is None else kept.find(metric, similarity.fingerprint, case))
            for place, case in enumerate(chunk)
        }
        places = [place for place in range(len(chunk)) if likenesses[place] is None]
        for place, likeness in zip(
            places, similarity.compare([chunk[index] for index in places]), strict=True
        ):
            likenesses[place] = likeness
            if kept is not None:
                kept.keep(metric, similarity.fingerprint, chunk[place], likeness)
        for place, case in enumerate(chunk):
            compared_likeness = likenesses[place] or Likeness(None, "not compared")
            rows.append(
                ScoreRow(system, case.id, metric, instrument, compared_likeness.value, len(case.partial),
                compared_likeness.reason, compared_likeness.detail)
            )  # fmt: skip
            on_answer(baseline.name, begin + place)
    return rows


def _unfit(case: AnswerCase) -> Likeness | None:
    """Why a case cannot be compared; None where it can."""
    if not case.answer.strip():
        return Likeness(None, EMPTY_ANSWER)
    if not case.partial:
        return Likeness(None, NO_PARTIAL_ANSWERS)
    if not all(partial_answer.strip() for partial_answer in case.partial):
        return Likeness(None, "a partial answer of the question is empty")
    return None


def _acknowledged(metric: str, case: AnswerCase, system: str) -> ScoreRow:
    name = "the first words of the answer"
    if not case.answer.strip():
        return ScoreRow(system, case.id, metric, name, None, 1, EMPTY_ANSWER)
    return ScoreRow(system, case.id, metric, name, float(acknowledges(case.answer)))
