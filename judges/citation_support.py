"""citation-support: for each cited sentence, whether the cited document supports it (claim level).

Citation precision is the share of the argument's citations (a sentence and one document that it cites)
that support their sentence; citation recall the share of its sentences that at least one of their
citations supports, uncited sentences counting as unsupported, and sentences with a contradicting citation
too (after ALCE, Gao et al. 2023, section 3, with single documents in place of sets). A citation of a
document that is not there supports nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from statistics import fmean
from typing import Annotated, Any, Literal

from conqret.data import Item, Measure, Part, Reason, Status
from conqret.judges._questions import mean_measure
from conqret.judging.deciding import METHOD, declared, expected
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.responses import Typed, Whole, each_once
from conqret.judging.scales import mean_of_parts
from conqret.llm.decisions import Decided, Question
from conqret.text.citations import citations
from conqret.text.sentences import sentences
from conqret.text.words import count_words

Verdict = Literal["supports", "contradicts", "silent"]

SENTENCE_WORDS = 4
"""Shorter pieces of an argument (headings, interjections) are no statements and do not count."""

MAX_CITATIONS = 200_000
"""Of one argument: seven characters ([1-100]) name a hundred, so that a page would take gigabytes."""

OUT_OF_RANGE = "no such document"


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of the argument, numbered from 1, with the document numbers it cites (valid or not)."""

    number: int
    text: str
    cites: tuple[int, ...]


class PairVerdict(Typed):
    """Whether one document bears out one sentence that cites it."""

    sentence: Whole
    document: Whole
    explanation: str
    verdict: Verdict


class CitationSupport(Typed):
    """A verdict for every pair."""

    verdicts: Annotated[
        list[PairVerdict], each_once(lambda v: (v.sentence, v.document), "pairs", "pair (sentence, document)")
    ]


@lru_cache(maxsize=64)
def statements(argument: str) -> tuple[CitedSentence, ...]:
    """Return the sentences of an argument that count as statements, with their citations.

    These are the sentences with a citation or with at least ``SENTENCE_WORDS`` words.
    """
    return tuple(
        CitedSentence(number, span.text, citations(span.text))
        for number, span in enumerate(sentences(argument), start=1)
        if count_words(span.text) >= SENTENCE_WORDS or citations(span.text)
    )


def too_many(item: Item) -> Measure | None:
    """Return a missing measure if the argument has more than ``MAX_CITATIONS`` citations; else None."""
    count = sum(len(statement.cites) for statement in statements(item.argument or ""))
    if count <= MAX_CITATIONS:
        return None
    return Measure.missing(
        Reason.CONTEXT_OVERFLOW, f"the argument has {count:,} citations, and {MAX_CITATIONS:,} are the most"
    )


def pairs(item: Item) -> list[tuple[int, int]]:
    """Return the pairs (sentence, document) to judge: every citation of an existing document."""
    return sorted(
        (statement.number, cited)
        for statement in statements(item.argument or "")
        for cited in statement.cites
        if 1 <= cited <= len(item.documents)
    )


def measures(item: Item, verdicts: Mapping[tuple[int, int], tuple[Verdict, str]]) -> Mapping[str, Measure]:
    """Compute citation precision and recall from the verdict and explanation of each (sentence, document) pair. A
    citation without a verdict is one of no document and supports nothing; a sentence that is also contradicted does not
    count as supported. Without citations, or sentences, the measure is missing."""
    statement_list, parts, supported = statements(item.argument or ""), [], 0
    for statement in statement_list:
        labels = set()
        for cited in statement.cites:
            label, explanation = verdicts.get((statement.number, cited), (OUT_OF_RANGE, ""))
            labels.add(label)
            parts.append(
                Part(
                    id=f"sentence {statement.number}, document {cited}",
                    value=float(label == "supports"),
                    label=label,
                    explanation=explanation,
                )
            )
        supported += "supports" in labels and "contradicts" not in labels
    hits, total = sum(part.label == "supports" for part in parts), len(statement_list)
    precision = Measure.missing(Reason.NOTHING_TO_JUDGE, "the argument cites nothing")
    if parts:
        precision = mean_of_parts(parts, f"{hits} of {len(parts)} citations support their sentence")
    if total:
        words = f"{supported} of {total} sentences are supported by what they cite"
        recall = Measure(status=Status.SCORED, value=supported / total, explanation=words)
    else:
        recall = Measure.missing(Reason.NOTHING_TO_JUDGE, "the argument has no sentence")
    return {"citation_precision": precision, "citation_recall": recall}


def settled(case: Case) -> Mapping[str, Measure] | None:
    """Return a mapping from metric to measure for an item that needs no request; else None.

    These are items without a citation of an existing document, and items with too many citations.
    """
    if (missing := too_many(case.item)) is not None:
        return dict.fromkeys(("citation_precision", "citation_recall"), missing)
    return None if pairs(case.item) else measures(case.item, {})


def score(reply: JudgeReply[CitationSupport], case: Case) -> Mapping[str, Measure]:
    """Compute citation precision and recall from the response's verdicts."""
    return measures(
        case.item, {(v.sentence, v.document): (v.verdict, v.explanation) for v in reply.value.verdicts}
    )


def variables(case: Case) -> Mapping[str, Any]:
    """Return the prompt variables: the sentences that cite existing documents, with their numbers."""
    count = len(case.item.documents)
    return {
        "cited_sentences": [
            CitedSentence(statement.number, statement.text, existing)
            for statement in statements(case.item.argument or "")
            if (existing := tuple(cited for cited in statement.cites if 1 <= cited <= count))
        ]
    }


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's verdict on each citation, from shared words, numbers, names and negation."""
    verdicts = {(v.sentence, v.document): v for v in case.evidence.citation_support()}
    return {
        "verdicts": [
            {
                "sentence": sentence,
                "document": document,
                "explanation": verdicts[sentence, document].explanation,
                "verdict": verdicts[sentence, document].label,
            }
            for sentence, document in pairs(case.item)
        ]
    }


SUPPORTS = {"supports": 1.0, "contradicts": 0.0, "silent": 0.0}
"""What an answer of a decision model counts."""


def questions(case: Case) -> dict[str, Question]:
    """Return one question for each pair of a sentence and a document that it cites."""
    return {
        f"sentence_{sentence}_document_{document}": declared("citation", sentence=sentence, document=document)
        for sentence, document in pairs(case.item)
    }


def _expected(decided: Decided, case: Case) -> list[tuple[CitedSentence, list[Measure], list[str]]]:
    """Return each statement with the measures and the names of its citations; a citation of no document has the value
    0."""
    existing, beyond = (
        set(pairs(case.item)),
        Measure(status=Status.SCORED, value=0.0, confidence={METHOD: 1.0}),
    )
    cited = []
    for statement in statements(case.item.argument or ""):
        measured = [
            expected(decided[f"sentence_{statement.number}_document_{document}"], SUPPORTS)
            if (statement.number, document) in existing
            else beyond.model_copy(update={"distribution": {OUT_OF_RANGE: 1.0}})
            for document in statement.cites
        ]
        names = [f"sentence {statement.number}, document {document}" for document in statement.cites]
        cited.append((statement, measured, names))
    return cited


def expected_precision(decided: Decided, case: Case) -> Measure:
    """Compute citation precision as the mean probability that a citation supports its sentence."""
    cited = _expected(decided, case)
    measured = [measure for _, of_citations, _ in cited for measure in of_citations]
    names = [name for _, _, of_citations in cited for name in of_citations]
    return mean_measure(measured, names, verdicts=True)


def expected_recall(decided: Decided, case: Case) -> Measure:
    """Compute citation recall as the mean probability, over statements, that a citation supports it and none
    contradicts it, as if the answers on its citations were independent.
    """
    recalled = []
    for _, measured, _ in _expected(decided, case):
        uncontradicted = prod(1 - one.distribution.get("contradicts", 0.0) for one in measured)
        silent = prod(one.distribution.get("silent", 1.0) for one in measured)
        recalled.append(max(0.0, uncontradicted - silent))
    return Measure(status=Status.SCORED, value=fmean(recalled), method=METHOD)


JUDGE = Judge(
    name="citation-support",
    summary="for each cited sentence whether the cited document supports it, contradicts it or says nothing",
    scale="supports, contradicts, silent",
    score="citation precision and citation recall of the argument, from these verdicts",
    source="own; after ALCE (Gao et al. 2023), section 3",
    judge_prompts=(
        JudgePrompt(
            prompt="citation-support",
            metrics=("citation_precision", "citation_recall"),
            needs=frozenset({"documents", "argument"}),
            response=CitationSupport,
            context=lambda case: {"pairs": pairs(case.item)},
            score=score,
            baseline=baseline,
            variables=variables,
            settled=settled,
            typed=lambda: TypedQuestions(
                questions,
                {"citation_precision": expected_precision, "citation_recall": expected_recall},
                lambda case: {
                    "argument": "",
                    "sentences": [
                        {"number": sentence.number, "text": sentence.text}
                        for sentence in variables(case)["cited_sentences"]
                    ],
                },
            ),
        ),
    ),
)
