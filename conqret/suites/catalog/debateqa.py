"""DebateQA, alignment: whether a metric orders answers as annotators do, from files that the user has."""

from __future__ import annotations

import math
from pathlib import Path

from conqret.debateqa.human_alignment import NO_ITEMS, question_points, signed_answers
from conqret.debateqa.score_table import in_order, read_tables
from conqret.errors import DeclarationError
from conqret.io.pairs import read_comparisons
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteStatistic, SuiteVerdicts, printed
from conqret.suites.suite_files import suite_file
from conqret.suites.suite_statistics import correlation, kendall_tau, over_groups, spearman_rho

METRIC = "rating"
PREFERENCES = "preferences.csv"


def read(folder: Path) -> SuiteData:
    """Read each annotator's ranking of the answers to a question as gold, and the answers' metric scores as logs.

    The scores come from tables of ``conqret debateqa score`` (``scores.parquet``). A metric for which lower
    is better is negated.

    Raises:
        DeclarationError: a file cannot be read, or no preference names its question.
    """
    file = suite_file(folder, PREFERENCES)
    points = question_points(read_comparisons(file))
    if not points:
        raise DeclarationError(f"{file}: {NO_ITEMS}")
    names = {
        f"{annotator or 'annotator'}/{item}/{system}": (item, system)
        for (annotator, item), won in points.items()
        for system in won
    }
    values = [value for won in points.values() for value in won.values()]
    gold = dict(zip(names, values, strict=True))
    tables = sorted([*folder.glob("**/scores.parquet"), *folder.glob("**/scores.csv")])
    logs: dict[str, dict[str, dict[str, float]]] = {}
    for table in [read_tables(tables)] if tables else []:
        for metric in in_order(table, "metric"):
            for instrument in in_order(table.filter(metric=metric), "instrument"):
                answers = signed_answers(table, metric, instrument)
                logs[f"{metric} ({instrument})" if instrument else metric] = {
                    METRIC: {
                        name: answers[item][system]
                        for name, (item, system) in names.items()
                        if system in answers.get(item, {})
                    }
                }
    return SuiteData(
        gold={METRIC: gold},
        clusters={name: item for name, (item, _) in names.items()},
        groups={name: name.rpartition("/")[0] for name in names},
        logs=logs,
    )


def mean_rank_correlation(kind: str) -> SuiteStatistic:
    """Build the statistic that averages a rank correlation (``rho`` or ``tau``) of the answers to a question over
    annotators and questions.

    Questions with fewer than three answers are left out.
    """
    compute = {"rho": spearman_rho, "tau": kendall_tau}[kind]

    def value(verdicts: SuiteVerdicts) -> float:
        return compute(verdicts) if len(verdicts) >= 3 else math.nan

    title = {"rho": "Spearman's rank correlation", "tau": "Kendall's tau-b"}[kind]
    return correlation(
        kind,
        f"{title} of the scores of the answers to a question with an annotator's preferences: mean over annotators and "
        "questions",
        over_groups(value),
    )


_TABLE_14 = {
    "P.D. (Phi-3 mini)": (0.733, 0.701),
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
    question="Does a metric order the answers to a question as annotators do?",
    source=(
        "Xu et al., DebateQA: Evaluating Question Answering on Debatable Knowledge, 2024, "
        "https://arxiv.org/abs/2408.01419"
    ),
    license="the preferences of the paper are not released: these are files of one's own",
    files=(
        SuiteFile(
            PREFERENCES,
            note="preferences of your own: first, second, preference, item (the question), perhaps annotator",
        ),
        SuiteFile(
            "scores.parquet", optional=True, note="conqret debateqa score; several tables may lie in folders"
        ),
    ),
    public_since="2024-08",
    task="rating",
    read=read,
    metrics=(METRIC,),
    statistics=(mean_rank_correlation("rho"), mean_rank_correlation("tau")),
    published=printed(
        _TABLE_14,
        ("rho", "tau"),
        3,
        "Table 14",
        note="the annotators' preferences and the systems' scores were not released",
    ),
    folder="debateqa-alignment",
    about="debates and arguments",
)
