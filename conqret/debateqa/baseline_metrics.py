"""The metrics that Perspective Diversity and Dispute Awareness are compared with (DebateQA, B.1.2 and C.1): BLEU,
ROUGE-L, BARTScore (precision: the mean log-probability of an answer's tokens given a partial answer), SemScore (the
cosine of their embeddings), and metrics by a model. Of all of them more is better.

What they need is made ready first, and then all are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, Protocol

from conqret._optional import require
from conqret.data.digest import digest_of
from conqret.debateqa.score_table import EMPTY_ANSWER, ScoreRow
from conqret.debateqa.scoring import (
    SHOWN,
    AnswerCase,
    KeptValues,
    Likeness,
    acknowledges,
    model_name,
    why_unscored,
)
from conqret.errors import DeclarationError, MissingDependencyError, check_known, metric_name
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.local.models import encoder_weights, load_encoder, placed
from conqret.local.scorer import Seq2SeqLikelihood

if TYPE_CHECKING:
    import torch


EXTRA = "baselines"
BLEU_TOP = 100.0
"""sacrebleu's scale ends here, but for the last bits of a float."""


class Similarity(Protocol):
    """A text similarity metric, ready to be computed.

    ``instrument`` names the measuring model and its settings in tables. ``fingerprint`` changes with
    everything that the values depend on, so stored values with another one are not reused.
    """

    instrument: str
    fingerprint: str

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """Return for each case the mean similarity of its answer to its partial answers; none of these is
        empty."""


class _NamedMetric:
    """A metric whose name holds all settings and the version of its library."""

    def __init__(self, instrument: str, compute: Callable[[str, str], float]) -> None:
        self.instrument = self.fingerprint = instrument
        self._compute = compute

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The mean over each case's partial answers."""
        return [
            mean([self._compute(case.answer, partial_answer) for partial_answer in case.partial])
            for case in cases
        ]


def bleu() -> Similarity:
    """Return the metric sentence BLEU (sacrebleu): the answer is the candidate, one partial answer the
    reference; 0 to 100.

    Orders of n-grams that a short answer lacks are left out (effective order). The other settings are
    sacrebleu's defaults, and its signature is the measuring model's name.

    Raises:
        MissingDependencyError: sacrebleu is not installed.
    """
    scorer: Any = require("sacrebleu", extra=EXTRA).BLEU(effective_order=True)
    scorer.sentence_score("a", ["a"])  # the signature counts the references of a call
    return _NamedMetric(
        f"sacrebleu {scorer.get_signature()}",
        lambda answer, partial: min(BLEU_TOP, float(scorer.sentence_score(answer, [partial]).score)),
    )


def rouge_l() -> Similarity:
    """Return the metric ROUGE-L (rouge-score): the F-measure of the longest common subsequence of stemmed
    words; 0 to 1.

    With m words in the answer, n in the partial answer and an LCS of l: P = l/m, R = l/n, F = 2PR / (P + R).
    rouge-score keeps only words of unaccented Latin letters and digits, so texts in other scripts score 0.

    Raises:
        MissingDependencyError: rouge-score is not installed.
    """

    scorer: Any = require("rouge_score.rouge_scorer", extra=EXTRA).RougeScorer(["rougeL"], use_stemmer=True)
    return _NamedMetric(
        f"rouge-score {version('rouge-score')}, F-measure, stemmed",
        lambda answer, partial: float(scorer.score(partial, answer)["rougeL"].fmeasure),
    )


def mean(values: Sequence[float], detail: str = "") -> Likeness:
    """Return the mean of an answer's similarities to its partial answers (at least one) as a ``Likeness``."""
    return Likeness(sum(values) / len(values), detail=detail)


def cut(answer: int, partial: Sequence[int], window: int) -> str:
    """Return a remark on the tokens that were cut off; empty where nothing was.

    Args:
        answer: the number of tokens cut off the answer.
        partial: the number of tokens cut off each partial answer.
        window: the number of tokens that the model can read.
    """
    shortened = sum(count > 0 for count in partial)
    parts = [f"the answer's last {answer} tokens do not fit the window of {window}"] if answer else []
    parts += (
        [f"{shortened} of {len(partial)} partial answers were cut at {window} tokens"] if shortened else []
    )
    return "; ".join(parts)


BART_MODEL = "facebook/bart-large"
"""The paper's BART Large (DebateQA, Table 14)."""


class BartScore:
    """The metric BARTScore: ``(1/T) sum_t log P(answer_t | answer_<t, partial answer)``, averaged over
    partial answers.

    Values are below 0. This is the precision of Yuan et al. (2021), with a partial answer as the reference
    that generates the answer (DebateQA, B.1.2).

    Raises:
        DeclarationError: the model cannot be loaded.
    """

    def __init__(self, model: str = BART_MODEL) -> None:
        try:
            self._model = Seq2SeqLikelihood(model)
        except MissingDependencyError:
            raise
        except DeclarationError as error:
            raise DeclarationError(
                f"bartscore: {error} (give --backbone the folder of a model, or its name on a hub that can be reached)"
            ) from error
        self.fingerprint = self._model.fingerprint
        self.instrument = f"{model_name(model)}, precision ({self.fingerprint[:SHOWN]})"

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """Return for each case the mean over its partial answers; the reason in place of a value if one of them could
        not be scored. Cases have at least one partial answer, and the detail says what was cut to the model's window.
        """
        pairs = [(partial_answer, case.answer) for case in cases for partial_answer in case.partial]
        scores = iter(self._model.score(pairs))
        likenesses = []
        for case in cases:
            case_scores = [next(scores) for _ in case.partial]
            values = [score.mean for score in case_scores if score.mean is not None]
            detail = cut(
                case_scores[0].target_cut, [score.source_cut for score in case_scores], self._model.window
            )
            reason = next((score.reason for score in case_scores if score.mean is None), "")
            likenesses.append(Likeness(None, reason, detail) if reason else mean(values, detail))
        return likenesses


ENCODER_MODEL = "sentence-transformers/all-mpnet-base-v2"
"""The paper's encoder (DebateQA, Table 14)."""
BATCH_SIZE = 32
"""Texts embedded in one step: sentence-transformers' own default; it orders them by length."""


class SemScore:
    """The metric SemScore: the cosine of the embeddings of answer and partial answer, averaged over partial
    answers.

    Values are from -1 to 1 (Aynetdinov and Akbik 2024). Every text is embedded only once.

    Raises:
        DeclarationError: the encoder cannot be loaded.
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(self, model: str = ENCODER_MODEL) -> None:
        _, kind = placed(None, None)
        try:
            self._encoder: Any = load_encoder(model, extra=EXTRA)
        except DeclarationError as error:
            raise DeclarationError(f"semscore: {error}") from error
        window = self._encoder.get_max_seq_length() or math.inf
        self._window = 0 if math.isinf(window) else int(window)
        settings = [*encoder_weights(model), self._window, kind, repr(self._encoder)]
        self.fingerprint = digest_of(settings)
        self.instrument = f"{model_name(model)}, cosine ({self.fingerprint[:SHOWN]})"
        self._known: dict[str, tuple[torch.Tensor, int]] = {}
        """By text its unit vector, and how many tokens the encoder did not read."""

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """Return the mean cosine over each case's partial answers; without a value where an embedding is not
        a number."""
        self._embed([text for case in cases for text in (case.answer, *case.partial)])
        return [self._one(case) for case in cases]

    def _one(self, case: AnswerCase) -> Likeness:
        own, own_cut = self._known[case.answer]
        vectors, cuts = zip(*(self._known[partial_answer] for partial_answer in case.partial), strict=True)
        detail = cut(own_cut, cuts, self._window)
        values = [float(own @ vector) for vector in vectors]
        if any(map(math.isnan, values)):
            return Likeness(None, "the encoder gave a vector without a direction", detail)
        return mean([max(-1.0, min(1.0, value)) for value in values], detail)

    def _embed(self, texts: Sequence[str]) -> None:
        import torch

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if not new:
            return
        with torch.inference_mode():
            vectors = self._encoder.encode(
                new, batch_size=BATCH_SIZE, show_progress_bar=False, convert_to_tensor=True
            )
        vectors = vectors.double().cpu()
        vectors = vectors / vectors.norm(dim=1, keepdim=True)
        for text, vector in zip(new, vectors, strict=True):
            lost = 0
            if self._window:
                ids = self._encoder.tokenizer(text, truncation=False, verbose=False)["input_ids"]
                lost = max(0, len(ids) - self._window)
            self._known[text] = vector, lost


Kind = Literal["similarity", "asked", "text"]
"""Compared with the partial answers; by a model's response; read off the answer's text."""


BASELINES: Mapping[str, Kind] = {
    "bleu": "similarity",  # Papineni et al. 2002; DebateQA, B.1.2
    "rouge-l": "similarity",  # Lin 2004; DebateQA, B.1.2
    "bartscore": "similarity",  # Yuan et al. 2021; DebateQA, B.1.2
    "semscore": "similarity",  # Aynetdinov and Akbik 2024; DebateQA, B.1.2
    "direct-score": "asked",  # DebateQA, Table 10
    "g-eval": "asked",  # Liu et al. 2023; DebateQA, Table 10
    "num-of-povs": "asked",  # DebateQA, Table 10
    "acknowledge": "text",  # Sun et al. 2023 (DELPHI); DebateQA, C.1
}
"""The baselines, and how each is had. ``docs/perplexity.md`` says what they compute."""
DEFAULT = ("bleu", "rouge-l")
"""What needs neither weights nor a model's responses, and can tell answers apart."""


def selected(names: Iterable[str]) -> tuple[str, ...]:
    """Normalize the names of baseline metrics (``rouge_l`` to ``rouge-l``), and return each once, in order.

    Raises:
        UnknownNameError: there is no such baseline metric, or no name is given.
    """
    typed = dict.fromkeys(name.strip().lower().replace("_", "-") for name in names)
    check_known("baseline", BASELINES, *(typed or [""]))
    return tuple(typed)


def column_of(baseline: str) -> str:
    """Return a baseline metric's name in a table of scores, such as ``rouge_l`` for ``rouge-l``."""
    return metric_name(baseline)


CHUNK = 16
"""Answers that are compared together and then kept: enough to batch by length, few enough to lose little."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of BARTScore and SemScore: a folder, or a name on the hub."""

    bart: str = BART_MODEL
    encoder: str = ENCODER_MODEL


def prepared(
    baselines: Sequence[str], cases: Sequence[AnswerCase], models: Models, client: ClientOptions | None = None
) -> dict[str, Similarity]:
    """Load the similarity metrics among ``baselines``, and check that all others can be computed.

    ``client`` has the options of the model that judges (None: no metric needs one).

    Returns:
        A mapping from names to loaded similarity metrics.

    Raises:
        DeclarationError: a package or a model is missing, no question has what a metric needs, or the
            model cannot be called with these options.
    """
    for kind, there, need in (
        ("similarity", any(case.partial for case in cases), "a partial answer"),
        ("asked", any(case.question.strip() for case in cases), "a text"),
    ):
        wanting = [baseline for baseline in baselines if BASELINES[baseline] == kind]
        if wanting and not there:
            raise DeclarationError(
                f"no answered question has {need}, which {', '.join(wanting)} needs: give DebateQA's "
                "layout with --references, or map its columns with --columns"
            )
    if client is not None:
        for name in (baseline for baseline in baselines if BASELINES[baseline] == "asked"):
            client.backend.check_can_request(name)
        Client(client, store=None)
    makers: Mapping[str, Callable[[], Similarity]] = {
        "bleu": bleu,
        "rouge-l": rouge_l,
        "semscore": lambda: SemScore(models.encoder),
        "bartscore": lambda: BartScore(models.bart),
    }
    return {name: make() for name, make in makers.items() if name in baselines}


def baseline_rows(
    baselines: Sequence[str],
    cases: Sequence[AnswerCase],
    system: str,
    *,
    similarities: Mapping[str, Similarity],
    requested: Sequence[ScoreRow] = (),
    kept: KeptValues | None = None,
    on_answer: Callable[[int], None] = lambda done: None,
) -> list[ScoreRow]:
    """Return one row for each baseline metric and case, with the metrics in order; an empty answer has no value.

    Args:
        baselines: the names of the metrics.
        cases: the answers with their questions.
        system: the system's name.
        similarities: the loaded similarity metrics.
        requested: the rows of metrics that a model judged; those of other metrics are ignored.
        kept: a store of similarities; values found in it are reused, and new ones are added.
        on_answer: called with the number of cases compared so far, which starts anew with each similarity
            metric.
    """
    rows: list[ScoreRow] = []
    for baseline in baselines:
        metric = column_of(baseline)
        if BASELINES[baseline] == "text":
            for case in cases:
                row = ScoreRow(system, case.id, metric, "the first words of the answer", reason=EMPTY_ANSWER)
                if case.answer.strip():
                    row = replace(row, value=float(acknowledges(case.answer)), reason="")
                rows.append(row)
        elif BASELINES[baseline] == "asked":
            rows += [row for row in requested if row.metric == metric]
        else:
            compared = _compared(metric, similarities[baseline], cases, kept)
            for done, (case, found) in enumerate(zip(cases, compared, strict=True), start=1):
                instrument, n = similarities[baseline].instrument, len(case.partial)
                row = ScoreRow(
                    system, case.id, metric, instrument, found.value, n, found.reason, found.detail
                )
                rows.append(row)
                on_answer(done)
    return rows


def _compared(
    metric: str, similarity: Similarity, cases: Sequence[AnswerCase], kept: KeptValues | None
) -> Iterator[Likeness]:
    by = similarity.fingerprint
    for begin in range(0, len(cases), CHUNK):
        chunk = cases[begin : begin + CHUNK]
        known = [None if kept is None else kept.find(metric, by, case) for case in chunk]
        known = [
            Likeness(None, reason) if (reason := why_unscored(case)) else likeness
            for case, likeness in zip(chunk, known, strict=True)
        ]
        new = [case for case, likeness in zip(chunk, known, strict=True) if likeness is None]
        made = similarity.compare(new)
        for case, likeness in zip(new, made, strict=True):
            if kept is not None:
                kept.keep(metric, by, case, likeness)
        rest = iter(made)
        yield from (next(rest) if likeness is None else likeness for likeness in known)
