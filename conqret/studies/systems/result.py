"""Judges as rankers of systems: how far a judge's leaderboard orders systems as a reference does.

Coefficients, ties and missing runs are those of TREC AutoJudge's ``auto-judge-evaluate meta-evaluate``. What is added:
intervals over topics (jackknife-t, as everywhere in conqret), the mean over the topics' own rankings, tests between
judges, and how far a judge merely ranks by length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Literal

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.leaderboards import SystemLeaderboard, leaderboard, read_leaderboard
from conqret.io.reports import report_lengths
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.correlation import FEWEST_SYSTEMS
from conqret.stats.effects import holm
from conqret.stats.estimate import Estimate, JackknifedEstimate, Scale, without_value
from conqret.stats.resampling import mean
from conqret.studies.systems.ranked_systems import (
    MetaSettings,
    SystemMeasure,
    parsed,
    prepared,
    run_leaderboard,
)

Shape = Literal["ir_measures", "tot", "rag4reports", "trec_eval", "ranking", "jsonl"]
"""The file format of a leaderboard."""

LENGTH = "length"


class RankAgreement(Frozen):
    """One judge's measure beside one of the reference.

    ``overall`` has for each method the coefficient of the scores over all topics, ``by_topic`` the mean of the topics'
    own, ``topics`` these. ``runs`` counts the systems compared (without ``@``), ``tied`` says that the judge gives all
    the same score, and ``with_length`` is the mean of the topics' first coefficient of judge and reports' length.
    """

    judge: str
    measure: str
    truth_measure: str
    runs: int
    tied: bool
    overall: dict[str, Estimate]
    by_topic: dict[str, Estimate]
    topics: dict[str, dict[str, float | None]]
    with_length: Estimate | None = None


class RankDifference(Frozen):
    """The first method's coefficient in the mean of the topics of one judge less that of another, on the topics where
    both have one. From length, Holm's correction is over the judges; from the best, over all pairs of judges: which one
    is the best these topics say themselves, and where ten judges are equal, the correction over nine of the pairs would
    find one that is worse in 15% (Tukey's studentized range).

    Tested are the means of the topics, because a rank correlation of scores over all topics moves by steps: where no
    single topic turns a pair of systems, leaving topics out tells nothing of it. There is no p below six topics.
    """

    truth_measure: str
    judge: str
    measure: str
    other: str
    other_measure: str
    difference: Estimate
    p: float | None
    p_holm: float | None


class MetaEvaluation(Frozen):
    """All of it; ``from_best`` compares each judge with the one whose coefficient is highest, ``from_length`` with
    length."""

    truth: str
    topics: int
    settings: MetaSettings
    rows: tuple[RankAgreement, ...]
    from_best: tuple[RankDifference, ...]
    from_length: tuple[RankDifference, ...]
    notes: tuple[str, ...]


@strict_options
def systems(
    judges: Sequence[str | Path],
    truth: str | Path,
    *,
    format: Shape = "ir_measures",  # noqa: A002
    truth_format: Shape = "ir_measures",
    reports: Sequence[str | Path] = (),
    settings: MetaSettings | None = None,
) -> MetaEvaluation:
    """Evaluate judges at the system level: how far each ranks systems as a reference by people does.

    Args:
        judges: leaderboards: files, folders of files, or folders of ``conqret judge`` on TREC reports.
        truth: the reference, the leaderboard by people.
        format: the file format of the judges' leaderboards, and ``truth_format`` that of the reference.
        reports: the reports that were judged; their length is shown as one more judge.
        settings: which topics, systems, measures and coefficients are compared.

    Raises:
        DeclarationError: as :func:`meta_evaluate`, or a file cannot be read.
    """
    lengths = {key: words for path in reports for key, words in report_lengths(Path(path)).items()}
    boards = []
    for path, run in ((Path(judge), JudgeFolder(Path(judge))) for judge in judges):
        judged = run.record_file.is_file()
        boards.append(
            run_leaderboard(path.name, run.items(), run.finished())
            if judged
            else read_leaderboard(path, format)
        )
    reference = read_leaderboard(truth, truth_format)
    return meta_evaluate(reference, boards, settings, lengths=lengths if reports else None)


def meta_evaluate(
    truth: SystemLeaderboard,
    judges: Sequence[SystemLeaderboard],
    settings: MetaSettings | None = None,
    *,
    lengths: Mapping[tuple[str, str], int] | None = None,
) -> MetaEvaluation:
    """How far each judge ranks the systems as ``truth`` does.

    ``lengths`` are those of the systems' (run's) reports by topic: they make one more judge, called length.

    Raises:
        DeclarationError: fewer than three systems, gaps that are refused, no such measure, topic or method.
    """
    chosen = MetaSettings() if settings is None else settings
    methods = [parsed(method) for method in chosen.methods]
    if len(truth.runs) < FEWEST_SYSTEMS:
        raise DeclarationError(
            f"{truth.name} has {len(truth.runs)} runs: a ranking needs at least {FEWEST_SYSTEMS}"
        )
    boards = list(judges)
    if lengths is not None:
        words = leaderboard(LENGTH, (("words", run, topic, float(n)) for (run, topic), n in lengths.items()))
        shared = [topic for topic in truth.topics if topic in words.topics]
        boards.append(words.recomputed(shared))
    every = sorted({topic for board in (truth, *boards) for topic in board.topics})
    if chosen.shared:
        judged_topics = {topic for board in judges for topic in board.topics}
        every = [topic for topic in every if topic in truth.topics and topic in judged_topics]
    length_board = None if lengths is None else boards[-1]
    rows = []
    for board in boards:
        own = chosen
        if board.name == LENGTH:
            own = chosen.model_copy(update={"measures": (), "on_missing": "skip"})
        true_board, other = prepared(truth, board, judges, own)
        for truth_measure in _measures(true_board, chosen.truth_measures):
            for measure in _measures(other, own.measures):
                compared = SystemMeasure(true_board, other, truth_measure, measure, own.on_missing, every)
                rows.append(_row(compared, chosen, methods, length_board))
    tested = [row.topics[chosen.methods[0]] for row in rows]
    length = [place for place, row in enumerate(rows) if row.judge == LENGTH]
    judged = [place for place, row in enumerate(rows) if row.judge != LENGTH]
    best, beside = [], []
    for measure in dict.fromkeys(row.truth_measure for row in rows):
        own_places = [place for place in judged if rows[place].truth_measure == measure]
        means = {place: rows[place].by_topic[chosen.methods[0]].value for place in own_places}
        defined = {place: value for place, value in means.items() if value is not None}
        if defined:
            top = max(defined, key=defined.__getitem__)
            pairs = list(combinations([*(place for place in own_places if place != top), top], 2))
            differences = _differences(rows, tested, pairs, chosen)
            best += [found for pair, found in zip(pairs, differences, strict=True) if pair[1] == top]
        for other_place in length:
            if rows[other_place].truth_measure == measure:
                beside += _differences(rows, tested, [(place, other_place) for place in own_places], chosen)
    return MetaEvaluation(
        truth=truth.name,
        topics=len(every),
        settings=chosen,
        rows=tuple(rows),
        from_best=tuple(best),
        from_length=tuple(beside),
        notes=tuple(note for board in (truth, *judges) for note in board.notes),
    )


def _row(
    comparison: SystemMeasure,
    settings: MetaSettings,
    methods: Sequence[tuple[str, int | None]],
    words: SystemLeaderboard | None,
) -> RankAgreement:
    """The row of a judge, with how far it ranks as length (``words``) does."""
    runs, _, judged = comparison.aligned(
        comparison.truth.on(comparison.truth_measure), comparison.judge.on(comparison.measure), None
    )
    confidence, names = settings.confidence, dict(zip(settings.methods, methods, strict=True))
    topics = {name: comparison.on_topics(method) for name, method in names.items()}
    with_length = None
    if words is not None and comparison.judge.name != LENGTH:
        beside = replace(comparison, truth=words, truth_measure="words", on_missing="skip")
        with_length = _mean(beside.on_topics(methods[0]).values()).estimate(confidence)
    return RankAgreement(
        judge=comparison.judge.name,
        measure=comparison.measure,
        truth_measure=comparison.truth_measure,
        runs=len(runs),
        tied=len(judged) > 0 and judged.min() == judged.max(),
        overall={name: comparison.sampled(method).estimate(confidence) for name, method in names.items()},
        by_topic={name: _mean(scores.values()).estimate(confidence) for name, scores in topics.items()},
        topics=topics,
        with_length=with_length,
    )


def _differences(
    rows: Sequence[RankAgreement],
    tested: Sequence[Mapping[str, float | None]],
    pairs: Sequence[tuple[int, int]],
    settings: MetaSettings,
) -> list[RankDifference]:
    differences = []
    for place, other in pairs:
        steps = [
            value - beside
            for topic, value in tested[place].items()
            if value is not None and (beside := tested[other].get(topic)) is not None
        ]
        differences.append(_mean(steps, "plain"))
    # What is the same on all topics says nothing.
    raw = [difference.p() if difference.varies else None for difference in differences]
    return [
        RankDifference(
            truth_measure=rows[place].truth_measure,
            judge=rows[place].judge,
            measure=rows[place].measure,
            other=rows[other].judge,
            other_measure=rows[other].measure,
            difference=difference.estimate(settings.confidence),
            p=p,
            p_holm=p_holm,
        )
        for (place, other), difference, p, p_holm in zip(pairs, differences, raw, holm(raw), strict=True)
    ]


def _mean(values: Iterable[float | None], scale: Scale = "correlation") -> JackknifedEstimate:
    """The mean over the topics that have a value."""
    every = list(values)
    defined = [value for value in every if value is not None]
    if not defined:
        return without_value("no topic has a coefficient" if every else "there are no scores by topic")
    return mean(defined, scale=scale)


def _measures(board: SystemLeaderboard, wanted: Sequence[str]) -> list[str]:
    check_known(f"measure in {board.name}", board.measures, *wanted)
    return [name for name in board.measures if not wanted or name in wanted]
