"""The metrics that Perspective Diversity and Dispute Awareness are compared with (DebateQA, B.1.2 and C.1): BLEU,
ROUGE-L, BARTScore (precision: the mean log-probability of an answer's tokens given a partial answer), SemScore (the
cosine of their embeddings), and metrics by a model. Of all of them more is better.

What they need is made ready first, and then all are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, Protocol

from conqret._optional import require
from conqret.data.digest import digest_of
from conqret.debateqa.score_table import EMPTY_ANSWER, NO_PARTIAL_ANSWERS, ScoreRow
from conqret.debateqa.scoring import SHOWN, AnswerCase, KeptValues, Likeness, acknowledges, model_name
from conqret.errors import DeclarationError, MissingDependencyError, UnknownNameError, check_known
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
    """A metric that is ready to compare. ``instrument`` is what measures, with its settings, for tables; values under
    another ``fingerprint``, which changes with all that they depend on, are not of use."""

    instrument: str
    fingerprint: str

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The likeness of each case, whose answer and partial answers are not empty."""


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
    """Sentence BLEU by sacrebleu: candidate the answer, reference one partial answer; 0 to 100.

    Orders of n-grams for which a short answer has none are left out (effective order); the other settings are
    sacrebleu's own, and its signature is the measuring model's name.

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
    """ROUGE-L by rouge-score: F-measure of the longest common subsequence of stemmed words; 0 to 1.

    With m words in the answer, n in the partial answer and an LCS of l: P = l/m, R = l/n, F = 2PR / (P + R).
    rouge-score keeps the words of Latin letters without accents and digits alone: texts in other scripts score 0.

    Raises:
        MissingDependencyError: rouge-score is not installed.
    """

    scorer: Any = require("rouge_score.rouge_scorer", extra=EXTRA).RougeScorer(["rougeL"], use_stemmer=True)
    return _NamedMetric(
        f"rouge-score {version('rouge-score')}, F-measure, stemmed",
        lambda answer, partial: float(scorer.score(partial, answer)["rougeL"].fmeasure),
    )


def mean(values: Sequence[float], detail: str = "") -> Likeness:
    """The likeness from the values of all partial answers (at least one)."""
    return Likeness(sum(values) / len(values), detail=detail)


def cut(answer: int, partial: Sequence[int], window: int) -> str:
    """What was left out, in words: tokens of the answer, and of how many partial answers some; empty for nothing."""
    shortened = sum(count > 0 for count in partial)
    parts = [f"the answer's last {answer} tokens do not fit the window of {window}"] if answer else []
    parts += (
        [f"{shortened} of {len(partial)} partial answers were cut at {window} tokens"] if shortened else []
    )
    return "; ".join(parts)


BART_MODEL = "facebook/bart-large"
"""The paper's BART Large (DebateQA, Table 14)."""


class BartScore:
    """``(1/T) sum_t log P(answer_t | answer_<t, partial answer)``, the mean over the partial answers; below 0.

    The precision of Yuan et al. (2021): the reference generates the candidate. The paper's candidate is the
    answer, its reference a partial answer (DebateQA, B.1.2).

    Raises:
        DeclarationError: the model cannot be loaded.
    """

    def __init__(
        self, model: str = BART_MODEL, *, device: str | None = None, dtype: str | None = None
    ) -> None:
        try:
            self._model = Seq2SeqLikelihood(model, device=device, dtype=dtype)
        except (MissingDependencyError, UnknownNameError):
            raise
        except DeclarationError as error:
            raise DeclarationError(
                f"bartscore: {error} (give --backbone the folder of a model, or its name on a hub that can be reached)"
            ) from error
        self.fingerprint = self._model.fingerprint
        self.instrument = f"{model_name(model)}, precision ({self.fingerprint[:SHOWN]})"

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The mean over each case's partial answers; no value where one of them could not be scored."""
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
    """``cos(e(answer), e(partial answer))``, the mean over the partial answers; -1 to 1 (Aynetdinov and Akbik 2024).

    Every text is embedded once, also where several questions share it.

    Raises:
        DeclarationError: the encoder cannot be loaded.
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(
        self, model: str = ENCODER_MODEL, *, device: str | None = None, dtype: str | None = None
    ) -> None:
        _, kind = placed(device, dtype)
        try:
            self._encoder: Any = load_encoder(model, device, dtype, extra=EXTRA)
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
        """The mean cosine over each case's partial answers; no value where an embedding has no direction."""
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
"""The baselines, and how each is had. ``docs/baselines.md`` says what they compute."""
DEFAULT = ("bleu", "rouge-l")
"""What needs neither weights nor a model's responses, and can tell answers apart."""


def selected(names: Iterable[str]) -> tuple[str, ...]:
    """The baselines of these names (``rouge_l`` is understood too), each once, in their order.

    Raises:
        UnknownNameError: there is no such baseline.
        DeclarationError: no name is given.
    """
    typed = dict.fromkeys(name.strip().lower().replace("_", "-") for name in names)
    check_known("baseline", BASELINES, *typed)
    if not typed:
        raise DeclarationError(f"no baseline is named; known: {', '.join(BASELINES)}")
    return tuple(typed)


def column_of(baseline: str) -> str:
    """Its name in a table of scores: ``rouge_l``."""
    return baseline.replace("-", "_")


CHUNK = 16
"""Answers that are compared together and then kept: enough to batch by length, few enough to lose little."""


@dataclass(frozen=True, slots=True)
class Models:
    """The neural metrics' models (a folder, or a name on a hub) and where they run."""

    bart: str = BART_MODEL
    encoder: str = ENCODER_MODEL
    device: str | None = None
    dtype: str | None = None


def prepared(
    baselines: Sequence[str], cases: Sequence[AnswerCase], models: Models, client: ClientOptions | None = None
) -> dict[str, Similarity]:
    """The similarity metrics among ``baselines``, loaded; nothing is computed before all are there.

    ``client`` are the options of the model whose answers are needed (None: no model's are).

    Raises:
        DeclarationError: a package or a model is missing, no question has what a metric needs, or the model cannot
            be called with these options.
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
        "semscore": lambda: SemScore(models.encoder, device=models.device, dtype=models.dtype),
        "bartscore": lambda: BartScore(models.bart, device=models.device, dtype=models.dtype),
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
    """One row a baseline and case, baselines in their order; those by a model's responses are there already
    (``requested``).

    ``kept`` gives values from before and takes in new ones. ``on_answer`` is called with how many cases were compared.
    """
    rows: list[ScoreRow] = []
    for baseline in baselines:
        metric = column_of(baseline)
        if BASELINES[baseline] == "text":
            for case in cases:
                value: float | None = float(acknowledges(case.answer))
                reason = ""
                if not case.answer.strip():
                    value, reason = None, EMPTY_ANSWER
                rows.append(
                    ScoreRow(system, case.id, metric, "the first words of the answer", value, 1, reason)
                )
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
        known = [_unfit(case) or (None if kept is None else kept.find(metric, by, case)) for case in chunk]
        new = [case for case, likeness in zip(chunk, known, strict=True) if likeness is None]
        made = similarity.compare(new)
        for case, likeness in zip(new, made, strict=True):
            if kept is not None:
                kept.keep(metric, by, case, likeness)
        rest = iter(made)
        yield from (next(rest) if likeness is None else likeness for likeness in known)


def _unfit(case: AnswerCase) -> Likeness | None:
    """Why a case cannot be compared; None where it can."""
    if not case.answer.strip():
        return Likeness(None, EMPTY_ANSWER)
    if not case.partial:
        return Likeness(None, NO_PARTIAL_ANSWERS)
    if not all(partial_answer.strip() for partial_answer in case.partial):
        return Likeness(None, "a partial answer of the question is empty")
    return None
