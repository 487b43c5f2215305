"""TREC RAG 2026, development data: grades of documents by LLMs (Umbrela)."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.trec import read_qrels
from conqret.stats.classification import cohen_kappa, quadratic_kappa
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts
from conqret.suites.suite_files import is_there, suite_file
from conqret.suites.suite_statistics import correlation, value_of

METRIC = "umbrela"
GRADES = (0, 1, 2, 3, 4)
_QRELS = "rag25-climbmix-umbrela-{}.qrels"
GOLD = _QRELS.format("codex-gpt5.5-medium-reasoning-v1")
JUDGES = {
    "Qwen3.5-9B": _QRELS.format("qwen3.5-9b-v2"),
    "Ministral-3-14B-Instruct-2512": _QRELS.format("ministral-3-14b-instruct-2512-v2"),
}


def read(folder: Path) -> SuiteData:
    """Read the grades of Codex as gold, and those of other models as logs."""
    gold, topics = _grades(suite_file(folder, GOLD))
    logs = {
        judge: {METRIC: _grades(suite_file(folder, name))[0]}
        for judge, name in JUDGES.items()
        if is_there(folder, name)
    }
    return SuiteData(gold={METRIC: gold}, clusters=topics, logs=logs)


def _grades(path: Path) -> tuple[dict[str, float], dict[str, str]]:
    """Return the grades of a file of qrels, and the topic of each, both by TOPIC/DOCUMENT.

    Raises:
        DeclarationError: a line is not a grade, a grade is not from 0 to 4, a pair occurs twice, or there is
            no grade.
    """
    grades: dict[str, float] = {}
    topics: dict[str, str] = {}
    for line, qrel in enumerate(read_qrels(path), start=1):
        name = f"{qrel.query_id}/{qrel.doc_id}"
        if qrel.relevance not in GRADES:
            raise DeclarationError(
                f"{path}:{line} grades {name[:80]!r} {qrel.relevance}, but grades must lie between 0 and 4"
            )
        if name in grades:
            raise DeclarationError(f"{path}:{line} grades {name[:80]!r} a second time: fetch the file again")
        grades[name], topics[name] = float(qrel.relevance), qrel.query_id
    if not grades:
        raise DeclarationError(f"{path} contains no grades")
    return grades, topics


def grade_agreement(kind: str, verdicts: SuiteVerdicts) -> float:
    """Return Cohen's kappa of the grades: quadratically weighted for the ``kind`` ``quadratic``, else of
    relevant (2 or more) and not.
    """
    if kind == "quadratic":
        return value_of(quadratic_kappa(verdicts.gold, verdicts.verdicts, categories=GRADES))
    return value_of(cohen_kappa(verdicts.gold >= 2, verdicts.verdicts >= 2, categories=(0, 1)))


_FROM = ("TREC-RAG/trec-rag-data", "82923fab027487719f3ee8b3e47af18382ceb54b")
_FOLDER = "trec-rag-2026/development-data"
SUITE = Suite(
    name="trec-rag-2026",
    title="TREC RAG 2026, development data",
    question="How far do LLMs agree on how many sub-narratives of a topic a document answers?",
    source="TREC 2026 RAG track, https://github.com/TREC-RAG/trec-rag-data",
    license="the repository names none; the documents of ClimbMix are not part of it",
    files=tuple(
        SuiteFile(name, *_FROM, f"{_FOLDER}/rag25-dev-umbrela-qrels/{name}", optional=name != GOLD)
        for name in (GOLD, *JUDGES.values())
    ),
    public_since="2026-01",
    task="rating",
    read=read,
    metrics=(METRIC,),
    statistics=(
        correlation(
            "kappa_quadratic",
            "Cohen's kappa with squared weights with the grades (0 to 4) of Codex GPT-5.5",
            partial(grade_agreement, "quadratic"),
        ),
        correlation(
            "kappa_relevant",
            "Cohen's kappa of relevant (a grade from 2 on) and not",
            partial(grade_agreement, "relevant"),
        ),
    ),
    whole={"items": 26_341, "clusters": 22, "logs": 2},
    folder="trec_rag_2026",
    about="relevance of documents",
)
