"""What conqret measures, by the names that other tools give it: one table, for messages and for the documentation.

docs/you-know-it-as.md holds the table of :data:`KNOWN_AS`; a test holds the two equal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

_SUFFIXES = re.compile(r"(?:metric|score|scorer|evaluator)s?\Z")


@dataclass(frozen=True, slots=True)
class KnownAs:
    """A metric, what is typed for it behind ``conqret judge ITEMS``, and what other tools call it.

    ``metric`` is empty for what has no name of its own, as a criterion. ``names`` are by tool; ``differs`` says in a
    sentence what is not the same there.
    """

    metric: str
    typed: str
    names: Mapping[str, tuple[str, ...]]
    differs: str


KNOWN_AS = (
    KnownAs(
        "groundedness",
        "--metric groundedness",
        {
            "ragas": ("Faithfulness",),
            "DeepEval": ("FaithfulnessMetric",),
            "TruLens": ("groundedness_measure", "Groundedness"),
            "RAGChecker": ("faithfulness",),
            "TREC RAG": ("support",),
        },
        "A rating of the whole argument in steps, here; elsewhere a share of claims. TREC RAG assesses each sentence "
        "with what it cites: that is `citation_precision` and `citation_recall`.",
    ),
    KnownAs(
        "hallucination",
        "--metric hallucination",
        {"DeepEval": ("HallucinationMetric",), "RAGChecker": ("hallucination",)},
        "1 - groundedness: lower is better. DeepEval counts the passages that are contradicted, RAGChecker the claims "
        "that neither passages nor reference bear out.",
    ),
    KnownAs(
        "answer_relevance",
        "--metric answer_relevance",
        {
            "ragas": ("ResponseRelevancy", "AnswerRelevancy"),
            "DeepEval": ("AnswerRelevancyMetric",),
            "TruLens": ("relevance", "Answer Relevance"),
        },
        "A rating, here. ragas compares questions that it generates from the answer, DeepEval counts statements.",
    ),
    KnownAs(
        "context_relevance",
        "--metric context_relevance",
        {
            "ragas": ("ContextRelevance", "context_relevancy"),
            "DeepEval": ("ContextualRelevancyMetric",),
            "TruLens": ("context_relevance", "qs_relevance"),
            "TREC RAG": ("UMBRELA",),
        },
        "The mean rating of the documents, each from 0 to 5. DeepEval counts statements; UMBRELA rates from 0 to 3.",
    ),
    KnownAs(
        "predicted_precision",
        "--format rag-fine-grained --metric predicted_precision",
        {
            "ragas": ("ContextPrecision", "LLMContextPrecisionWithReference"),
            "DeepEval": ("ContextualPrecisionMetric",),
            "RAGChecker": ("context_precision",),
        },
        "The share of documents that are relevant. ragas and DeepEval weigh by rank, RAGChecker checks whether a "
        "passage bears out a claim of the reference.",
    ),
    KnownAs(
        "context_recall",
        "--format context-recall",
        {
            "ragas": ("LLMContextRecall", "ContextRecall"),
            "DeepEval": ("ContextualRecallMetric",),
            "RAGChecker": ("claim_recall",),
        },
        "The same, but for claims that are borne out in part, which count half here.",
    ),
    KnownAs(
        "correctness",
        "--format answer-correctness --metric correctness",
        {"ragas": ("FactualCorrectness(mode='precision')",), "RAGChecker": ("precision",)},
        "The same, but for halves.",
    ),
    KnownAs(
        "completeness",
        "--format answer-correctness --metric completeness",
        {"ragas": ("FactualCorrectness(mode='recall')",), "RAGChecker": ("recall",)},
        "The same, but for halves.",
    ),
    KnownAs(
        "correctness_f1",
        "--format answer-correctness --metric correctness_f1",
        {
            "ragas": ("FactualCorrectness", "AnswerCorrectness"),
            "RAGChecker": ("f1", "overall"),
            "inspect_ai": ("model_graded_fact",),
        },
        "The same as RAGChecker's, but for halves. ragas' `AnswerCorrectness` mixes it with the similarity of "
        "embeddings; inspect_ai has one grade, correct or not.",
    ),
    KnownAs(
        "citation_precision",
        "--format citation-support",
        {"ALCE": ("citation precision",), "TREC RAG": ("weighted precision",)},
        "Each cited document by itself. TREC RAG gives partial support half, here it counts as silent.",
    ),
    KnownAs(
        "citation_recall",
        "--format citation-support",
        {"ALCE": ("citation recall",), "TREC RAG": ("weighted recall",)},
        "Of all sentences, also those that cite nothing.",
    ),
    KnownAs(
        "preference",
        "--format direct --metric preference",
        {"DeepEval": ("ArenaGEval",), "MT-Bench": ("pairwise",)},
        "Both orders are requested, and a preference that turns with them is a tie.",
    ),
    KnownAs(
        "harmlessness",
        "--format harmlessness",
        {"DeepEval": ("ToxicityMetric",), "TruLens": ("harmfulness",)},
        "Higher is better here: it is harmlessness that is rated.",
    ),
    KnownAs(
        "",
        '--criterion "…"',
        {
            "ragas": ("AspectCritic", "SimpleCriteriaScore", "RubricsScore"),
            "DeepEval": ("GEval",),
            "inspect_ai": ("model_graded_qa",),
            "promptfoo": ("llm-rubric",),
            "MLflow": ("make_judge", "Guidelines"),
        },
        "A sentence that is met or not, or a question with a scale.",
    ),
)
"""Each metric once, with every name of another tool that comes near to it."""


def _key(name: str) -> str:
    """A name without what tools write differently: capitals, blanks and lines between words, ``Metric`` at its end."""
    return _SUFFIXES.sub("", re.sub(r"[\W_]+", "", name.casefold()))


_BY_NAME = {
    _key(name): row for row in reversed(KNOWN_AS) for names in row.names.values() for name in names
} | {_key(row.metric): row for row in KNOWN_AS if row.metric}


def named_here(name: str, known: Collection[str]) -> str:
    """Which of the metrics that are ``known`` other tools call ``name``, in a sentence; empty if none."""
    row = _BY_NAME.get(_key(name))
    return f"here it is {row.metric!r}" if row is not None and row.metric in known else ""


def _given_by(name: str, known: Collection[str]) -> list[str]:
    """What has to be given so that a score is called so, where it comes from nuggets or from a rubric."""
    from conqret.judging.criterion import AXIS, OVERALL, VITAL
    from conqret.judging.nugget_measures import METRICS

    given = []
    if name in METRICS and name not in known:
        given.append("nuggets that are judged (--nuggets FILE, or --format nuggets)")
    if name == VITAL and name not in known:
        given.append("a rubric with vital criteria (--rubric FILE)")
    if (name == OVERALL or name.startswith(AXIS)) and OVERALL not in known:
        given.append("a rubric (--rubric FILE)")
    return given


def elsewhere(name: str, known: Collection[str]) -> str:
    """What other tools call ``name`` here, or what gives a score of that name, with what to type for it; empty if
    nothing is known of that name."""
    if given := _given_by(name.casefold().replace("-", "_"), known):
        return f"it comes from {' or from '.join(given)}"
    row = _BY_NAME.get(_key(name))
    if row is None or row.metric == name in known:
        return ""
    if row.metric in known:
        return f"here it is {row.metric!r} (--metric {row.metric})"
    of_default = row.typed.startswith("--metric ")
    typed = f"{row.typed}, without --format, --criterion and --rubric" if of_default else row.typed
    if _key(row.metric) == _key(name):
        return f"another format has it ({typed})"
    what = repr(row.metric) if row.metric else "a criterion of your own"
    return f"here it is {what} ({typed})"
