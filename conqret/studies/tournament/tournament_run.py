"""A tournament as a run: comparisons in rounds, each planned from those before it; recorded, resumable.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``items.jsonl``, ``rounds.json`` (the pairs of each
round, written before they are asked), ``comparisons.jsonl`` (a line each, as they come), and in the end what every run
of a judge has: ``judgments.jsonl``, ``scores.parquet`` and ``summary.json``, with the strength of each item as its
score; and ``tournament.json``. The same command again goes on with the same pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from scipy.special import expit

from conqret.data import Judgment, Measure, Part, Reason, Status, Trace
from conqret.data.item import Frozen
from conqret.errors import number
from conqret.io import CheckedItems, ItemSource
from conqret.io.jsonl import compact
from conqret.io.safe_files import InFolder, write_whole
from conqret.judging.judge_folder import JudgeFolder, JudgeRecord, judgment_rows
from conqret.judging.judge_parts import TOURNAMENT, digest
from conqret.judging.judgments import judge_in_span, judge_record, span_attributes
from conqret.judging.setup import Setup
from conqret.runs.engine import CompletedTrials, Plan, Stage
from conqret.runs.session import Session, Sessions
from conqret.runs.trials import Memory, Rows, RowStore, Trial
from conqret.stats.comparative_judgment import ComparedStrengths, compared_strengths
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.pair_design import GroupPairs
from conqret.stats.strength_posterior import OUTCOMES
from conqret.studies.tournament.item_groups import (
    ItemGroup,
    PairSchedule,
    TournamentOptions,
    comparison_id,
    pair_item,
)
from conqret.studies.tournament.result import (
    ComparisonResult,
    RankedItem,
    Tournament,
    pair_outcomes,
    top_probability,
    tournament_result,
)

PREFERENCE = "preference"
"""The metric by which two items are compared."""
STRENGTH = "strength"
"""The metric that the run has for each item."""
ENDED = frozenset({Reason.BUDGET, Reason.PROVIDER_DOWN, Reason.TOO_MANY_FAILURES})
"""Why answers are missing once nothing more is sent: no further round is planned then."""


class ComparisonRow(Frozen):
    """A comparison that was made: its round, its group, both items, and what the judge said of the first; ``judge`` is
    its model, where several compare."""

    id: str
    round: int
    group: str
    first: str
    second: str
    judgment: Judgment
    judge: str = ""

    @property
    def measure(self) -> Measure:
        """The preference."""
        return self.judgment.measures[PREFERENCE]

    @property
    def result(self) -> ComparisonResult:
        """It as the strengths are made of."""
        value = self.measure.value
        outcome = None if value is None else min(OUTCOMES, key=lambda each: abs(each - value))
        return ComparisonResult(outcome=outcome, **self.model_dump(exclude={"judgment"}))


PlannedPair = tuple[int, int, int]
"""A pair: the number of the group, the places of the first and of the second item in it."""


class PlannedRounds(Frozen):
    """The pairs of each round."""

    rounds: tuple[tuple[PlannedPair, ...], ...]


@dataclass(frozen=True)
class TournamentFolder(JudgeFolder):
    """The files of a tournament: those of a judge's run, the comparisons, and what they come to."""

    COMMAND: ClassVar[str] = "conqret tournament"

    comparisons_file = InFolder("comparisons.jsonl")
    rounds_file = InFolder("rounds.json")
    tournament_file = InFolder("tournament.json")
    page_file = InFolder("tournament.html")
    markdown_file = InFolder("tournament.md")

    def tournament(self) -> Tournament:
        """The finished tournament. Raises DeclarationError where there is none."""
        return self.result(self.tournament_file, Tournament)


@dataclass(frozen=True)
class TournamentPlan(Plan[ComparisonRow, Tournament]):
    """Items of a group are compared in rounds, by one judge or by several (``setups``)."""

    models: Session | Sessions
    folder: TournamentFolder | None
    source: ItemSource
    checked: CheckedItems
    setups: tuple[Setup, ...]
    groups: tuple[ItemGroup, ...]
    options: TournamentOptions = field(default_factory=TournamentOptions)
    systems: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def judges(self) -> tuple[str, ...]:
        """The models that compare, where there are several; else nothing."""
        names = tuple(setup.client.model for setup in self.setups)
        return names if len(names) > 1 else ()

    @property
    def total(self) -> int:
        """How many comparisons there will be at most, by all judges."""
        return self.schedule.comparisons * len(self.setups)

    @property
    def about(self) -> str:
        """What is compared."""
        items, groups = number(self.checked.count, "item"), number(len(self.groups), "group")
        return f"{items} in {groups} from {self.source.name}, compared by"

    @property
    def by(self) -> str:
        """Who compares, where there are several."""
        return ", ".join(self.judges)

    @property
    def _sessions(self) -> list[Session]:
        """The session of each judge."""
        models = self.models
        return [models if isinstance(models, Session) else models.of(setup.client) for setup in self.setups]

    def check(self) -> None:
        """Open the sessions of all judges."""
        _ = self._sessions

    @cached_property
    def _record(self) -> JudgeRecord:
        judges = [judge_record(self.source, self.checked, setup) for setup in self.setups]
        judge = judges[0]
        identity: dict[str, Any] = {"tournament": asdict(self.options), **judge.identity}
        if self.judges:
            identity["judges"] = [each.identity for each in judges]
        names = [f"{each.format}{f' with {each.model}' * bool(self.judges)}" for each in judges]
        by = [f"Pairs compared by {n} ({each.fingerprint})" for n, each in zip(names, judges, strict=True)]
        return judge.model_copy(
            update={
                "format": TOURNAMENT.name,
                "model": ", ".join(each.model for each in judges),
                "baseline": all(each.baseline for each in judges),
                "fingerprint": digest(identity),
                "identity": identity,
                "metrics": [STRENGTH],
                "options": {},
                "notes": [*by, *judge.notes, *self.notes],
            }
        )

    def record(self) -> JudgeRecord:
        """What ``run.json`` says."""
        return self._record

    def begin(self) -> None:
        """Write the items."""
        if self.folder is not None:
            self.folder.write_items(self.source, self.checked)

    def resume(self, *, new: bool) -> None:
        """Write the items again, in case they were damaged."""
        if self.folder is not None and not new:
            self.folder.write_items(self.source, self.checked)

    @cached_property
    def _rows(self) -> Rows[ComparisonRow]:
        if self.folder is None:
            return Memory(lambda row: row.id)
        return RowStore(
            self.folder.comparisons_file,
            ComparisonRow,
            lambda row: row.id,
            finished=lambda row: row.judgment.status is Status.SCORED,
        )

    def open_rows(self) -> Rows[ComparisonRow]:
        """The comparisons, with those of an earlier run."""
        return self._rows

    @cached_property
    def schedule(self) -> PairSchedule:
        """How many pairs of each group are compared in each round."""
        return PairSchedule(self.groups, self.options)

    def stages(self) -> Iterator[Stage[ComparisonRow]]:
        """A stage for each round; after one in which answers are awaited or nothing more is sent only those that an
        earlier run has made, so that they are kept."""
        clients = [session.client for session in self._sessions]
        instruments = [
            setup.in_one_order(PREFERENCE).instrument(client)
            for setup, client in zip(self.setups, clients, strict=True)
        ]
        span = span_attributes(*instruments)
        in_flight = sum(client.in_flight for client in clients)
        pairs = self.schedule.drawn()
        folder, planned = self.folder, list[tuple[PlannedPair, ...]]()
        if folder is not None and folder.rounds_file.is_file():
            planned += folder.result(folder.rounds_file, PlannedRounds).rounds
        keys: list[str] = []
        ended = False
        for nth in range(max(map(len, self.schedule.sizes))):
            if ended and nth >= len(planned):
                return
            if nth < len(planned):
                for group, first, second in planned[nth]:
                    pairs[group].take(first, second)
            else:
                chosen = self._round(nth, pairs, keys)
                if not chosen:
                    return
                planned.append(chosen)
                if folder is not None:
                    rounds = PlannedRounds(rounds=tuple(planned))
                    write_whole(folder.rounds_file, rounds.model_dump_json().encode())
            trials = [
                self._trial(nth + 1, pair, instrument) for pair in planned[nth] for instrument in instruments
            ]
            if ended:
                trials = [trial for trial in trials if self._rows.get(trial.key) is not None]
            keys += [trial.key for trial in trials]
            yield Stage(trials, in_flight, f"compare {self.setups[0].judge.name}", span)
            rows = [self._rows.get(trial.key) for trial in trials]
            ended = ended or any(row is None or row.measure.reason in ENDED for row in rows)
            if ended or nth + 1 < len(planned):  # as far as it came before, whatever would be decided now
                continue
            wanted = self.options.reliability
            if wanted is not None and (self._strengths(keys).reliability() or 0.0) >= wanted:
                return

    def _trial(self, nth: int, pair: PlannedPair, instrument: Any) -> Trial[ComparisonRow]:
        group = self.groups[pair[0]]
        first, second = (group.items[place] for place in pair[1:])
        item = pair_item(first, second)
        judge = instrument.model if self.judges else ""
        key = comparison_id(item.id, judge)

        async def compare() -> ComparisonRow:
            judgment = await judge_in_span(item, instrument)
            return ComparisonRow(
                id=key,
                round=nth,
                group=group.name,
                first=first.id,
                second=second.id,
                judgment=judgment,
                judge=judge,
            )

        return Trial(key, compare)

    def _round(self, nth: int, pairs: Sequence[GroupPairs], keys: Sequence[str]) -> tuple[PlannedPair, ...]:
        """The pairs of a round, which are taken; none of groups of which all that is asked for is known."""
        options = self.options
        by_strength = options.design == "adaptive"
        strengths = self._strengths(keys) if by_strength or options.stops_early else None
        chosen = []
        for group, (each, sizes) in enumerate(zip(pairs, self.schedule.sizes, strict=True)):
            if nth >= len(sizes) or (nth and strengths and self._settled_group(strengths, group)):
                continue
            if by_strength and strengths:
                drawn = each.informative(sizes[nth], strengths, group)
            else:
                drawn = each.at_random(sizes[nth])
            chosen += [(group, first, second) for first, second in drawn]
        return tuple(chosen)

    def _strengths(self, keys: Sequence[str]) -> ComparedStrengths:
        """What the comparisons so far come to, in the order in which they were planned."""
        rows = [row for key in keys if (row := self._rows.get(key)) is not None]
        outcomes = pair_outcomes(self.groups, [row.result for row in rows], self.judges)
        return compared_strengths(outcomes)

    def result(self, done: CompletedTrials[ComparisonRow]) -> Tournament:
        """What the comparisons come to, with the files."""
        rows = {row.id: row for row in done.rows.rows()}
        ordered = [rows[key] for key in done.keys]
        unanswered = Counter(str(row.measure.reason) for row in ordered if row.measure.reason is not None)
        record, settled = self._record, 0
        if self.options.top is not None:
            strengths = self._strengths(done.keys)
            settled = sum(self._settled_group(strengths, group) for group in range(len(self.groups)))
        tournament = tournament_result(
            self.groups,
            [row.result for row in ordered],
            unanswered=unanswered,
            session=done.session,
            judges=self.judges,
            systems=self.systems,
            top=self.options.top,
            settled=settled,
            wanted_reliability=self.options.reliability,
            possible=self.total,
            judge=self.setups[0].judge.name,
            model=record.model,
            baseline=record.baseline,
            design=self.options.design,
            rounds=max((row.round for row in ordered), default=0),
            notes=tuple(record.notes),
            missing=done.missing,
        )
        if self.folder is not None:
            self._write(self.folder, tournament, ordered)
        return tournament

    def _settled_group(self, strengths: ComparedStrengths, group: int) -> bool:
        """Whether the best items of a group are known."""
        top = self.options.top
        return top is not None and top_probability(strengths, group, top) >= CONFIDENCE

    def _write(self, out: TournamentFolder, tournament: Tournament, rows: Sequence[ComparisonRow]) -> None:
        ranked = {item.id: item for group in tournament.groups for item in group.items}
        calls: dict[str, list[Any]] = {}
        reasons: dict[str, Measure] = {}
        for row in rows:
            calls.setdefault(row.first, []).extend(row.judgment.trace.calls)
            if row.measure.value is None:
                reasons.update({row.first: row.measure, row.second: row.measure})
        lines = []
        for item in out.items():
            judgment = Judgment(
                item=item.id,
                topic=item.topic,
                stance=item.stance,
                format=TOURNAMENT.name,
                model=self._record.model,
                fingerprint=self._record.fingerprint,
                measures={STRENGTH: _measure(ranked[item.id], reasons.get(item.id))},
                version=item.version,
                trace=Trace(calls=tuple(calls.get(item.id, ()))),
            )
            lines.append(compact(judgment.model_dump(mode="json")) + b"\n")
        write_whole(out.judgments_file, b"".join(lines))
        with judgment_rows(out.judgments_file, self._record.fingerprint) as judged:
            out.sum_up(judged, tournament.session)
        write_whole(out.tournament_file, tournament.model_dump_json(indent=1).encode() + b"\n")


def _measure(item: RankedItem, lost: Measure | None) -> Measure:
    """The strength as a score: the probability that a mean item of the group loses against it, with the strength itself
    and its standard error. An item without any comparison has none."""
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
