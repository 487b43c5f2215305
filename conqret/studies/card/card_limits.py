"""The known limits of a judge in words: what a reader of its scores has to be told, drawn from the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conqret.data.digest import gathered
from conqret.io.label_sheets import RANDOM_SAMPLE
from conqret.judging.judge_folder import JudgeRecord
from conqret.show import words
from conqret.stats.effects import ALPHA
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import not_beaten
from conqret.studies.bias.result import BiasTable
from conqret.studies.card.run_cost import Cost
from conqret.studies.drift.result import Drift
from conqret.studies.sensitivity.curves import Curve
from conqret.studies.validate.result import Validation

FEW_TOPICS = 10
"""At eight topics a shift of a tenth is found in two of five runs of eight probes (docs/judge-card.md)."""

WEAK = 0.667
"""Krippendorff's own bound, below which no conclusion should be drawn (Content Analysis, section 11.4)."""

MOST_NAMED = 6

WHOLE = 0.98
"""The coverage below which missing scores are worth a sentence."""


def known_limits(
    record: JudgeRecord,
    rows: Sequence[DimensionAgreement],
    validation: Validation,
    curves: Sequence[Curve],
    bias: BiasTable | None,
    cost: Cost,
    topics: int,
    drift: Drift | None = None,
) -> tuple[str, ...]:
    """Sentences, the gravest first."""
    missing = validation.missing
    unlike = [
        association.covariate
        for association, p in zip(missing.associations, missing.p_holm, strict=True)
        if p is not None and p < ALPHA
    ]
    single = [row.dimension for row in rows if row.annotators < 2]
    unlabeled = validation.join.unlabelled_metrics
    named, were = _names(single), "was" if len(single) == 1 else "were"
    sentences = {
        "This is the lexical baseline: it counts words and understands nothing. A judge has to agree better "
        "with annotators than it does.": record.baseline,
        **_drift(drift),
        **_agreement(rows),
        **_beside(validation),
        **_curves(curves),
        **_bias(bias),
        f"{1 - validation.coverage:.1%} of the labeled units have no score.": validation.coverage < WHOLE,
        f"Scores are not missing at random: they hang together with {' and '.join(unlike)}.": unlike,
        _chosen(validation): validation.join.items < validation.join.judged,
        f"There are {topics} topics only: intervals are wide, and small shifts are missed.": topics
        < FEW_TOPICS,
        f"{words.capitalised(named)} {were} labeled by one annotator: nothing is known of how far annotators agree "
        "there.": single,
        f"Not compared with annotators: {_names(unlabeled)}.": unlabeled,
        "What it costs is unknown: the model's price is not known.": cost.usd is None,
        f"All this holds for items like those of {record.items_name} and for this fingerprint; another prompt, model "
        "or scale is another judge configuration.": True,
    }
    return tuple(sentence for sentence, holds in sentences.items() if holds)


def _chosen(validation: Validation) -> str:
    """How the labelled items came to be chosen, where not all are labelled."""
    join = validation.join
    some = f"{join.items} of {join.judged} judged items are labeled"
    if RANDOM_SAMPLE in validation.basis.notes:
        return f"{some}: {RANDOM_SAMPLE}."
    return (
        f"{some}, and the labels do not say how these were chosen: all of this speaks for the others only if they are "
        "a random sample, as conqret labels sample --plan draws one."
    )


def _agreement(rows: Sequence[DimensionAgreement]) -> dict[str, object]:
    known = [row for row in rows if row.alpha.value is not None]
    none = [row.dimension for row in rows if row.alpha.value is None]
    worse = [row.dimension for row in known if row.alpha.high is not None and row.alpha.high < 0]
    chance = [
        row.dimension
        for row in known
        if row.alpha.low is not None and row.alpha.low <= 0 and row.dimension not in worse
    ]
    rest = [row for row in known if row.dimension not in (*worse, *chance)]
    weak = [row.dimension for row in rest if (row.alpha.value or 0) < WEAK]
    without = gathered((row.alpha.reason, row.dimension) for row in known if row.alpha.low is None)
    below = [
        f"{row.dimension} (difference {row.to_person})"
        for row in known
        if row.to_person.high is not None and row.to_person.high < 0
    ]
    noisy = [row.dimension for row in rows if row.parted]
    where = f"on {_names(weak)}"
    if len(weak) == len(rest):
        where = "everywhere" if len(rest) == len(known) else "elsewhere"
    return {
        f"It agrees with annotators less than chance does on {_names(worse)}: see whether one scale is turned "
        "round, or its scores lie far from theirs on the whole.": worse,
        f"Agreement with annotators is not distinguishable from chance on {_names(chance)}.": chance,
        **{f"Agreement on {_names(names)} has {reason}.": reason for reason, names in without.items()},
        f"Krippendorff's alpha with annotators is below {WEAK} {where}: too low to rest a conclusion on single "
        "scores.": weak,
        f"Inter-annotator alpha is not distinguishable from chance on {_names(noisy)}: human labels are a weak "
        "measure of a judge there.": noisy,
        f"In the place of one annotator, it agrees less with the others than that annotator does on "
        f"{_names(below)}.": below,
        f"No agreement could be computed on {_names(none)}.": none,
    }


def _beside(validation: Validation) -> dict[str, object]:
    """What a calibration changes, and where the judge is not shown to beat free baselines."""
    raw, calibrated = (validation.average.judge.get(name) for name in ("mean", CALIBRATED))
    trivial = not_beaten({name: row.over for name, row in validation.dimensions.items()})
    gain = validation.average.gain
    mended = f"Calibrated by the labels of other topics, its mean alpha is {calibrated} instead of {raw}"
    if gain.value == 0:
        mended = f"No calibration map is better than its scores as they are (mean alpha {raw})"
    elif gain.low is None or gain.low <= 0:
        mended = f"{mended}, which is not shown to be more (difference {gain})"
    return {
        f"{mended}.": calibrated,
        **{f"{words.capitalised(_words(text))}.": True for text in trivial},
    }


def _curves(curves: Sequence[Curve]) -> dict[str, object]:
    blind, unknown = (
        [f"{_words(row.metric)} under {row.perturbation}" for row in curves if row.verdict == verdict]
        for verdict in ("no", "inconclusive")
    )
    return {
        "Whether it detects perturbations was not measured (no sensitivity run is given).": not curves,
        f"Scores do not follow perturbations as they should: {_names(blind)}.": blind,
        f"Whether scores follow perturbations as they should is open for {_names(unknown)}.": unknown,
    }


def _drift(drift: Drift | None) -> dict[str, object]:
    alarms = () if drift is None else drift.alarms
    names = _names(sorted({f"{alarm.metric} ({alarm.quantity})" for alarm in alarms}))
    return {f"It has drifted, on {names}: what was measured before holds no longer.": alarms}


def _bias(bias: BiasTable | None) -> dict[str, object]:
    if bias is None:
        return {"Bias was not measured (no bias table is given).": True}
    unsure = bias.having("inconclusive")
    alarms = gathered((f"{row.probe} ({row.words})", row.metric) for row in bias.alarms)
    return {
        **{f"{words.capitalised(text)}.": True for text in bias.warnings},
        **{f"Bias found: {name}, on {_names(metrics)}.": True for name, metrics in alarms.items()},
        f"Bias was not settled: {_names(row.probe for row in unsure)}.": unsure,
        f"Not probed for {_names(bias.left_out)}.": bias.left_out,
    }


def _names(names: Iterable[str]) -> str:
    """The names in words, the last after "and"; empty where there are none."""
    listed = [_words(name) for name in dict.fromkeys(names)]
    if len(listed) > MOST_NAMED:
        listed = [*listed[: MOST_NAMED - 1], f"{len(listed) - MOST_NAMED + 1} more"]
    return words.listed(listed)


def _words(name: str) -> str:
    return name.replace("_", " ")
