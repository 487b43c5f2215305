"""Leaderboards of judges over suites, on which a judge is ahead only where a paired test on the same items
shows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, number
from conqret.show import words
from conqret.stats.effects import holm
from conqret.stats.estimate import Estimate
from conqret.suites.result import FILE_NAME, SuiteFigure, SuiteJudge, SuiteResult, read_result, result_file
from conqret.suites.suite import SUITES, PublishedFigure, Suite, SuiteData, SuiteStatistic
from conqret.suites.suite_fetch import local_copy
from conqret.suites.suite_statistics import RecomputedFigure, logged_figure, logged_results, recomputed

LEVEL = 0.05
"""A difference counts as shown if its p-value, corrected by Holm within a suite, is below this."""
DEBATES = "debates and arguments"
"""The subject of the first suites of a report."""


@dataclass(frozen=True, slots=True)
class LeaderComparison:
    """A comparison of a suite's leader with another judge on the same items.

    It has the figures of both, their difference with its interval, and the p-value with Holm's correction over the
    suite's judges (None: not testable).
    """

    leader: SuiteFigure
    other: SuiteFigure
    difference: Estimate
    p: float | None

    @property
    def shown(self) -> bool:
        """True if the leader is significantly better (corrected p below 0.05); False where it cannot be
        tested.
        """
        return self.p is not None and self.p < LEVEL


@dataclass(frozen=True)
class SuiteBoard:
    """The judges of one suite, ranked by its first statistic, best first.

    ``figures`` are published figures without verdicts, which cannot be tested. ``on_samples`` has figures
    of published judges on judged samples, by fingerprint and items. ``data`` is the content of the suite's
    files, if they are here.
    """

    suite: Suite
    results: tuple[SuiteResult, ...]
    figures: tuple[PublishedFigure, ...]
    on_samples: Mapping[tuple[str, str], SuiteFigure] = field(default_factory=dict)
    data: SuiteData | None = None

    @cached_property
    def recomputed(self) -> list[RecomputedFigure]:
        """The published figures compared with those recomputed from the suite's files; empty without the
        files.
        """
        return [] if self.data is None else recomputed(self.suite, self.data)

    def shared(self, one: SuiteResult, other: SuiteResult) -> tuple[SuiteFigure, SuiteFigure] | None:
        """Return the figures of two judges on the same items, or None if there are none or one has no value.

        For a published judge, the figure on the other judge's sample is used.
        """
        first, second = one.main, other.main
        if first.items_digest != second.items_digest:
            first = self.on_samples.get((one.judge.fingerprint, second.items_digest), first)
            second = self.on_samples.get((other.judge.fingerprint, first.items_digest), second)
        same = first.items_digest == second.items_digest and first.statistic == second.statistic
        defined = first.value is not None and second.value is not None
        lengths = {len(part) for figure in (first, second) for part in (figure.without, figure.sizes)}
        whole = len(lengths) == 1 and 0 not in lengths
        return (first, second) if same and defined and whole else None

    @property
    def statistic(self) -> SuiteStatistic:
        """The statistic that ranks the judges."""
        return self.suite.statistics[0]

    @cached_property
    def against_leader(self) -> tuple[LeaderComparison | None, ...]:
        """The comparison of the leader with each of the others; None for a judge without a value on the same items. The
        p-values are Holm's over all comparisons, and None where the leader is not the better one there."""
        pairs = [self.shared(self.results[0], other) for other in self.results[1:]]
        differences = [
            None if pair is None else pair[0].jackknifed.minus(pair[1].jackknifed) for pair in pairs
        ]
        p_values = holm([None if difference is None else difference.p() for difference in differences])
        better = -1 if self.statistic.lower_is_better else 1
        return tuple(
            None
            if pair is None or difference is None
            else LeaderComparison(*pair, difference.estimate(), None if better * difference.value <= 0 else p)
            for pair, difference, p in zip(pairs, differences, p_values, strict=True)
        )

    @property
    def compared(self) -> list[tuple[SuiteResult, LeaderComparison | None]]:
        """Each result with the comparison of the leader with it; None for the leader, too."""
        return list(zip(self.results, (None, *self.against_leader), strict=False))

    @property
    def level_with_leader(self) -> tuple[SuiteResult, ...]:
        """The leader, and the judges that are not shown to be worse."""
        return tuple(result for result, against in self.compared if against is None or not against.shown)

    @property
    def winner(self) -> SuiteResult | None:
        """The judge that is significantly better than every other one on the same items; None if there is
        none.
        """
        if len(self.results) > 1 and len(self.level_with_leader) == 1:
            return self.results[0]
        return None


@dataclass(frozen=True)
class SuiteReport:
    """A comparison of judges over suites: one board per suite."""

    boards: tuple[SuiteBoard, ...]
    notes: tuple[str, ...] = ()

    @property
    def answer(self) -> tuple[str, ...]:
        """Sentences that recommend a judge for each subject of suites."""
        groups = gathered((board.suite.about, board) for board in self.boards if board.results)
        models = _model_results(self.boards)
        return tuple(_advice(about, boards, models) for about, boards in groups.items())

    @property
    def facts(self) -> dict[str, Any]:
        """The report as plain data for JSON: the sentences of its ``answer``, and for each of its ``suites``
        the statistic, winner, judges and published figures."""
        return {
            "answer": list(self.answer),
            "suites": [
                {
                    "suite": board.suite.name,
                    "statistic": board.statistic.name,
                    "public_since": board.suite.public_since,
                    "winner": None if board.winner is None else board.winner.judge.name,
                    "judges": [_result_facts(*compared) for compared in board.compared],
                    "published": [
                        {"who": one.who, "value": one.value, "where": one.where} for one in board.figures
                    ],
                }
                for board in self.boards
            ],
        }


def _model_results(boards: Iterable[SuiteBoard]) -> list[dict[str, SuiteResult]]:
    """Return for each model that was run its results by suite, those with the most suites first. A fingerprint also
    depends on a suite's metrics, so results of one model count as one judge's, unless two fingerprints have judged the
    same suite: then the later one stays apart."""
    run = [result for board in boards for result in board.results if _is_model(result)]
    merged: dict[Any, dict[str, SuiteResult]] = {}
    for key, results in gathered(((one.judge.name, one.judge.fingerprint), one) for one in run).items():
        by_suite = {one.suite: one for one in results}
        model = results[0].judge.model
        merged.setdefault(key if merged.get(model, {}).keys() & by_suite else model, {}).update(by_suite)
    return sorted(merged.values(), key=lambda row: (-len(row), _judge_of(row).name))


def _judge_of(row: Mapping[str, SuiteResult]) -> SuiteJudge:
    return next(iter(row.values())).judge


def _usd(row: Mapping[str, SuiteResult]) -> float | None:
    """The price of a thousand items in US dollars, averaged over suites; None if one price is unknown."""
    known = [result.usd_per_thousand for result in row.values() if result.usd_per_thousand is not None]
    return sum(known) / len(known) if len(known) == len(row) else None


def _result_facts(result: SuiteResult, against: LeaderComparison | None) -> dict[str, Any]:
    figure = result.main
    return {
        "judge": result.judge.name,
        "fingerprint": result.judge.fingerprint,
        "published": result.judge.published,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "usd_per_1000": result.usd_per_thousand,
        "behind_leader": None if against is None else against.difference.value,
        "p": None if against is None else against.p,
        "shown_worse": bool(against and against.shown),
    }


def _advice(about: str, boards: Sequence[SuiteBoard], models: Sequence[Mapping[str, SuiteResult]]) -> str:
    """Return a sentence that recommends a judge among those that can be run: the cheapest that is nowhere shown to be
    worse than the best. Only suites on which a model was run count. If no judge or no price decides, the sentence says
    so."""
    judged = {board.suite.name: board for board in boards if any(map(_is_model, board.results))}
    runnable = [row for row in models if judged.keys() & row.keys()]
    head = f"{words.capitalised(about)}: "
    if not runnable:
        return (
            f"{head}no model was run, so none can be recommended; published judges are listed for comparison."
        )
    level = {id(one) for board in judged.values() for one in board.level_with_leader}

    def worse(row: Mapping[str, SuiteResult]) -> list[str]:
        """The suites on which a model is shown to be worse than the best."""
        return [
            board.suite.title for name, board in judged.items() if name in row and id(row[name]) not in level
        ]

    whole = [row for row in runnable if judged.keys() <= row.keys() and not worse(row)]
    if not whole:
        least = min(runnable, key=lambda row: len(worse(row)))
        where = "was not run on all suites"
        if titles := worse(least):
            where = f"is shown to be worse than the best on {words.listed(titles, 3)}"
        return f"{head}no judge is level with the best everywhere; {_judge_of(least).model} {where}."
    priced = [row for row in whole if _usd(row) is not None]
    if len(whole) > 1 and not priced:
        names = words.listed([_judge_of(row).model for row in whole], 3)
        return f"{head}{names} are not told apart; their prices are not known."
    taken = whole[0] if len(whole) == 1 else min(priced, key=lambda row: _usd(row) or 0.0)
    usd = _usd(taken)
    price = "price unknown" if usd is None else f"{words.money(usd)} for 1,000 items"
    level_with = [_judge_of(row).model for row in whole if row is not taken]
    others = f" {words.listed(level_with, 3)} are not told apart from it." if level_with else ""
    only = " It is the only model that was run." if len(runnable) == 1 else ""
    return (
        f"{head}take {_judge_of(taken).model} ({price}). On none of {number(len(judged), 'suite')} is another judge "
        f"shown to be better.{others}{only}"
    )


def _is_model(result: SuiteResult) -> bool:
    """Whether a result is of a model that was run, and of no baseline."""
    return not (result.judge.published or result.judge.baseline)


def suite_report(
    results: Iterable[str | Path | SuiteResult] = (),
    *,
    suites: Sequence[str] = (),
    source: str | Path | None = None,
) -> SuiteReport:
    """Compare judges over suites.

    Args:
        results: results of :func:`conqret.run_suite`, their files, folders of runs, or folders that
            collect results.
        suites: only these suites, including those with only published judges. Default: the suites of
            the results, or all without results.
        source: the folder of the suites' files, for the verdicts of published judges. Default: what
            was fetched, or ``CONQRET_DATA``.

    Returns:
        The boards of the suites, with notes.

    Raises:
        UnknownNameError: there is no such suite.
        DeclarationError: a file is not a result or is given twice, or there is nothing to show.
    """
    read = [one for place in results for one in _read(place)]
    wanted = {SUITES[name].name for name in suites}
    notes: list[str] = []
    strange = sorted({one.suite for one in read if one.suite not in SUITES})
    if strange:
        notes.append(f"results of suites that are not installed are left out: {', '.join(strange)}")
    own = gathered((one.suite, one) for one in read if one.suite in SUITES)
    names = [name for name in SUITES if (name in wanted if wanted else name in own or not read)]
    boards = [_board(SUITES[name], own.get(name, []), source, notes) for name in names]
    shown = tuple(
        board for board in boards if board.results or (board.data is not None and board.suite.published)
    )
    if not any(board.results for board in shown):
        raise DeclarationError(
            "no results to show: give results of conqret judges test, or fetch a suite with published verdicts "
            "(conqret judges suites)"
        )

    def order(board: SuiteBoard) -> tuple[bool, bool, str]:
        """Suites of debates first, then those on which a model was run."""
        return board.suite.about != DEBATES, not any(map(_is_model, board.results)), board.suite.about

    return SuiteReport(tuple(sorted(shown, key=order)), tuple(notes))


def _read(place: str | Path | SuiteResult) -> Iterator[SuiteResult]:
    """Yield a result that is given, the one in a file or a run's folder, or all in a folder of runs or of result files
    (``.json``), searched with its subfolders.

    Raises:
        DeclarationError: there is no result, or one cannot be read.
    """
    if isinstance(place, SuiteResult):
        yield place
    elif (folder := Path(place)).is_dir() and not result_file(folder).exists():
        runs = sorted(folder.rglob(FILE_NAME))  # next to which lie other files of a run
        files = runs or sorted(folder.rglob("*.json"))
        if not files:
            raise DeclarationError(
                f"{folder} contains no result: make one with conqret judges test -o {folder / 'NAME'}"
            )
        yield from map(read_result, files)
    else:
        yield read_result(place)


def _board(
    suite: Suite, results: Sequence[SuiteResult], source: str | Path | None, notes: list[str]
) -> SuiteBoard:
    seen = dict[str, SuiteResult]()
    for one in results:
        if (earlier := seen.get(one.digest)) is not None and earlier.figures != one.figures:
            notes.append(
                f"{suite.name}: {one.judge.name} stands twice on the same items; the newer one is shown"
            )
        if earlier is None or one.created > earlier.created:
            seen[one.digest] = one
    files = local_copy(suite, source)
    logged: list[SuiteResult] = []
    on_samples: dict[tuple[str, str], SuiteFigure] = {}
    data: SuiteData | None = None
    if files is not None:
        try:
            data = suite.data(files)
            logged = list(logged_results(suite, data))
            samples = {one.sample.model_dump_json(): one.sample for one in results if one.sample is not None}
            for log in logged:
                for sample in samples.values():
                    if (figure := logged_figure(suite, data, log.judge.model, sample)) is not None:
                        on_samples[log.judge.fingerprint, figure.items_digest] = figure
        except DeclarationError as error:
            notes.append(f"{suite.name}: its published verdicts cannot be read: {error}")
    elif any(figure.log for figure in suite.published):
        notes.append(
            f"{suite.name}: its published verdicts are not here (conqret judges suites {suite.name} --fetch)"
        )
    there = {one.judge.model for one in logged}
    figures = tuple(
        figure
        for figure in suite.published
        if figure.judge and figure.statistic == suite.statistics[0].name and figure.log not in there
    )
    # another version of the suite may have had another first statistic
    alike = [one for one in (*seen.values(), *logged) if one.main.statistic == suite.statistics[0].name]
    sign = 1 if suite.statistics[0].lower_is_better else -1
    ordered = sorted(alike, key=lambda one: (one.main.value is None, sign * (one.main.value or 0.0)))
    return SuiteBoard(suite, tuple(ordered), figures, on_samples, data)
