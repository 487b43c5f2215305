"""Judges as rankers of systems: how far a judge's leaderboard orders systems as a reference does.

Coefficients, ties and missing runs are those of TREC AutoJudge's ``auto-judge-evaluate meta-evaluate``. What is added:
intervals over topics (jackknife-t, as everywhere in conqret), the mean over the topics' own rankings, tests between
judges, and how far a judge merely ranks by length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.leaderboards import ALL, SystemLeaderboard, leaderboard, read_leaderboard
from conqret.io.reports import report_lengths
from conqret.io.rows import listed
from conqret.judging.judge_folder import JudgeFolder
from conqret.stats.correlation import COEFFICIENTS, MIN_SYSTEMS, too_crowded
from conqret.stats.effects import holm
from conqret.stats.estimate import Scale
from conqret.stats.jackknife import JackknifedEstimate, without_value
from conqret.stats.resampling import mean, snapped
from conqret.studies.systems.ranked_systems import run_leaderboard
from conqret.studies.systems.result import (
    LENGTH,
    MetaEvaluation,
    MetaSettings,
    OnMissing,
    RankAgreement,
    RankDifference,
    parsed,
)

Shape = Literal["ir_measures", "tot", "rag4reports", "trec_eval", "ranking", "jsonl"]
"""The file format of a leaderboard."""


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
    """Evaluate judges at the system level: how well each ranks systems as a human leaderboard does.

    Args:
        judges: leaderboards: files, folders of files, or folders of ``conqret judge`` on TREC reports.
        truth: the reference, the human leaderboard.
        format: the file format of the judges' leaderboards.
        truth_format: the file format of the reference.
        reports: the judged reports; their length in words is evaluated as one more judge.
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
    """Compute how well each judge ranks the systems as ``truth`` does.

    ``lengths`` are the lengths of reports by system (run) and topic; they are evaluated as one more judge,
    called length.

    Raises:
        DeclarationError: there are fewer than three systems, a leaderboard has gaps that are refused, or
            there is no such measure, topic or method.
    """
    chosen = MetaSettings() if settings is None else settings
    methods = [parsed(method) for method in chosen.methods]
    if len(truth.runs) < MIN_SYSTEMS:
        raise DeclarationError(
            f"{truth.name} has {len(truth.runs)} runs: a ranking needs at least {MIN_SYSTEMS}"
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
        true_board, other = prepared(truth, board, every, own)
        for truth_measure in _measures(true_board, chosen.truth_measures):
            for measure in _measures(other, own.measures):
                compared = SystemMeasure(true_board, other, truth_measure, measure, own.on_missing, every)
                rows.append(_row(compared, chosen, methods, length_board))
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
            differences = _differences(rows, pairs, chosen)
            best += [found for pair, found in zip(pairs, differences, strict=True) if pair[1] == top]
        for other_place in length:
            if rows[other_place].truth_measure == measure:
                beside += _differences(rows, [(place, other_place) for place in own_places], chosen)
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
    """Return the row of a judge: its rank correlations with the reference, over all topics and by topic. With ``words``
    it also has the correlation with the ranking by length."""
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
    rows: Sequence[RankAgreement], pairs: Sequence[tuple[int, int]], settings: MetaSettings
) -> list[RankDifference]:
    differences, method = [], settings.methods[0]
    for place, other in pairs:
        others = rows[other].topics[method]
        steps = [
            value - beside
            for topic, value in rows[place].topics[method].items()
            if value is not None and (beside := others.get(topic)) is not None
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


SAME_MEAN = 0.001
"""How far a score over all topics may lie from their mean: auto-judge-evaluate's own tolerance, for rounded files."""


@dataclass(frozen=True)
class SystemMeasure:
    """One measure of a judge and one of the reference, over the systems and topics that are compared."""

    truth: SystemLeaderboard
    judge: SystemLeaderboard
    truth_measure: str
    measure: str
    on_missing: OnMissing
    topics: Sequence[str]

    def aligned(
        self, truth: Mapping[str, float], judged: Mapping[str, float], top: int | None
    ) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
        """Return the sorted names of the systems, and their scores by the reference and by the judge.

        With ``top``, only that many systems with the highest reference scores are included. Systems that the
        judge lacks get 0 if ``on_missing`` is ``default``, else they are left out.
        """
        runs = sorted(truth)
        if top is not None:
            runs = sorted(sorted(truth, key=lambda run: -truth[run])[:top])
        if self.on_missing != "default":
            runs = [run for run in runs if run in judged]
        return runs, np.array([truth[run] for run in runs]), np.array([judged.get(run, 0.0) for run in runs])

    def sampled(self, method: tuple[str, int | None]) -> JackknifedEstimate:
        """Compute the coefficient of the scores over all topics, and without each topic; the systems stay
        the same. ``method`` is a coefficient and the number of top systems (None: all).
        """
        name, top = method
        truth, judged = self.truth.on(self.truth_measure), self.judge.on(self.measure)
        runs, first_scores, other = self.aligned(truth, judged, top)
        value = _coefficient(name, first_scores, other)
        count = len(self.topics)
        sides = []
        for board, measure in ((self.truth, self.truth_measure), (self.judge, self.measure)):
            rows = [[board.on(measure, topic).get(run, np.nan) for topic in self.topics] for run in runs]
            sides.append(np.array(rows, dtype=float).reshape(len(runs), count))
        weights = np.concatenate([np.ones((1, count)), 1 - np.eye(count)]) if count else np.ones((1, 0))
        with np.errstate(invalid="ignore", divide="ignore"):
            means = [(weights @ np.nan_to_num(side).T) / (weights @ ~np.isnan(side).T) for side in sides]
        if self.on_missing == "default":
            means[1] = np.where([run in judged for run in runs], means[1], 0.0)
        apart = [
            ~(np.abs(side[0] - scores) <= SAME_MEAN)
            for side, scores in zip(means, (first_scores, other), strict=True)
        ]
        off = [run for side in apart for run in compress(runs, side)]
        pairs = zip(*(map(snapped, side[1:]) for side in means), strict=True)
        without = np.array([_coefficient(name, *pair) for pair in pairs])
        present = ~np.any([np.isnan(side).all(axis=0) for side in sides], axis=0)
        unsure = too_crowded(len(runs), int(present.sum()))
        if any(np.isnan(side).all() for side in sides):
            unsure = "there are no scores by topic"
        elif off:
            unsure = f"the scores over all topics are not the means of the topics ({listed(off, 2)})"
        why = "" if value == value else "one side gives all systems the same score"
        if why and len(runs) < MIN_SYSTEMS:
            why = f"{len(runs)} systems have both scores, and {MIN_SYSTEMS} are needed"
        return JackknifedEstimate(value, without, present, len(runs), why, "ranks", unsure)

    def on_topics(self, method: tuple[str, int | None]) -> dict[str, float | None]:
        """Return the coefficient on each topic that both sides have; None where it is not defined. ``method`` is as in
        :meth:`sampled`."""
        name, top = method
        coefficients: dict[str, float | None] = {}
        for topic in self.topics:
            truth, judged = self.truth.on(self.truth_measure, topic), self.judge.on(self.measure, topic)
            if truth and judged:
                _, first_scores, other = self.aligned(truth, judged, top)
                value = _coefficient(name, first_scores, other)
                coefficients[topic] = None if value != value else value
        return coefficients


def prepared(
    truth: SystemLeaderboard,
    judge: SystemLeaderboard,
    topics: Sequence[str],
    settings: MetaSettings,
) -> tuple[SystemLeaderboard, SystemLeaderboard]:
    """Return both leaderboards, restricted to the topics and systems to compare.

    Raises:
        DeclarationError: a leaderboard has gaps, and the settings refuse them.
    """
    if settings.on_missing == "error" and (gaps := [*truth.gaps(), *judge.gaps()]):
        more = f" (and {len(gaps) - 1} more such gaps)" if gaps[1:] else ""
        raise DeclarationError(
            f"{gaps[0]}{more}. Write --on-missing skip to leave gaps out, or default to count them as 0"
        )
    if settings.shared:
        truth, judge = truth.recomputed(topics), judge.recomputed(topics)
    if settings.shared or any("@" in method for method in settings.methods):
        runs = set(truth.runs) & set(judge.runs)
        truth, judge = truth.of_runs(runs), judge.of_runs(runs)
    truth, judge = (
        board if any(ALL in by_topic for by_topic in board.scores.values()) else board.recomputed()
        for board in (truth, judge)
    )
    if settings.on_missing == "error":
        _same_runs(truth, judge)
    return truth, judge


def _same_runs(truth: SystemLeaderboard, judge: SystemLeaderboard) -> None:
    if truth.topics and judge.topics and not set(truth.topics) & set(judge.topics):
        raise DeclarationError(
            f"{judge.name} and {truth.name} share no topic: check --format (or --truth-format), or write --on-missing "
            "skip where their topics differ"
        )
    for board, other in ((truth, judge), (judge, truth)):
        if lost := sorted(set(other.runs) - set(board.runs)):
            raise DeclarationError(
                f"{board.name} has no {listed(lost, 3)}, which {other.name} has. Write --only-shared, or "
                "--on-missing skip (or default, to count as 0 what a judge lacks)"
            )


def _coefficient(name: str, truth: NDArray[np.float64], judged: NDArray[np.float64]) -> float:
    if len(truth) < MIN_SYSTEMS or np.isnan(truth).any() or np.isnan(judged).any():
        return float("nan")
    return COEFFICIENTS[name](truth, judged)
