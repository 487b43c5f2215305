"""Improving a judge as a run: stages of questions, each made of what earlier ones answered about topics it may see.

First the judge as it is rates all labelled items. Then, for each set of topics that something is learned from, a model
proposes a wording. Then every variant rates the items of topics that it did not learn from. With items that are held
out, the variant that is chosen on the others rates those at last. Whatever is chosen for a topic, neither examples nor
wording, variant nor map have seen one of its labels.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from conqret.data import Item, Judgment, Status
from conqret.data.digest import digest_of as plain_digest
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number
from conqret.io import item_record
from conqret.io.jsonl import compact
from conqret.io.label_set import LabelScale
from conqret.io.safe_files import InFolder, write_files, write_whole
from conqret.judging.judge_folder import InstrumentRecord, trial_key
from conqret.judging.judgments import judge_in_span, span_attributes
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.runs.engine import CompletedTrials, Plan, Stage
from conqret.runs.run_folder import ITEMS, RunFolder
from conqret.runs.session import Session
from conqret.runs.trials import Memory, Rows, RowStore, Trial
from conqret.stats.isotonic import dealt
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.improve.improved_prompt import (
    AS_IT_IS,
    BOTH,
    CALIBRATION,
    PROMPTS,
    WORDING,
    Improvement,
    improved_setup,
    subject_of,
)
from conqret.studies.improve.learned import (
    EXCERPT,
    FOLDS,
    RATING_SCALE,
    LabelledItem,
    LabelledItems,
    WordingAnswer,
    ask_wording,
    chosen_examples,
    observed,
    scale_shown,
    worded,
    wording_key,
    wording_prompt,
)

if TYPE_CHECKING:
    from conqret.studies.improve.result import ImproveResult
    from conqret.studies.improve.variant_choice import CrossFitted

Out = frozenset[int]
"""Folds of topics that nothing is learned from."""


class ImproveRow(Frozen):
    """What became of one question: a judgment, or a proposal of a wording; without one, why."""

    id: str
    judgment: Judgment | None = None
    wording: dict[str, Any] | None = None
    reason: str = ""
    detail: str = ""

    @property
    def finished(self) -> bool:
        """Whether the question need not be asked again."""
        if self.judgment is not None:
            return self.judgment.status is Status.SCORED
        return self.wording is not None


class ImproveRecord(InstrumentRecord):
    """What ``run.json`` says of it: the judge as it is, the labelled items, and how it is improved."""

    SAME: ClassVar[Mapping[str, str]] = {
        **InstrumentRecord.SAME,
        "items_digest": "items",
        "labels_digest": "labels",
        "improving": "options",
    }

    kind: str = "improve"
    metric: str
    dimension: str
    items_count: int
    items_digest: str
    labels_digest: str
    improving: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.metric} of {self.format} with {self.model}, {number(self.items_count, 'labeled item')}"


@dataclass(frozen=True)
class ImproveFolder(RunFolder[ImproveRecord]):
    """The files of such a run under one folder."""

    COMMAND: ClassVar[str] = "conqret judges improve"
    BEGINS: ClassVar[tuple[str, ...]] = (ITEMS,)

    rows_file = InFolder("rows.jsonl")
    """Judgments and proposals, as they came."""
    prompts_folder = InFolder(PROMPTS)
    """The prompts of the improved judge, for ``--prompts``."""
    calibration_file = InFolder(CALIBRATION)
    """The map of the improved judge, for ``--calibration``."""
    card_file = InFolder("card.md")
    """What the improved judge is, and what it was measured at."""


@dataclass(frozen=True)
class ImprovePlan(Plan[ImproveRow, "ImproveResult"]):
    """A judge that is to be improved; ``settings`` say how labels become one and how intervals are made, ``longest``
    how many characters of a text a prompt shows."""

    models: Session
    folder: ImproveFolder | None
    setup: Setup
    data: LabelledItems
    settings: AgreementSettings
    longest: int = EXCERPT
    _opened: list[Rows[ImproveRow]] = field(default_factory=list, init=False, repr=False, compare=False)
    _setups: dict[tuple[str, Out], Setup] = field(default_factory=dict, init=False, repr=False, compare=False)
    fitted: dict[Out, dict[str, CrossFitted]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """By the folds that were left out the scores of each variant, which are fitted once."""

    @property
    def total(self) -> int:
        """How many questions there are at most."""
        learned = sum(len(self.items_in(out)) for out in self.outs) * len(self.variants)
        more = (len(self.outs) + len(self.data.held_out)) * bool(self.variants)
        return len(self.data.every) + learned + more

    @property
    def about(self) -> str:
        """What is improved."""
        items, topics = self.data.every, {item.topic for item in self.data.every}
        return (
            f"{self.data.metric}: {number(len(items), 'labeled item')} of {number(len(topics), 'topic')}, for"
        )

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants that are tried beside the judge as it is; the offline baseline reads no prompt."""
        return () if self.setup.client.backend.baseline else (WORDING, BOTH)

    @cached_property
    def folds(self) -> dict[str, int]:
        """The fold of each topic that is learned from."""
        topics = {item.topic for item in self.data.training}
        return {str(t): fold for t, fold in dealt(topics, self.settings.seed, FOLDS).items()}

    @property
    def outs(self) -> tuple[Out, ...]:
        """The folds that are left out, in turn, of what is learned: none for what comes of it, each to choose for that,
        and where topics are measured on in turn each two, to choose for what is measured on one of them."""
        sizes = range(2 if self.data.held_out else 3)
        return tuple(frozenset(out) for size in sizes for out in combinations(range(FOLDS), size))

    def items_in(self, out: Out) -> list[Item]:
        """The items of topics of these folds."""
        return [item for item in self.data.training if self.folds[item.topic] in out]

    def items_beside(self, out: Out) -> list[Item]:
        """The items of topics of all other folds."""
        return [item for item in self.data.training if self.folds[item.topic] not in out]

    def record(self) -> ImproveRecord:
        """What ``run.json`` says."""
        data = self.data
        labels = sorted(
            (*label.unit, label.annotator, label.value)
            for label in data.labels.labels
            if label.dimension == data.dimension and label.value is not None
        )
        shown = [[item_record(item) for item in items] for items in (data.training, data.held_out)]
        return ImproveRecord(
            **self.setup.recorded,
            metric=data.metric,
            dimension=data.dimension,
            items_count=len(data.every),
            items_digest=plain_digest(shown),
            labels_digest=plain_digest(labels),
            improving={
                "excerpt": self.longest,
                "seed": self.settings.seed,
                "variants": list(self.variants),
            },
        )

    def begin(self) -> None:
        """Write the items."""
        if self.folder is not None:
            lines = [compact(item_record(item)) + b"\n" for item in self.data.every]
            write_whole(self.folder.items_file, b"".join(lines))

    def open_rows(self) -> Rows[ImproveRow]:
        """Those of the folder."""
        rows: Rows[ImproveRow] = Memory(lambda row: row.id)
        if self.folder is not None:
            rows = RowStore(
                self.folder.rows_file, ImproveRow, lambda row: row.id, finished=lambda row: row.finished
            )
        self._opened[:] = [rows]
        self._setups.clear()
        self.fitted.clear()
        return rows

    def stages(self) -> Iterator[Stage[ImproveRow]]:
        """The judge as it is, proposals, variants, and what is held out; where answers are awaited, then the rows that
        are there of later stages, which stay."""
        asked: set[str] = set()
        for stage in self._questions(asked):
            asked.update(trial.key for trial in stage.trials)
            yield stage

    def _questions(self, asked: Collection[str]) -> Iterator[Stage[ImproveRow]]:
        client = self.models.client
        proposed = any(row.wording is not None for row in self.rows.rows())
        yield self._judging(self.setup, self.data.every, client, self.data.training if proposed else ())
        if not self._all_answered(self.setup, self.data.every):
            yield self._staying_beside(asked)
            return
        if self.variants:
            prompts = {wording_key(prompt): prompt for prompt in map(self.wording_prompt, self.outs)}
            trials = [self._proposal(client, key, prompt) for key, prompt in prompts.items()]
            yield Stage(trials, client.in_flight, "propose a wording")
            if any(self.rows.get(key) is None for key in prompts):
                yield self._staying_beside(asked)
                return
        tried = [(variant, out) for out in self.outs if out for variant in self.variants]
        parts = [(self.setup_of(variant, out), self.items_in(out)) for variant, out in tried]
        for setup, items in parts:
            yield self._judging(setup, items, client)
        if not all(self._all_answered(setup, items) for setup, items in parts):
            yield self._staying_beside(asked)
            return
        if self.data.held_out:
            from conqret.studies.improve.variant_choice import choice_without

            variant = choice_without(self, frozenset()).variant
            if variant != AS_IT_IS:
                yield self._judging(self.setup_of(variant, frozenset()), self.data.held_out, client)

    def _staying_beside(self, asked: Collection[str]) -> Stage[ImproveRow]:
        later = (row for row in self.rows.rows() if row.id in self.rows and row.id not in asked)
        return Stage([_staying(row) for row in later], 1, "keep what is there")

    def result(self, done: CompletedTrials[ImproveRow]) -> ImproveResult:
        """What came of it, with the files."""
        from conqret.studies.improve.measuring import measured

        found, files = measured(self, done)
        write_files(files)
        return found

    @property
    def rows(self) -> Rows[ImproveRow]:
        """The rows so far."""
        return self._opened[0]

    def judgments(self, setup: Setup, items: Iterable[Item]) -> dict[str, Judgment]:
        """The judgments by ``setup`` that have a score of the metric, by item."""
        found = {}
        for item in items:
            row = self.rows.get(trial_key(setup.fingerprint, item.id))
            judgment = None if row is None else row.judgment
            if judgment is not None and judgment.value(self.data.metric) is not None:
                found[item.id] = judgment
        return found

    def learned_from(self, out: Out) -> list[LabelledItem]:
        """The labelled items that may be learned from without these folds."""
        items = self.items_beside(out)
        return self.data.labelled(self.judgments(self.setup, items) if self._opened else {}, items)

    def wording_prompt(self, out: Out) -> Any:
        """The request for a wording, made without these folds."""
        shown: Any = {"seed": self.settings.seed, "longest": self.longest}
        known = self.learned_from(out)
        return wording_prompt(self.setup, self.data.metric, known, self.labelled_on, **shown)

    @property
    def labelled_on(self) -> LabelScale:
        """The scale of the labels."""
        return self.data.labels.scale(self.data.dimension)

    def improvement(self, variant: str, out: Out, proposal: Improvement | None = None) -> Improvement:
        """What a variant learned without these folds; with this ``proposal`` of a wording, or the one that came."""
        subject = subject_of(self.setup, self.data.metric)
        if variant == AS_IT_IS:
            return Improvement(subject=subject)
        shown, anchored = scale_shown(self.setup, self.labelled_on, RATING_SCALE)
        wording = proposal or self._proposed(out, subject, anchored)
        examples = chosen_examples(self.learned_from(out), shown, self.longest) if variant == BOTH else ()
        return wording.model_copy(update={"examples": examples})

    def setup_of(self, variant: str, out: Out, proposal: Improvement | None = None) -> Setup:
        """The judge that a variant is, learned without these folds."""
        if variant == AS_IT_IS:
            return self.setup
        if (variant, out) not in self._setups:
            _, anchored = scale_shown(self.setup, self.labelled_on)
            learned, scale = self.improvement(variant, out, proposal), RATING_SCALE if anchored else None
            self._setups[variant, out] = improved_setup(self.setup, learned, scale)
        return self._setups[variant, out]

    def _proposed(self, out: Out, subject: str, anchored: Sequence[int]) -> Improvement:
        row = self._wording_row(out)
        if row is None or row.wording is None:
            why = "" if row is None else f" ({row.reason or 'no answer'}: {row.detail})"
            raise DeclarationError(
                f"the model proposed no wording{why}: run the same command to send the requests again"
            )
        return worded(WordingAnswer.model_validate(row.wording), subject, anchored)

    def _wording_row(self, out: Out) -> ImproveRow | None:
        return self.rows.get(wording_key(self.wording_prompt(out)))

    def observations(self, out: Out) -> tuple[str, ...]:
        """What the model that proposed a wording says that annotators reward or punish."""
        row = self._wording_row(out)
        if row is None or row.wording is None:
            return ()
        return observed(WordingAnswer.model_validate(row.wording))

    def _all_answered(self, setup: Setup, items: Iterable[Item]) -> bool:
        """Whether no answer is still to come in a batch.

        Raises:
            DeclarationError: some could not be had from the provider, so that nothing can be chosen yet.
        """
        rows = [self.rows.get(trial_key(setup.fingerprint, item.id)) for item in items]
        judgments = [row.judgment for row in rows if row is not None and row.judgment is not None]
        if lost := [judgment for judgment in judgments if judgment.status is Status.FAILED]:
            raise DeclarationError(
                f"{number(len(lost), 'response')} failed ({lost[0].reason}), and nothing is chosen from incomplete "
                "responses: run the same command to continue"
            )
        return all(row is not None for row in rows)

    def _judging(
        self, setup: Setup, items: Sequence[Item], client: Client, settled: Iterable[Item] = ()
    ) -> Stage[ImproveRow]:
        """The items, judged. Those that are ``settled`` keep the judgment that they have, with a score or without:
        a proposal was made of it, and with another all that was learned from would be asked again."""
        instrument, stay = setup.instrument(client), {item.id for item in settled}

        def trial(item: Item) -> Trial[ImproveRow]:
            key = trial_key(setup.fingerprint, item.id)
            row = self.rows.get(key) if item.id in stay and key not in self.rows else None
            if row is not None and row.judgment is not None and row.judgment.status is not Status.FAILED:
                return _staying(row)

            async def judged() -> ImproveRow:
                return ImproveRow(id=key, judgment=await judge_in_span(item, instrument))

            return Trial(key, judged)

        name = f"judge {setup.judge.name}"
        return Stage([trial(item) for item in items], client.in_flight, name, span_attributes(instrument))

    def _proposal(self, client: Client, key: str, prompt: Any) -> Trial[ImproveRow]:
        async def work() -> ImproveRow:
            answer = await ask_wording(client, prompt)
            if answer.value is None:
                return ImproveRow(id=key, reason=str(answer.reason or ""), detail=answer.detail)
            return ImproveRow(id=key, wording=answer.value.model_dump())

        return Trial(key, work)


def _staying(row: ImproveRow) -> Trial[ImproveRow]:
    async def work() -> ImproveRow:
        return row

    return Trial(row.id, work)
