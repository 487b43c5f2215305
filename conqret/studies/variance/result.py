"""Where the noise of a judge comes from, from one run with several samples or several runs of the same items.

Runs differ in their model, in their prompts (paraphrases, another format, another order: whatever else makes the judge
configuration), or in nothing, and are further samples then. What each brings to the scores is estimated by
:mod:`conqret.stats.variance_components`, and the errors of a score and of a mean follow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from conqret.data import Judgment, Measure
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.data.judgment import TopicKeys
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.judging.judge_folder import FinishedRun, JudgeFolder, JudgeRecord, folder_of, shared_metrics
from conqret.runs.run_folder import distinct_names
from conqret.show import words
from conqret.show.report_page import PageRemarks, ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import CONFIDENCE, Estimate, undefined
from conqret.stats.resampling import pooling
from conqret.stats.variance_components import OBJECTS, ORDER, SAMPLE, Components, variance_components

MODEL, PROMPT, JUDGE = "model", "prompt", "judge"
"""Which model is called, with which prompt; a judge is both, where no run changes one alone."""
TOPICS = (8, 20, 50)
"""Over how many topics the error of a mean is given, apart from as many as there are."""

_NOT_THE_PROMPT = frozenset({"model", "samples", "seed", "max_tokens"})
"""Parts of a judge configuration that are no prompt: which model, how often, drawn how, and how long answers may
be."""


class VarianceSource(Frozen):
    """One source of variance of a metric's scores.

    It has several ``names`` if the runs cannot separate them. ``variance`` is the estimate, ``deviation`` its
    square root (0 if the estimate is negative), and ``share`` its share of the total.
    """

    names: tuple[str, ...]
    levels: int
    variance: Estimate
    deviation: Estimate
    share: float | None

    @property
    def name(self) -> str:
        """The names of the source, joined by "or"."""
        return " or ".join(self.names)


class MetricVariance(Frozen):
    """The variance components of one metric.

    - ``scores``: the number of single samples; ``unknown``: what these runs cannot estimate, in words.
    - ``repeatability``: the standard deviation of samples of one request (no value with one sample each).
    - ``score_error``: the standard error of one item's score.
    - ``generalizability``: the share of the variance of single scores that is between topics and items (``E
    rho^2``).
    - ``mean_error``: the standard error of a mean, by number of topics.
    """

    metric: str
    scores: int
    items: int
    topics: int
    sources: tuple[VarianceSource, ...]
    unknown: tuple[str, ...]
    repeatability: Estimate
    score_error: float
    generalizability: Estimate
    mean_error: Mapping[int, float]

    @property
    def varies(self) -> bool:
        """True if any scores differ."""
        return any(source.share for source in self.sources)


class Repeatability(Frozen):
    """The repeatability of one metric: repeated ``scores`` of the same ``items``.

    ``deviation`` is the standard deviation of the scores of one item. ``generalizability`` is the share of
    the variance of single scores that is between topics and items.
    """

    metric: str
    scores: int
    items: int
    deviation: Estimate
    generalizability: Estimate


class VarianceStudy(Frozen):
    """The variance components of the scores of several ``runs``.

    ``models`` and ``prompts`` count distinct ones. ``differs`` names the parts of the judge configurations
    that differ, ``left_out`` metrics that not all runs have. ``baselines`` has for each run True if its judge
    is the offline baseline.
    """

    runs: tuple[str, ...]
    models: int
    prompts: int
    differs: tuple[str, ...]
    confidence: float
    metrics: Mapping[str, MetricVariance]
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
    baselines: tuple[bool, ...] = ()


@strict_options
def variance(
    runs: Sequence[FinishedRun], *, metrics: Sequence[str] = (), confidence: float = CONFIDENCE
) -> VarianceStudy:
    """Estimate the variance components of scores in finished runs, for each metric that all have (or of
    these ``metrics``).

    Judgments of perturbed items do not count. A metric for which noise cannot be separated is left out, with
    a note, unless it is so for all. ``confidence`` (between 0 and 1) is that of the intervals.

    Raises:
        DeclarationError: a run is not finished, the runs share no metric or item, or noise cannot be
            separated from differences between items (one run with one sample).
        UnknownNameError: there is no such metric.
    """
    folders = [folder_of(run) for run in runs]
    records = [run.record() for run in folders]
    parts = [_parts(record) for record in records]
    judged = [[judgment for judgment in run.finished() if judgment.version is None] for run in folders]
    names = {
        folder.path: list(dict.fromkeys(name for judgment in run for name in judgment.measures))
        for folder, run in zip(folders, judged, strict=True)
    }
    shared = shared_metrics(names)
    check_known("metric of all runs", shared, *metrics)
    topics = sorted({*TOPICS, TopicKeys.from_judged(judged[0]).count})
    noises: dict[str, MetricVariance] = {}
    failed: dict[str, str] = {}
    for name in metrics or shared:
        try:
            parted = _components(name, judged, parts)
        except DeclarationError as error:
            failed[name] = str(error)
        else:
            noises[name] = _of_metric(name, parted, topics, confidence)
    if not noises:
        raise DeclarationError("; ".join(dict.fromkeys(failed.values())))
    called = distinct_names([run.path for run in folders])
    return VarianceStudy(
        runs=tuple(f"{name} ({record})" for name, record in zip(called, records, strict=True)),
        baselines=tuple(record.baseline for record in records),
        models=len({model for model, _ in parts}),
        prompts=len({prompt for _, prompt in parts}),
        differs=tuple(
            name
            for name in dict.fromkeys(name for record in records for name in record.identity)
            if any(record.identity.get(name) != records[0].identity.get(name) for record in records)
        ),
        confidence=confidence,
        metrics=noises,
        left_out=tuple(
            sorted({name for scored_names in names.values() for name in scored_names} - set(shared))
        ),
        notes=(
            *_notes(folders, records, judged),
            *(f"{name} is left out: {reason}" for name, reason in failed.items()),
        ),
    )


def repeatabilities(
    judgments: Iterable[Judgment], metrics: Sequence[str], confidence: float = CONFIDENCE
) -> tuple[Repeatability, ...]:
    """Compute the repeatability of each of ``metrics`` that was scored at least twice on some item.

    Repetitions are several samples of a judgment, or several ``judgments`` of an item. ``scores`` of a result
    counts all single scores, ``items`` their distinct items. Other metrics are left out.
    """
    kept = list(judgments)
    keys, repeated = TopicKeys.from_judged(kept), []
    for metric in metrics:
        rows = [
            (value, keys[judgment.topic], judgment.item)
            for judgment in kept
            for _, value in samples_of(judgment.measures.get(metric))
        ]
        values, topics, items = zip(*rows, strict=True) if rows else ((), (), ())
        try:
            parted = variance_components(values, topics, items, {})
        except DeclarationError:  # one score an item, or one item
            continue
        variance = parted.variance([effect.names for effect in parted.effects].index((SAMPLE,)))
        repeated.append(
            Repeatability(
                metric=metric,
                scores=len(values),
                items=len(set(items)),
                deviation=deviation(variance.estimate(confidence)),
                generalizability=parted.generalizability().estimate(confidence),
            )
        )
    return tuple(repeated)


def samples_of(measure: Measure | None) -> list[tuple[int, float]]:
    """Return the number (from 0) and the value of each sample of a measure; empty without a value."""
    if measure is None or measure.value is None:
        return []
    samples = enumerate(measure.samples or (measure.value,))
    return [(number, value) for number, value in samples if value is not None]


def deviation(variance: Estimate) -> Estimate:
    """Return the standard deviation with its interval, from a variance; 0 where the variance is negative."""
    ends = (variance.value, variance.low, variance.high)
    value, low, high = (None if end is None else max(end, 0.0) ** 0.5 for end in ends)
    return Estimate(value, low, high, variance.n, variance.reason)


def _parts(record: JudgeRecord) -> tuple[str, str]:
    """Which model, and which question, as texts that are the same where they are."""
    question = {name: value for name, value in record.identity.items() if name not in _NOT_THE_PROMPT}
    return json.dumps(record.identity.get("model"), sort_keys=True), json.dumps(question, sort_keys=True)


def _notes(
    runs: Sequence[JudgeFolder], records: Sequence[JudgeRecord], judged: Sequence[Sequence[Judgment]]
) -> Iterator[str]:
    for place, other in combinations(range(len(records)), 2):
        if records[place].fingerprint == records[other].fingerprint:
            first, second = ([judgment.values for judgment in judged[one]] for one in (place, other))
            same = ", and all scores are the same: one may be a replay of the other" * (first == second)
            both = f"{runs[place].path} and {runs[other].path}"
            yield f"{both} are of one judge configuration, and count as samples{same}"


def _components(
    metric: str, judged: Sequence[Sequence[Judgment]], parts: Sequence[tuple[str, str]]
) -> Components:
    keys = TopicKeys.from_judged(judgment for run in judged for judgment in run)
    rows = [
        (value, keys[judgment.topic], (keys[judgment.topic], judgment.item), number, *part)
        for run, part in zip(judged, parts, strict=True)
        for judgment in run
        for number, value in samples_of(judgment.measures.get(metric))
    ]
    if not rows:
        raise DeclarationError("it has no score in any of the runs")
    values, topics, items, numbers, models, prompts = zip(*rows, strict=True)
    # Samples of one number are requested in one order of the dimensions, whichever the run.
    orders = numbers if len(judged) > 1 and len(set(numbers)) > 1 else None
    judges = list(zip(models, prompts, strict=True))
    together = len(set(judges)) == len(set(models)) == len(set(prompts)) > 1
    conditions = {JUDGE: judges} if together else {MODEL: models, PROMPT: prompts}
    return variance_components(values, topics, items, conditions, orders)


def _of_metric(metric: str, parted: Components, topics: Sequence[int], confidence: float) -> MetricVariance:
    variances = [parted.variance(place).estimate(confidence) for place in range(len(parted.effects))]
    whole = sum(max(one.value or 0.0, 0.0) for one in variances)
    sources = tuple(
        VarianceSource(
            names=effect.names,
            levels=effect.levels,
            variance=variance,
            deviation=deviation(variance),
            share=max(variance.value or 0.0, 0.0) / whole if whole else None,
        )
        for effect, variance in zip(parted.effects, variances, strict=True)
    )
    alone = [source.deviation for source in sources if source.names == (SAMPLE,)]
    return MetricVariance(
        metric=metric,
        scores=parted.n,
        items=round(parted.items * parted.topics),
        topics=parted.topics,
        sources=sources,
        unknown=tuple(_unknown(parted)),
        repeatability=alone[0] if alone else undefined("one sample of each request"),
        score_error=parted.score_error(),
        generalizability=parted.generalizability().estimate(confidence),
        mean_error={count: parted.mean_error(count) for count in topics},
    )


def _unknown(parted: Components) -> Iterator[str]:
    """Yield sentences on what the design of these runs leaves open: sources of variance that do not vary, or cannot be
    told apart."""
    if JUDGE in parted.conditions:
        yield "no run changes the model or the prompt alone, so the two are one source (judge)"
    for name in (MODEL, PROMPT):
        if not {name, JUDGE} & set(parted.conditions):
            yield f"there is one {name}, so nothing is said of others: add a run with another {name}"
    if not any(effect.names == (SAMPLE,) for effect in parted.effects):
        yield "there is one sample of each request, so the sampling variance is not known: judge with --samples 3"
    if parted.topics == 1:
        yield "there is one topic, so nothing is said of others: judge items of more topics"
    for effect in parted.effects:
        if len(effect.names) > 1:
            yield f"the variance of {' and of '.join(effect.names)} cannot be told apart in these runs"


_MEASURED = "The variance of topics and items is what the judge is to measure; all other variance is noise."


def variance_words(study: VarianceStudy) -> list[str]:
    """Return sentences on what was compared, and on what these runs cannot estimate."""
    unknown = dict.fromkeys(text for metric in study.metrics.values() for text in metric.unknown)
    runs, models = words.number(len(study.runs), "run"), words.number(study.models, "model")
    differ = f"; the runs differ in {', '.join(study.differs)}" if study.differs else ""
    return [
        f"The study has {runs} of {models} with {words.number(study.prompts, 'prompt')}{differ}.",
        *(f"{words.capitalised(text)}." for text in [*unknown, *study.notes]),
    ]


def variance_finding(study: VarianceStudy) -> str:
    """Return a sentence on how much of the variance is noise, and on its main source."""
    noise = [
        {source.name: source.share or 0.0 for source in metric.sources if not {*source.names} & {*OBJECTS}}
        for metric in study.metrics.values()
        if metric.varies
    ]
    if not noise:
        return "All scores of an item are equal."
    sources = {name: sum(shares.get(name, 0.0) for shares in noise) for shares in noise for name in shares}
    largest = max(sources, key=sources.__getitem__)
    named = {SAMPLE: "samples of one request", ORDER: "the order of questions"}.get(largest, largest)
    source = "the only source of noise in these runs is" if len(sources) == 1 else "most of it comes from"
    of = f"; {source} {named}" * bool(sources[largest])
    if len(noise) == 1:
        return f"Noise is estimated at {sum(noise[0].values()):.0%} of the variance of scores{of}."
    much = sum(sum(shares.values()) >= 0.495 for shares in noise)
    return f"On {much} of {len(noise)} metrics noise is estimated to be half or more of the variance of scores{of}."


def variance_tables(study: VarianceStudy, *, every: bool = False) -> Iterator[Table]:
    """Yield the tables of a variance study: shares side by side if there are several metrics, and details of
    the metric.

    With ``every``, details of each of several metrics are included.
    """
    rows = list(study.metrics.values())
    if several := len(rows) > 1:
        names = dict.fromkeys(source.name for row in rows for source in row.sources)
        yield Table(
            "Shares of the variance of scores",
            {
                "Metric": lambda row: words.label(row.metric),
                **{words.label(name): lambda row, name=name: _share(row, name) for name in names},
                "SD of samples": "repeatability",
            },
            rows,
            note=f"{_MEASURED} “SD of samples” is the standard deviation of repeated samples of one request.",
        )
    if several and not every:
        return
    lines: list[object] = []
    for row in rows:
        same = "" if row.varies else f": all {words.count(row.scores)} scores are the same"
        lines += [(f"{words.label(row.metric)}{same}",)] * several
        lines += [(row, source) for source in row.sources if row.varies or not several]
    first, of = rows[0], "" if several else f"{words.label(rows[0].metric)}: "
    over = f"topics{pooling(first.topics)}" if first.topics > 1 else f"items{pooling(first.items)}"
    below = any((source.variance.value or 0) < 0 for row in rows for source in row.sources)
    yield Table(
        words.capitalised(f"{of}where {f'{words.count(first.scores)} ' * (not several)}scores differ"),
        {
            Column("Source", "text"): (1, "name"),
            "Levels": (1, "levels"),
            "Standard deviation": (1, "deviation"),
            "Share": lambda pair: _share(pair[0], pair[1].name),
        },
        lines,
        note=f"Brackets hold {study.confidence:.0%} jackknife-t intervals over {over}. {_MEASURED}"
        + " A variance whose estimate is below 0 is shown as 0." * below,
    )
    if varied := [row for row in rows if row.varies]:
        yield Table(
            words.capitalised(f"{of}the error of one score and of the mean"),
            {
                "Metric": lambda row: words.label(row.metric),
                "Error of one score": "score_error",
                "Generalizability": "generalizability",
                **{
                    f"Error of the mean, {words.number(n, 'topic')}": ("mean_error", n)
                    for n in varied[0].mean_error
                },
            },
            varied,
            note="Standard errors: how much a score, or the mean over so many other topics of "
            f"{varied[0].items / varied[0].topics:.3g} items each, would vary with other samples, prompts and models "
            "as far as these runs vary them. “Generalizability” is the share of the variance of single scores that is "
            "due to topics and items.",
        )


def variance_page(study: VarianceStudy) -> ReportPage:
    """Return the report page of a variance study."""
    first, *others = variance_words(study)
    return ReportPage(
        "variance",
        "Where the noise comes from",
        [
            *map(section, variance_tables(study, every=True)),
            Section("Runs", [PageRemarks([*study.runs, *others])]),
        ],
        [first],
        words.baseline_badges(study.baselines),
        answer=[variance_finding(study)],
        how_to_read=[_MEASURED],
    )


def _share(metric: MetricVariance, name: str) -> Cell:
    """A share in per cent; a dash with its reason where nothing varies, and where there is no such source."""
    for source in metric.sources:
        if source.name == name:
            return undefined("no score differs") if source.share is None else f"{source.share:.0%}"
    return None


def repeatability_table(rows: Sequence[Repeatability]) -> Table:
    """Return the table of repeatability; metrics with equal values share a row."""
    alike = gathered(((row.scores, str(row.deviation), str(row.generalizability)), row) for row in rows)
    return Table(
        "Repeatability",
        {
            Column("Metric", "text"): lambda same: ", ".join(words.label(row.metric) for row in same),
            "Scores": (0, "scores"),
            "Standard deviation": (0, "deviation"),
            "Generalizability": (0, "generalizability"),
        },
        alike.values(),
        note="“Standard deviation” is that of the scores of one item that is judged several times; “Generalizability” "
        "is the share of the variance of scores that is due to differences between items.",
    )
