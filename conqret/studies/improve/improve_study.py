"""``improve``: a judge and human labels in, an improved judge out, with what it is worth on other topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Unpack

from conqret.data import Item, Status
from conqret.data.criterion import Criteria, criteria_of
from conqret.errors import DeclarationError, check_known, number
from conqret.io import item_record
from conqret.io.jsonl import compact
from conqret.io.label_set import LabelSet
from conqret.io.labels import Labels, labels_of
from conqret.io.safe_files import write_files, write_whole
from conqret.judging.instrument import Instrument
from conqret.judging.judge import Items, prepared
from conqret.judging.judge_folder import trial_key
from conqret.judging.judge_options import CRITERIA, SampleSettings
from conqret.judging.judge_parts import Judge
from conqret.judging.judge_settings import OF_THE_JUDGE, ItemSettings
from conqret.judging.judgments import judge_in_span
from conqret.judging.setup import NO_CRITERIA, Setup
from conqret.llm.request import Request, messages
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings
from conqret.runs.run_folder import as_path
from conqret.stats.estimate import MIN_TOPICS
from conqret.studies.agreement.agreement_settings import DEFAULT_SETTINGS, AgreementSettings
from conqret.studies.agreement.label_join import NO_SCALE
from conqret.studies.improve.improve_run import ImproveFolder, ImprovePlan, ImproveRow, choice_without
from conqret.studies.improve.improved_prompt import (
    ANSWER_TOKENS,
    AS_IT_IS,
    EXCERPT,
    FOLDS,
    PROMPT,
    RATING_SCALE,
    LabelledItems,
    WordingAnswer,
    wording_key,
)
from conqret.studies.improve.measuring import measured
from conqret.studies.improve.result import ImproveResult
from conqret.studies.study_judging import JudgedRun, StudyPart, study_folder
from conqret.text.words import dimension_name

MIN_EXCERPT, MAX_EXCERPT = 100, 20_000
CALIBRATE = "use conqret judges calibrate instead"
MIN_HELD_OUT = 3
"""Topics below which an interval over them cannot be had."""
EXPECTED_ANSWER = {
    "observations": ["."],
    "wording": "Rate how far the text does what is asked, as an ordinary reader would see it. " * 12,
    "anchors": [
        {
            "rating": rating,
            "meaning": "A text that does a part of what is asked, with some gaps that an ordinary reader sees.",
        }
        for rating in range(RATING_SCALE[0], RATING_SCALE[1] + 1)
    ],
}
"""A proposal of the usual length, for a dry run."""


class ImproveSettings(RequestRunSettings, ItemSettings, SampleSettings, total=False):
    """The settings of :func:`improve`: the judge (``format`` or ``criteria``), how it is run, and these:

    - ``held_out``: items of other topics, used only for evaluation; without them, the evaluation is
    cross-validated over folds of topics;
    - ``metric``: the metric to improve, if the judge has several;
    - ``output``: the run's folder, in which the same call resumes; None keeps everything in memory;
    - ``settings``: aggregation of labels, confidence level, the seed of the folds;
    - ``excerpt``: the number of characters of an item's text in prompts.
    """

    format: str | Judge | None
    criteria: Criteria
    held_out: Items
    metric: str | None
    output: str | Path | None
    settings: AgreementSettings
    excerpt: int


def improve(items: Items, labels: Labels, **how: Unpack[ImproveSettings]) -> ImproveResult:
    """Improve a judge from human labels, and evaluate it on topics that played no part in the improvement.

    Args:
        items: the items; those with labels are used for training.
        labels: human labels of these items and of held-out items.
        how: the judge, its model, and the settings of :class:`ImproveSettings`.

    Returns:
        The improved judge, with its agreement before and after.

    Raises:
        DeclarationError: the call, the items, the labels or the folder are faulty. No request is sent then.
        UnknownNameError: there is no such option, metric or dimension.
    """
    return run_improve(improve_plan(items, labels, **how), **how)


class ImproveRun(JudgedRun):
    """An improvement run: it judges items and requests wordings.

    Items in ``settled`` keep their judgment, with or without a score, because a wording was already proposed
    from it.
    """

    PROMPTS: ClassVar = {PROMPT: RunPrompt(WordingAnswer, "improve", ANSWER_TOKENS, by="wording")}
    settled: frozenset[str] = frozenset()

    async def judgment(self, key: str, item: Item, instrument: Instrument) -> ImproveRow:
        """Judge an item, and return its row."""
        row: ImproveRow | None = self.rows.get(key) if item.id in self.settled else None
        if row is not None and row.judgment is not None and row.judgment.status is not Status.FAILED:
            return row
        return ImproveRow(id=key, judgment=await judge_in_span(item, instrument))

    async def propose(self, key: str, prompt: Any) -> None:
        """Request a wording from the model, and store the row under ``key``; a row that is there already is kept. A row
        without a wording has the reason."""

        async def made() -> ImproveRow:
            about: Any = {"ask": PROMPT, "item": key, "messages": messages(prompt)}
            if self.dry:
                about["baseline"] = lambda: {
                    **EXPECTED_ANSWER,
                    "wording": f"{key}: {EXPECTED_ANSWER['wording']}",
                }
            answer = await self.client().request(Request(**about, response=WordingAnswer, temperature=0.0))
            if answer.value is None:
                return ImproveRow(id=key, reason=str(answer.reason or ""), detail=answer.detail)
            return ImproveRow(id=key, wording=answer.value.model_dump())

        await self.row(key, made)

    def judge_whole(self, parts: Sequence[StudyPart]) -> None:
        """Judge the items of one part after the other, until all have a response.

        Raises:
            AnswersAwaited: responses of a batch are pending.
            DeclarationError: some requests failed, so nothing can be chosen yet.
        """
        self.judge(parts)
        for part in () if self.dry else parts:
            rows = [self.rows.get(trial_key(part.fingerprint, item.id)) for item in part.items]
            if lost := [row.judgment for row in rows if row.judgment.status is Status.FAILED]:
                raise DeclarationError(
                    f"{number(len(lost), 'response')} failed ({lost[0].reason}), and nothing is chosen from "
                    "incomplete responses: run the same command to continue"
                )


def _part(setup: Setup, items: Sequence[Item], by: str) -> StudyPart:
    return StudyPart(setup, setup.fingerprint, items, by=f"{setup.judge.name} {by}")


def run_improve(plan: ImprovePlan, **settings: Any) -> ImproveResult:
    """Run an improvement plan, write its files to the plan's folder (if it has one), and return the result;
    ``settings`` are those of the run.

    Raises:
        Counted: it is a dry run; the exception has the expected costs.
    """
    data, setup = plan.data, plan.setup
    own = {**settings, "prompts": setup.library}
    with study_folder(ImproveFolder, plan.output, settings) as folder:
        lines = b"".join(compact(item_record(item)) + b"\n" for item in data.every)
        run_facts: Any = {"total": plan.total, "about": plan.about}
        begin = partial(write_whole, folder.items_file, lines)
        with ImproveRun(folder, [setup.client], own, plan.record(), begin=begin, **run_facts) as run:
            plan = replace(plan, rows=run.rows)
            if any(row.wording is not None for row in run.rows.rows()):
                run.settled = frozenset(item.id for item in data.training)
            run.judge_whole([_part(setup, data.every, "as it is")])
            run.settled = frozenset()
            if plan.variants:
                prompts = {wording_key(prompt): prompt for prompt in map(plan.wording_prompt, plan.outs)}
                run.span = "propose a wording", {}
                run.request_all(run.propose(key, prompt) for key, prompt in prompts.items())
            tried = [(variant, out) for out in plan.outs if out for variant in plan.variants]
            run.judge_whole(
                [
                    _part(plan.setup_of(variant, out), plan.items_in(out), f"with {variant}")
                    for variant, out in tried
                ]
            )
            if data.held_out:
                dearest = (AS_IT_IS, *plan.variants)[-1]
                variant = dearest if run.dry else choice_without(plan, frozenset()).variant
                if variant != AS_IT_IS:
                    chosen = plan.setup_of(variant, frozenset())
                    run.judge([_part(chosen, data.held_out, "as chosen, on held-out items")])
            run.arranged()
            result, files = measured(plan, folder, **run.done)
            write_files(files)
            return result


def improve_plan(items: Items, labels: Labels, **how: Unpack[ImproveSettings]) -> ImprovePlan:
    """Return the plan of an improvement; takes what :func:`improve` takes.

    Raises:
        DeclarationError, UnknownNameError: as :func:`improve`.
    """
    check_known("option of improve", ImproveSettings.__annotations__, *how)
    longest = how.get("excerpt", EXCERPT)
    if not MIN_EXCERPT <= longest <= MAX_EXCERPT:
        raise DeclarationError(f"--excerpt is {longest}; it must be from {MIN_EXCERPT} to {MAX_EXCERPT}")
    judge_settings: Any = {name: value for name, value in how.items() if name in OF_THE_JUDGE}
    if (metric := how.get("metric")) is not None:
        judge_settings["metrics"] = (metric,)
    if not how.get("criteria") and how.get("format") is None:
        raise DeclarationError(
            "name what to improve: a criterion (--criterion), or a metric of a format (--format and --metric)"
        )
    if len(criteria_of(how.get("criteria") or ())) > 1:
        raise DeclarationError(
            "one criterion is improved at a time, because a new wording of one changes the ratings of others: give one"
        )
    source, checked, setup, _ = prepared(items, judge_settings)
    improved = _one_metric(setup)
    read = labels_of(labels)
    dimension = _dimension(read, improved)
    training = _labelled(source, read, dimension)
    tested: tuple[Item, ...] = ()
    if (held_out := how.get("held_out")) is not None:
        others, _, again, _ = prepared(held_out, judge_settings)
        if again.fingerprint != setup.fingerprint:
            raise DeclarationError(
                "the held-out items have other fields than the others: give both the same fields"
            )
        tested = _labelled(others, read, dimension)
    _check_topics(training, tested, of_items=number(checked.count, "item"), held=held_out is not None)
    if not setup.client.backend.baseline:
        more = [item.id for item in training if item.messages or item.images]
        _refuse("labeled item", more, f"have earlier turns or images, which no example shows: {CALIBRATE}")
    data = LabelledItems(training, tested, read, dimension, improved)
    return ImprovePlan(
        setup, data, how.get("settings", DEFAULT_SETTINGS), longest, as_path(how.get("output"))
    )


def _one_metric(setup: Setup) -> str:
    """Return the metric that is improved.

    Raises:
        DeclarationError: there are several metrics, or the prompt of this one cannot be changed.
    """
    name, metrics, judge_prompts = setup.judge.name, setup.metrics, setup.judge_prompts
    if len(metrics) != 1:
        raise DeclarationError(
            f"one metric is improved at a time, and {name} has {', '.join(metrics)}: name one with --metric"
        )
    if name == CRITERIA and setup.client.backend.baseline:
        raise DeclarationError(f"{NO_CRITERIA}, so there is nothing to improve: name a model (--model)")
    if len(judge_prompts) != 1 or judge_prompts[0].reading is not None:
        raise DeclarationError(f"{metrics[0]} of {name} has no wording to improve: {CALIBRATE}")
    if judge_prompts[0].both_orders:
        raise DeclarationError(
            f"{metrics[0]} of {name} compares two arguments, but only ratings of one text can be improved"
        )
    return metrics[0]


def _dimension(labels: LabelSet, metric: str) -> str:
    """Return the labeled dimension that the metric is compared with: the only one, or that of the metric's name.

    Raises:
        DeclarationError: no dimension fits, or its scale has no ends or no order.
    """
    known = labels.dimensions
    found = known[0] if len(known) == 1 else dimension_name(metric)
    if found not in known:
        raise DeclarationError(
            f"no labeled dimension has the name {metric}: {labels.name} has {', '.join(known)}. Name one with "
            "--dimension"
        )
    scale = labels.scale(found)
    if not scale.bounded:
        raise DeclarationError(f"{labels.name}, {found}: {NO_SCALE}")
    if scale.level == "nominal" and not scale.binary:
        raise DeclarationError(f"{found} is nominal, and labels must be ordered: set --level ordinal")
    return found


def _labelled(items: Iterable[Item], labels: LabelSet, dimension: str) -> tuple[Item, ...]:
    """Return the items that have a label of the dimension (of the whole item), in their order.

    Raises:
        DeclarationError: there are none, or one has no text.
    """
    known = (one for one in labels.labels if one.dimension == dimension and one.value is not None)
    whole = dict.fromkeys(one.unit.item for one in known if not one.unit.part)
    found = tuple(item for item in items if item.id in whole)
    if not found:
        raise DeclarationError(
            f"no whole item has a label of {dimension}; {labels.name} has labels of items such as "
            f"{next(iter(whole), '')!r}: use the same ids"
        )
    _refuse("labeled item", [item.id for item in found if not item.argument], "without an answer: add it")
    return found


def _refuse(what: str, names: Sequence[str], why: str) -> None:
    """Raise DeclarationError where there are any."""
    if names:
        raise DeclarationError(f"{number(len(names), what)} (such as {names[0][:60]!r}) {why}")


def _check_topics(training: Sequence[Item], tested: Sequence[Item], *, of_items: str, held: bool) -> None:
    """Check that there are enough topics to learn from and, with ``held``, to measure on, and that no topic and no id
    is in both sets of items.

    Raises:
        DeclarationError: one of this does not hold.
    """
    topics, others = {item.topic for item in training}, {item.topic for item in tested}
    wanted = MIN_TOPICS if held else -(-MIN_TOPICS * FOLDS // (FOLDS - 1))
    if len(topics) < wanted:
        raise DeclarationError(
            f"{len(training)} of {of_items} have labels, on {number(len(topics), 'topic')}, but {wanted} topics are "
            f"needed: {MIN_TOPICS} to learn from, and others to measure on"
        )
    twice = {item.id for item in training} & {item.id for item in tested}
    _refuse("topic", sorted(topics & others), "are both held out and learned from: keep them apart")
    _refuse("id", sorted(twice), "name a held-out item and one that is learned from: give every item its own")
    if held and len(others) < MIN_HELD_OUT:
        raise DeclarationError(
            f"only {number(len(others), 'topic')} held out, but an interval needs {MIN_HELD_OUT}"
        )
