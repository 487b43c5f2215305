"""LLM-Rubric: the satisfaction of each of several named annotators with a conversation with an assistant."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from conqret.data import Item, Turn
from conqret.io.checks import identifier, number, one_of, whole_number
from conqret.io.rows import InvalidCell
from conqret.io.schema import TableReader
from conqret.stats.correlation import COEFFICIENTS
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts, printed
from conqret.suites.suite_files import MOVED, is_there, published, published_rows, published_text
from conqret.suites.suite_statistics import correlation, mean_labels, share

METRIC = "satisfaction"
QUESTION = (
    f"{METRIC}: How satisfied would the user be with the assistant in this conversation as a whole, from 1 (very "
    "dissatisfied) to 4 (very satisfied)? 1-4"
)
RATINGS = "human_judges_real_convs_FIXED_ANON.tsv"
MODEL = "gpt-3.5-turbo-16k_real_evaluations_FIXED.tsv"
CONVERSATIONS = "real_data.json"
EXPECTED, ARGMAX = "GPT-3.5-turbo-16k, expected rating", "GPT-3.5-turbo-16k, most probable rating"
SCALE = (1, 2, 3, 4)
RATING = published(
    id=("text_id", identifier), annotator=("annotator_id", identifier), rating=("Q0", whole_number)
)
PROBABILITIES = published(
    id=("text_id", identifier),
    criterion=("criterion", identifier),
    **{f"p{rating}": (f"answer{rating}_prob", number) for rating in SCALE},
)


def _turns(value: object, where: str, reader: TableReader) -> list[Turn]:
    """Return the messages of a conversation, each by the user or the assistant; a blank message has an empty text. In
    which order they stand is not checked.

    Raises:
        InvalidCell: the value is no list of messages, or a message has another role or no content.
    """
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        raise InvalidCell("is not a list of messages", MOVED)
    turns = []
    for message in value:
        role = one_of({"user": "user", "assistant": "assistant"}, "role")(message.get("role"), where, reader)
        content = message.get("content")
        if not isinstance(content, str):
            raise InvalidCell("has a message without content", MOVED)
        turns.append(
            Turn(role=role, content=published_text(content, where, reader) if content.strip() else "")
        )
    return turns


CONVERSATION = published(id=("_id", identifier), turns=("messages", _turns))


def read(folder: Path) -> SuiteData:
    """Read the conversations, the annotators' overall ratings, and the model's predictions as logs.

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
    """
    ratings: dict[str, dict[str, float]] = {}
    for row in published_rows(folder, RATINGS, RATING):
        if row["rating"] in SCALE:  # 0: not answered
            ratings.setdefault(row["id"], {})[row["annotator"]] = _share(row["rating"])
    items = [
        item
        for row in published_rows(folder, CONVERSATIONS, CONVERSATION, unique="id")
        if row["id"] in ratings and (item := _item(row["id"], row["turns"])) is not None
    ]
    return SuiteData(
        tuple(items),
        {METRIC: mean_labels(ratings)},
        {name: next(iter(labels)) for name, labels in ratings.items()},
        annotations={METRIC: ratings},
        logs=_logs(folder) if is_there(folder, MODEL) else {},
    )


def _item(name: str, turns: Sequence[Turn]) -> Item | None:
    """Return a conversation as an item: its last answer, the question before it, and the turns before that;
    None if there is no such pair."""
    answer = max((place for place, turn in enumerate(turns) if turn.role == "assistant"), default=0)
    asked = max((place for place in range(answer) if turns[place].role == "user"), default=None)
    if asked is None or not re.search(r"\S", turns[asked].content):
        return None
    return Item(
        id=name, topic=turns[asked].content, argument=turns[answer].content, messages=tuple(turns[:asked])
    )


def _logs(folder: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Return the logs EXPECTED and ARGMAX: for each conversation the expected and the most probable rating of question
    Q0, in [0, 1], by the model's token probabilities."""
    expected, likeliest = {}, {}
    for row in published_rows(folder, MODEL, PROBABILITIES, unique=("id", "criterion"), check=_sums_up):
        if row["criterion"] == "Q0":
            # what is lacking to 1 goes to the first three in equal parts, as the authors' script has it
            shares = [row[f"p{rating}"] for rating in SCALE]
            lacking = max(0.0, 1 - math.fsum(shares)) / 3
            shares = [share + lacking * (place < 3) for place, share in enumerate(shares)]
            expected[row["id"]] = _share(
                math.fsum(p * rating for p, rating in zip(shares, SCALE, strict=True))
            )
            likeliest[row["id"]] = _share(SCALE[max(range(len(SCALE)), key=shares.__getitem__)])
    return {EXPECTED: {METRIC: expected}, ARGMAX: {METRIC: likeliest}}


def _sums_up(row: dict[str, Any]) -> None:
    shares = [row[f"p{rating}"] for rating in SCALE]
    if min(shares) < 0 or math.fsum(shares) > 1 + 1e-6:
        raise InvalidCell(f"has probabilities whose sum is {math.fsum(shares):.3f}", MOVED, "answer1_prob")


def _share(rating: float) -> float:
    """A rating from 1 to 4 on the scale from 0 to 1."""
    return (rating - 1) / 3


def rmse(verdicts: SuiteVerdicts) -> float:
    """Return the root mean squared error between verdicts and gold, on the scale from 0 to 1."""
    return float(((verdicts.verdicts - verdicts.gold) ** 2).mean() ** 0.5)


def of_ratings(kind: str, verdicts: SuiteVerdicts) -> float:
    """Return a correlation (``kind``: a name in :data:`~conqret.stats.correlation.COEFFICIENTS`) between
    verdicts and ratings.
    """
    return COEFFICIENTS[kind](verdicts.gold, verdicts.verdicts)


_COMMITS = {
    RATINGS: "8026b7d52250eac9146ab6106e2c7cc897a89a85",
    CONVERSATIONS: "4bdffdd67a216c24a6fe711f0e5beb0417992dce",
    MODEL: "86040ced670946795fad63278448bff6a649e0e1",
}
_PRINTED = {
    ARGMAX: (1.201643, 0.140091, 0.086990, 0.081134),
    EXPECTED: (0.918676, 0.177301, 0.086675, 0.065928),
}
"""Root mean square error, Pearson, Spearman and Kendall."""
_BASELINES = "the baselines in the repository's README (question Q0)"
_CORRELATIONS = ("pearson", "spearman", "kendall")
SUITE = Suite(
    name="llm-rubric",
    title="LLM-Rubric, real conversations",
    question="How satisfied is each of several annotators with a conversation?",
    source=(
        "Hashemi et al., LLM-Rubric: A Multidimensional, Calibrated Approach to Automated Evaluation of Natural "
        "Language Texts, ACL 2024, https://aclanthology.org/2024.acl-long.745/"
    ),
    license="MIT: use and pass on with the notice",
    files=tuple(
        SuiteFile(name, "microsoft/LLM-Rubric", commit, f"data/real_data/{name}", optional=name == MODEL)
        for name, commit in _COMMITS.items()
    ),
    public_since="2024-08",
    task="rating",
    read=read,
    metrics=(METRIC,),
    baseline={"format": "listwise", "metrics": ("overall_quality",)},
    judging={"criteria": [QUESTION]},
    statistics=(
        *(
            correlation(kind, f"{title} with the overall rating{question}", partial(of_ratings, kind))
            for kind, title, question in (
                ("pearson", "Pearson's correlation", " (question Q0)"),
                ("spearman", "Spearman's rank correlation", ""),
                ("kendall", "Kendall's tau-b", ""),
            )
        ),
        share(
            "rmse",
            "root mean square error of the rating, on the scale from 0 to 1 (times 3: on that from 1 to 4)",
            rmse,
            lower_is_better=True,
        ),
    ),
    published=(
        *printed(
            {who: row[:1] for who, row in _PRINTED.items()}, ["rmse"], 6, _BASELINES, logged=True, times=3
        ),
        *printed({who: row[1:] for who, row in _PRINTED.items()}, _CORRELATIONS, 6, _BASELINES, logged=True),
        *printed(
            {"LLM-Rubric, trained on synthetic conversations": (0.313040, 0.367664, 0.290842)},
            _CORRELATIONS,
            6,
            "the repository's README",
            note="the predictions are not released: the network is trained anew for each annotator",
        ),
    ),
    whole={"items": 223, "annotators": 13, "logs": 2},
    folder="llm_rubric",
)
