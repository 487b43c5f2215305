"""Touché 2020, argument retrieval: the relevance of an argument to a question, from files that the user
has.
"""

from __future__ import annotations

from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.benchmarks import beir_rows
from conqret.io.cell_values import as_text
from conqret.io.checks import filled, identifier, json_object
from conqret.io.schema import TableReader
from conqret.suites.suite import Suite, SuiteData, SuiteFile
from conqret.suites.suite_files import data_of_rows, published, published_text
from conqret.suites.suite_statistics import correlation, kendall_tau, spearman_rho

METRIC = "relevance"
QUESTION = f"{METRIC}: How relevant is the argument to the question? 1-5"
QUERY = published(
    id=("_id", identifier),
    question=("text", filled),
    documents=("documents", lambda value, where, reader: value),
    grades=("grades", json_object),
)


def read(folder: Path) -> SuiteData:
    """Read the graded arguments of each question in BEIR's layout; arguments without a text are left out.

    The files are ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/test.tsv``.

    Raises:
        DeclarationError: a file is missing.
        ItemsError: rows are faulty; all are listed.
    """
    if not all((folder / name).is_file() for name in ("corpus.jsonl", "queries.jsonl")):
        raise DeclarationError(
            f"{folder} has no corpus.jsonl and queries.jsonl: fetch the suite, or put the folder webis-touche2020 of "
            "BEIR there"
        )
    rows, blank = [], 0
    reader = TableReader(beir_rows(folder), QUERY)
    for row in reader:
        grades = row["grades"]
        for document in row["documents"]:
            name = f"{row['id']}/{as_text(document['id'])}"
            if not as_text(document.get("text")):
                blank += 1
                continue
            argument = reader.checked(published_text, document["text"], "text")
            if argument is None or reader.checked(identifier, name, "corpus-id") is None:
                continue
            rows.append(
                {
                    "id": name,
                    "topic": row["question"],
                    "argument": argument,
                    METRIC: float(grades[document["id"]]),
                    "cluster": row["id"],
                }
            )
    reader.finish(wanted="graded arguments")
    notes = (f"{blank} arguments without a text are left out",) if blank else ()
    return data_of_rows(rows, METRIC, notes=notes)


SUITE = Suite(
    name="touche-2020",
    title="Touché 2020, argument retrieval",
    question="How relevant is an argument to a controversial question?",
    source="Bondarenko et al., Overview of Touché 2020: Argument Retrieval, CLEF 2020; in the layout of BEIR",
    license="CC-BY-4.0 (args.me corpus): use and pass on with attribution",
    files=tuple(
        SuiteFile(name, note="the data set webis-touche2020 of BEIR (version 2: 49 questions)")
        for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")
    ),
    public_since="2020-09",
    task="rating",
    read=read,
    metrics=(METRIC,),
    baseline={"format": "listwise", "metrics": ("global_relevance",)},
    judging={"criteria": [QUESTION]},
    statistics=(
        correlation(
            "spearman",
            "Spearman's rank correlation with the grades, over all questions together",
            spearman_rho,
        ),
        correlation("kendall", "Kendall's tau-b with the grades, over all questions together", kendall_tau),
    ),
    whole={"clusters": 49},
    folder="webis-touche2020",
    about="debates and arguments",
)
