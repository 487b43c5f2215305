"""A tournament as a run: comparisons in rounds, each planned from those before it; recorded, resumable.

Apart from ``run.json`` and ``recordings.sqlite`` the folder holds ``items.jsonl``, ``rounds.json`` (the pairs of each
round, written before they are requested), ``comparisons.jsonl`` (a line each, as they come), and in the end what
every run of a judge has: ``judgments.jsonl``, ``scores.parquet`` and ``summary.json``, with the strength of each
item as its score; and ``tournament.json``. The same command again goes on with the same pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

from scipy.special import expit

from conqret.data import Judgment, Measure, Part, Reason, Status, Trace
from conqret.data.criterion import Criterion
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, check_known, number, strict_options
from conqret.io.jsonl import compact
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.cost import expected_judging
from conqret.judging.instrument import Instrument
from conqret.judging.judge import Items, prepared
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import SampleSettings
from conqret.judging.judge_parts import TOURNAMENT, Judge
from conqret.judging.judge_settings import ItemSettings, opened
from conqret.judging.judgments import judge_in_span, span_attributes
from conqret.llm.client_options import ClientOptions
from conqret.runs.dry_run import Counted
from conqret.runs.request_run import RunSettings, WatchSettings
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import SessionCounts
from conqret.runs.trials import RowStore
from conqret.stats.comparative_judgment import check_sizes
from conqret.stats.pair_design import GroupPairs
from conqret.studies.study_judging import JudgedRun, study_folder
from conqret.studies.tournament.comparison import COMPARISON, comparison_criterion, comparison_judge
from conqret.studies.tournament.item_groups import (
    BESIDE,
    Design,
    ItemGroup,
    TournamentOptions,
    comparison_id,
    item_groups,
    item_systems,
    pair_item,
)
from conqret.studies.tournament.ranking import STRENGTH, PairSchedule, TournamentPlan, tournament_result
from conqret.studies.tournament.result import PREFERENCE, ComparisonRow, RankedItem, Tournament

if TYPE_CHECKING:
    from conqret.llm.backends.function import Function


ENDED = frozenset({Reason.BUDGET, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES})
"""Why answers are missing once nothing more is sent: no further round is planned then."""


PlannedPair = tuple[int, int, int]
"""A pair: the number of the group, the places of the first and of the second item in it."""


class PlannedRounds(Frozen):
    """The pairs of each round, as stored in the run's folder."""

    rounds: tuple[tuple[PlannedPair, ...], ...]


@dataclass(frozen=True)
class TournamentFolder(JudgeFolder):
    """The folder of a tournament: the files of a judge's run, the comparisons, and the result. Its ``rows`` are the
    comparisons; the judgments are those of a :class:`JudgeFolder` at the same path."""

    COMMAND: ClassVar[str] = "conqret tournament"

    comparisons_file = InFolder("comparisons.jsonl")
    rounds_file = InFolder("rounds.json")
    tournament_file = InFolder("tournament.json")
    page_file = InFolder("tournament.html")
    markdown_file = InFolder("tournament.md")

    @staticmethod
    def key(row: ComparisonRow) -> str:
        """Return the key of a comparison in the store of rows."""
        return row.id

    def rows(self) -> RowStore[ComparisonRow]:  # type: ignore[override]
        """Open the store of comparisons; those without a scored judgment are made again."""
        return RowStore(
            self.comparisons_file,
            ComparisonRow,
            self.key,
            finished=lambda row: row.judgment.status is Status.SCORED,
        )

    def tournament(self) -> Tournament:
        """Read the result of a finished tournament.

        Raises:
            DeclarationError: the folder has no finished tournament.
        """
        return self.result(self.tournament_file, Tournament)


def run_tournament(plan: TournamentPlan, **settings: Any) -> Tournament:
    """Run a planned tournament, write its files to the plan's folder (if it has one), and return the result;
    ``settings`` are those of the run.

    Raises:
        Counted: it is a dry run; the exception has the expected costs.
    """
    setups = [setup.in_one_order(PREFERENCE) for setup in plan.setups]
    if settings.get("dry_run"):
        first = plan.schedule.first_pairs()
        raise Counted([expected_judging(one, first, by=f"{one.judge.name} (pairs)") for one in setups])
    items, groups = number(plan.checked.count, "item"), number(len(plan.groups), "group")
    about = f"{items} in {groups} from {plan.source.name}, compared by"
    clients, own = [setup.client for setup in setups], {**settings, "prompts": setups[0].library}
    with study_folder(TournamentFolder, plan.output, settings) as folder:
        begin = partial(folder.write_items, plan.source, plan.checked)
        run_facts: Any = {"total": plan.total, "about": about, "by": ", ".join(plan.judges)}
        with JudgedRun(folder, clients, own, plan.record, begin=begin, **run_facts) as run:
            begin()  # what an earlier run wrote may be corrupt
            instruments = [setup.instrument(run.client(setup.client)) for setup in setups]
            run.span = f"compare {setups[0].judge.name}", span_attributes(*instruments)
            _compare(plan, run, folder, instruments)
            rows: list[ComparisonRow] = list(run.arranged())
            return _concluded(plan, folder, rows, **run.done)


def _compare(
    plan: TournamentPlan, run: JudgedRun, folder: TournamentFolder, instruments: Sequence[Instrument]
) -> None:
    """Request the comparisons of each round, and write the plan of each new round before it. Rounds of an earlier run
    are repeated as they were planned.

    After a round in which the budget or the provider ended the run, nothing more is sent; later rounds then only
    collect what an earlier run has. It ends when the wanted reliability is reached or no pair is left.
    """
    pairs, planned = plan.schedule.group_pairs(), list[tuple[PlannedPair, ...]]()
    if folder.rounds_file.is_file():
        planned += folder.result(folder.rounds_file, PlannedRounds).rounds
    known, rows = len(planned), list[ComparisonRow]()
    ended = False
    for nth in range(max(map(len, plan.schedule.sizes))):
        if nth < known:
            for group, first, second in planned[nth]:
                pairs[group].take(first, second)
        elif ended or not (chosen := _round(plan, nth, pairs, rows)):
            return
        else:
            planned.append(chosen)
            write_whole(folder.rounds_file, PlannedRounds(rounds=tuple(planned)).model_dump_json().encode())
        units = [(pair, instrument) for pair in planned[nth] for instrument in instruments]
        asked = run.request_all(_compared(plan, run, nth + 1, *unit, only_kept=ended) for unit in units)
        made = [row for row in asked if row is not None]
        rows += made
        ended = ended or any(row.measure.reason in ENDED for row in made)
        if ended or nth + 1 < known:  # as far as it came before, whatever would be decided now
            continue
        wanted = plan.options.reliability
        if wanted is not None and (plan.strengths(rows).reliability() or 0.0) >= wanted:
            return


async def _compared(
    plan: TournamentPlan,
    run: JudgedRun,
    nth: int,
    pair: PlannedPair,
    instrument: Instrument,
    *,
    only_kept: bool,
) -> ComparisonRow | None:
    """Request one comparison, or return the row that an earlier run has; with ``only_kept``, None if there is no such
    row."""
    group = plan.groups[pair[0]]
    first, second = (group.items[place] for place in pair[1:])
    item, judge = pair_item(first, second), instrument.model if plan.judges else ""
    key = comparison_id(item.id, judge)

    async def made() -> ComparisonRow:
        judgment = await judge_in_span(item, instrument)
        names: Any = {"group": group.name, "first": first.id, "second": second.id, "judge": judge}
        return ComparisonRow(id=key, round=nth, judgment=judgment, **names)

    if only_kept and run.rows.get(key) is None:
        return None
    row: ComparisonRow = await run.row(key, made)
    return row


def _round(
    plan: TournamentPlan, nth: int, pairs: Sequence[GroupPairs], rows: Sequence[ComparisonRow]
) -> tuple[PlannedPair, ...]:
    """Choose the pairs of round ``nth`` (from 0), and take them out of ``pairs``. Groups whose best items are settled,
    or that have no pair left in this round, are left out."""
    options = plan.options
    by_strength = options.design == "adaptive"
    strengths = plan.strengths(rows) if by_strength or options.stops_early else None
    chosen = []
    for group, (each, sizes) in enumerate(zip(pairs, plan.schedule.sizes, strict=True)):
        if nth >= len(sizes) or (nth and strengths and plan.settled(strengths, group)):
            continue
        if by_strength and strengths:
            drawn = each.informative(sizes[nth], strengths, group)
        else:
            drawn = each.at_random(sizes[nth])
        chosen += [(group, first, second) for first, second in drawn]
    return tuple(chosen)


def _concluded(
    plan: TournamentPlan,
    folder: TournamentFolder,
    rows: Sequence[ComparisonRow],
    session: SessionCounts,
    missing: tuple[str, ...],
) -> Tournament:
    """Compute the result of a tournament from its comparisons, write its files (judgments, summary, result), and return
    it. Every item gets a judgment with its strength."""
    record = plan.record
    tournament = tournament_result(plan, rows, session, missing)
    ranked = {item.id: item for group in tournament.groups for item in group.items}
    calls: dict[str, list[Any]] = {}
    reasons: dict[str, Measure] = {}
    for row in rows:
        calls.setdefault(row.first, []).extend(row.judgment.trace.calls)
        if row.measure.value is None:
            reasons.update({row.first: row.measure, row.second: row.measure})
    judgments = [
        Judgment(
            item=item.id,
            topic=item.topic,
            stance=item.stance,
            format=TOURNAMENT.name,
            model=record.model,
            fingerprint=record.fingerprint,
            measures={STRENGTH: _measure(ranked[item.id], reasons.get(item.id))},
            version=item.version,
            trace=Trace(calls=tuple(calls.get(item.id, ()))),
        )
        for item in folder.items()
    ]
    lines = (compact(judgment.model_dump(mode="json")) + b"\n" for judgment in judgments)
    write_whole(folder.judgments_file, b"".join(lines))
    with JudgeFolder(folder.path).rows() as judged:
        folder.write_results(judged, session)
    write_whole(folder.tournament_file, tournament.model_dump_json(indent=1).encode() + b"\n")
    return tournament


def _measure(item: RankedItem, lost: Measure | None) -> Measure:
    """Return the strength of an item as a score: the value is the probability that it wins against an average item of
    its group, ``raw`` the strength itself; standard error, interval and number of comparisons are parts. An item
    without any comparison is missing, with the reason of ``lost`` if its comparisons failed."""
    if not item.comparisons:
        if lost is not None and lost.reason is not None:
            return Measure.missing(lost.reason, lost.detail)
        return Measure.missing(Reason.NOTHING_TO_JUDGE, "it was compared with no other item")
    numbers = {"standard_error": item.standard_error, "low": item.low, "high": item.high}
    parts = tuple(Part(id=name, raw=number) for name, number in numbers.items())
    label = f"unbounded {item.unbounded}" if item.unbounded else None
    return Measure(
        status=Status.SCORED,
        value=float(expit(item.strength)),
        raw=item.strength,
        parts=(*parts, Part(id="comparisons", raw=item.comparisons, label=label)),
    )


DEFAULT_FORMAT = "direct"
"""The format that compares where none is named: the preference alone, in the shortest prompt."""
NEEDS = {"argument": "a tournament compares arguments"}


class TournamentSettings(RunSettings, ItemSettings, SampleSettings, WatchSettings, total=False):
    """The settings of :func:`tournament`: who compares, and which pairs.

    The judge is ``format`` and ``model``, or ``judge`` or ``server``, as in :func:`conqret.judge`. A
    ``criterion`` instead of a format is what one argument meets better than the other. If several models are
    given, each compares every pair. For the pairs see
    :class:`conqret.studies.tournament.item_groups.TournamentOptions`.
    """

    format: str | None
    criterion: Criterion | str | None
    model: str | ClientOptions | Sequence[str | ClientOptions] | None
    judge: str | Function | None

    by: str
    design: Design
    comparisons: float
    both_orders: bool
    reliability: float | None
    top: int | None
    system: str | None


def tournament_plan(
    items: Any, *, output: str | Path | bool | None = None, **settings: Any
) -> TournamentPlan:
    """Return the plan of a tournament; takes what :func:`tournament` takes.

    If ``output`` is True, the folder gets the default name.

    Raises:
        DeclarationError: as :func:`tournament`.
    """
    check_known("option of tournament", TournamentSettings.__annotations__, *settings)
    own = {name: settings[name] for name in TournamentOptions.__annotations__ if name in settings}
    options = TournamentOptions(**own)
    source = opened(items, settings)
    apart = {*own, *ItemSettings.__annotations__, *WatchSettings.__annotations__}
    judging = {name: value for name, value in settings.items() if name not in apart}
    checked = source.check(NEEDS)
    groups = item_groups(source, options.fields)
    check_sizes([len(group.items) for group in groups])
    largest = max(len(group.items) for group in groups)
    if options.top is not None and options.top >= largest:
        raise DeclarationError(f"--top is {options.top}, but the largest group has only {largest} items")
    judging["format"] = _compared_by(judging)
    models = several(judging.pop("model", None))
    pairs = PairSchedule(groups, options).first_pairs()
    setups = []
    for model in models:
        pair_settings: Any = {**judging, "model": model, "metrics": (PREFERENCE,)}
        setups.append(setup := prepared(pairs, pair_settings)[2])
        name = setup.judge.name
        if name == COMPARISON and setup.client.backend.baseline:
            raise DeclarationError(
                "the offline baseline has no evidence for a criterion: name a model (--model)"
            )
        if PREFERENCE not in setup.judge.metrics:
            raise DeclarationError(
                f"the format {name} compares no arguments: choose a format with the metric preference"
            )
    if output is True:
        model = setups[0].client.model if len(setups) == 1 else "jury"
        output = default_folder(stem(Path(source.name)), "tournament", model)
    systems = item_systems(groups, options.system)
    folder, notes = Path(output) if output else None, tuple(_notes(groups))
    return TournamentPlan(folder, source, checked, tuple(setups), groups, options, systems, notes)


def several(models: Any) -> list[Any]:
    """Return ``models``, one model or a list of them, as a list: the judges of a tournament's comparisons.

    Raises:
        DeclarationError: the list is empty, or names a model twice.
    """
    if not isinstance(models, list | tuple):
        return [models]
    if not models:
        raise DeclarationError("the list of models is empty: name one (--model)")
    names = [ClientOptions.from_model(model).model for model in models if model is not None]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise DeclarationError(f"the model {twice[0]} is named twice; name each model once")
    return list(models)


def _compared_by(judging: dict[str, Any]) -> str | Judge | None:
    """Return the format whose preference is requested, or the judge of the criterion; None for a judge of one's own.
    ``criterion`` is removed from ``judging``.

    Raises:
        DeclarationError: the criterion is faulty, or another judge is named besides.
    """
    named = [name for name in ("format", "judge") if judging.get(name) is not None]
    criterion = judging.pop("criterion", None)
    if criterion is None:
        return judging.get("format") if named else DEFAULT_FORMAT
    if named:
        raise DeclarationError(f"a criterion defines the judge: leave {named[0]} out")
    return comparison_judge(comparison_criterion(criterion))


def _notes(groups: Sequence[ItemGroup]) -> Iterator[str]:
    """Yield a note for each part of items (documents, say) that is not shown in groups whose items differ in it."""
    for name in BESIDE:
        count = sum(
            any(getattr(item, name) != getattr(group.items[0], name) for item in group.items)
            for group in groups
        )
        if count:
            lead = f"in {count} of {len(groups)} groups the items have different {name.removesuffix('s')}s"
            yield f"{lead}, and those that differ are compared without them"


@strict_options
def tournament(
    items: Items, *, output: str | Path | None = None, **settings: Unpack[TournamentSettings]
) -> Tournament:
    """Rank the arguments of each topic by comparisons of pairs (comparative judgment).

    Args:
        items: a file, a frame, or items; each has an argument, and each topic at least two items.
        output: the run's folder, in which the same call resumes; None keeps everything in memory.
        settings: who compares, which pairs, and how models are called: :class:`TournamentSettings`.

    Returns:
        The strengths and ranks of items, and of systems if items have one.

    Raises:
        DeclarationError: the call, the items or the folder are faulty. No request is sent then.
    """
    return run_tournament(tournament_plan(items, output=output, **settings), **settings)
