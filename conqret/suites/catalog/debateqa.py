"""DebateQA, alignment: whether a metric ranks systems as annotators do, from files that the user has."""

from __future__ import annotations

import math
from pathlib import Path

from conqret.debateqa.score_table import (
    LOWER_IS_BETTER,
    annotator_ratings,
    common_means,
    in_order,
    read_tables,
)
from conqret.io.pairs import read_comparisons
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteStatistic, SuiteVerdicts
from conqret.suites.suite_files import suite_file
from conqret.suites.suite_statistics import correlation, kendall_tau, over_groups, spearman_rho

METRIC = "rating"
PREFERENCES = "preferences.csv"
SEED = 13
"""The seed of the orders over which Elo ratings are averaged, as in ``conqret debateqa score correlate``."""


def read(folder: Path) -> SuiteData:
    """Read each annotator's Elo ratings of the systems as gold, and the systems' mean metric scores as logs.

    The scores come from tables of ``conqret debateqa score`` (``scores.parquet``), over the questions that
    the systems share. A metric for which lower is better is inverted.
    """
    ratings = annotator_ratings(read_comparisons(suite_file(folder, PREFERENCES)), SEED)
    tables = sorted([*folder.glob("**/scores.parquet"), *folder.glob("**/scores.csv")])
    gold = {
        f"{annotator or 'annotator'}/{system}": rating
        for annotator, ratings_of in ratings.items()
        for system, rating in ratings_of.items()
    }
    groups = {name: name.rpartition("/")[0] for name in gold}
    logs: dict[str, dict[str, dict[str, float]]] = {}
    if tables:
        table = read_tables(tables)
        compared = {system for ratings_of in ratings.values() for system in ratings_of}
        for metric in in_order(table, "metric"):
            sign = -1 if metric in LOWER_IS_BETTER else 1
            for instrument, means in common_means(table, metric, compared).items():
                judge = f"{metric} ({instrument})" if instrument else metric
                logs[judge] = {
                    METRIC: {
                        name: sign * means.means[system]
                        for name in gold
                        if (system := name.rpartition("/")[2]) in means.means
                    }
                }
    return SuiteData(gold={METRIC: gold}, clusters=groups, groups=groups, logs=logs)


def of_three(kind: str) -> SuiteStatistic:
    """Build the statistic that averages a rank correlation (``rho`` or ``tau``) of the systems over
    annotators.

    Annotators with fewer than three systems are left out.
    """
    compute = {"rho": spearman_rho, "tau": kendall_tau}[kind]

    def value(verdicts: SuiteVerdicts) -> float:
        return compute(verdicts) if len(verdicts) >= 3 else math.nan

    title = {"rho": "Spearman's rank correlation", "tau": "Kendall's tau-b"}[kind]
    return correlation(
        kind,
        f"{title} of the systems' mean scores with Elo's ratings of an annotator's preferences: mean over annotators",
        over_groups(value),
    )


_TABLE_14 = {
    "P.D. (GPT-2)": (0.825, 0.748),
    "P.D. (Qwen2 0.5B)": (0.820, 0.742),
    "G-Eval (GPT-4o)": (0.706, 0.634),
    "direct score (GPT-4o)": (0.692, 0.671),
    "BLEU": (0.667, 0.565),
    "G-Eval (GPT-3.5 Turbo)": (0.593, 0.531),
    "ROUGE-L": (0.537, 0.451),
    "BARTScore": (0.476, 0.397),
    "SemScore": (0.447, 0.375),
    "number of points of view (GPT-4o)": (0.398, 0.345),
    "G-Eval (Phi-3 mini)": (-0.003, -0.028),
}
SUITE = Suite(
    name="debateqa",
    title="DebateQA, alignment with annotators",
    question="Does a metric rank answering systems as annotators do?",
    source=(
        "Xu et al., DebateQA: Evaluating Question Answering on Debatable Knowledge, 2024, "
        "https://arxiv.org/abs/2408.01419"
    ),
    license="the preferences of the paper are not released: these are files of one's own",
    files=(
        SuiteFile(PREFERENCES, note="preferences of your own: first, second, preference, perhaps annotator"),
        SuiteFile(
            "scores.parquet", optional=True, note="conqret debateqa score; several tables may lie in folders"
        ),
    ),
    public_since="2024-08",
    task="rating",
    read=read,
    metrics=(METRIC,),
    statistics=(of_three("rho"), of_three("tau")),
    published=tuple(
        PublishedFigure(
            who,
            kind,
            value,
            3,
            "Table 14",
            note="the annotators' preferences and the systems' scores were not released",
        )
        for who, pair in _TABLE_14.items()
        for kind, value in zip(("rho", "tau"), pair, strict=True)
    ),
    folder="debateqa-alignment",
    about="debates and arguments",
)
