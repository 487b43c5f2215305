"""The known limits of a judge in words: what a reader of its scores has to be told, drawn from the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conqret.data.digest import gathered
from conqret.io.label_sheets import RANDOM_SAMPLE
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.summary import Cost
from conqret.show import words
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.agreement.trivial_judges import over_baselines
from conqret.studies.bias.result import BiasTable
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
) -> tuple[str, ...]:
    """Sentences, the gravest first."""
    single = [row.dimension for row in rows if row.annotators < 2]
    unlabeled = validation.join.unlabelled_metrics
    named, were = _names(single), "was" if len(single) == 1 else "were"
    sentences = {
        "This judge is the lexical baseline: it counts words and understands nothing. An LLM judge is useful "
        "only if it agrees better with annotators than this baseline does.": record.baseline,
        **_agreement(rows),
        **_beside(validation),
        **_curves(curves),
        **_bias(bias),
        f"{1 - validation.coverage:.1%} of the labeled units have no score by the judge.": validation.coverage
        < WHOLE,
        _chosen(validation): validation.join.items < validation.join.judged,
        f"There are only {topics} topics, so intervals are wide and small effects are missed.": topics
        < FEW_TOPICS,
        f"{words.capitalised(named)} {were} labeled by one annotator, so inter-annotator agreement is unknown "
        f"there.": single,
        f"The judge's scores of these metrics were not compared with human labels: {_names(unlabeled)}.": unlabeled,
        "The cost of the judge is unknown, as the model's price is not known.": cost.usd is None,
        f"This card holds only for items like those of {record.items_name} and for a judge with this fingerprint; "
        "another prompt, model or scale makes another judge, with another fingerprint.": True,
    }
    return tuple(sentence for sentence, holds in sentences.items() if holds)


def _chosen(validation: Validation) -> str:
    """How the labelled items came to be chosen, where not all are labelled."""
    join = validation.join
    some = f"{join.items} of {join.judged} judged items are labeled"
    if RANDOM_SAMPLE in validation.basis.notes:
        return f"{some}: {RANDOM_SAMPLE}."
    return (
        f"{some}, and the labels do not say how these items were chosen: the card holds for the unlabeled items only "
        "if the labeled ones are a random sample (conqret labels sample --plan draws one)."
    )


def _agreement(rows: Sequence[DimensionAgreement]) -> dict[str, object]:
    known = [row for row in rows if row.alpha.value is not None]
    none = [row.dimension for row in rows if row.alpha.value is None]
    worse = [row.dimension for row in known if row.alpha.sign < 0]
    unsure = [row.dimension for row in known if row.alpha.low is not None and row.alpha.low <= 0]
    chance = [name for name in unsure if name not in worse]
    rest = [row for row in known if row.dimension not in (*worse, *chance)]
    weak = [row.dimension for row in rest if (row.alpha.value or 0) < WEAK]
    without = gathered((row.alpha.reason, row.dimension) for row in known if row.alpha.low is None)
    below = [f"{row.dimension} (difference {row.to_person})" for row in known if row.to_person.sign < 0]
    noisy = [row.dimension for row in rows if row.parted]
    others = "on every dimension" if len(rest) == len(known) else "on all other dimensions"
    where = others if len(weak) == len(rest) else f"on {_names(weak)}"
    return {
        f"The judge agrees with annotators less than by chance on {_names(worse)}: check whether one of the scales is "
        "reversed, or whether most of its scores are far higher or lower than the labels.": worse,
        "The data do not show that the judge agrees with annotators more than by chance on "
        f"{_names(chance)}.": chance,
        **{
            f"The judge's alpha with annotators on {_names(names)} has {reason}.": reason
            for reason, names in without.items()
        },
        f"Krippendorff's alpha of judge and annotators is below {WEAK} {where}, which is too low to draw conclusions "
        "from single scores.": weak,
        f"The data do not show that annotators agree with each other more than by chance on {_names(noisy)}, so the "
        "human labels tell little about a judge there.": noisy,
        f"The judge agrees less with the other annotators than the annotator whose place it takes, on "
        f"{_names(below)}.": below,
        f"Agreement of judge and annotators could not be computed on {_names(none)}.": none,
    }


def _beside(validation: Validation) -> dict[str, object]:
    """What a calibration changes, and which free baselines the judge is shown to beat."""
    raw, calibrated = (validation.average.judge.get(name) for name in ("mean", CALIBRATED))
    over = {name: row.over for name, row in validation.dimensions.items()}
    beaten = all((one.low or 0) > 0 for row in over.values() for one in row.values())
    gain = validation.average.gain
    fitted = "Calibration (fitted on the labels of other topics)"
    mended = f"{fitted} changes the judge's mean alpha from {raw} to {calibrated}"
    if gain.value == 0:
        mended = f"No calibration map agrees better with annotators than the raw scores do (mean alpha {raw})"
    elif gain.low is None or gain.low <= 0:
        mended = f"{mended}, which is no significant gain (difference {gain})"
    return {f"{mended}.": calibrated, **dict.fromkeys(over_baselines(over), not beaten)}


def _curves(curves: Sequence[Curve]) -> dict[str, object]:
    blind, unknown = (
        [f"{_words(row.metric)} under {row.perturbation}" for row in curves if row.verdict == verdict]
        for verdict in ("no", "inconclusive")
    )
    return {
        "Whether the judge detects perturbations was not measured (no run of conqret sensitivity was "
        "given).": not curves,
        f"Scores do not change as expected when items are perturbed: {_names(blind)}.": blind,
        f"The data do not tell whether scores change as expected when items are perturbed: {_names(unknown)}.": unknown,
    }


def _bias(bias: BiasTable | None) -> dict[str, object]:
    if bias is None:
        return {"Bias was not measured (no run of conqret bias was given).": True}
    unsure = bias.having("inconclusive")
    alarms = gathered((f"{row.probe} ({row.words})", row.metric) for row in bias.alarms)
    return {
        **{f"{words.capitalised(text)}.": True for text in bias.warnings},
        **{f"Bias found: {name}, on {_names(metrics)}.": True for name, metrics in alarms.items()},
        f"The data do not tell whether the judge has these biases: {_names(row.probe for row in unsure)}.": unsure,
        f"The judge was not probed for {_names(bias.left_out)}.": bias.left_out,
    }


def _names(names: Iterable[str]) -> str:
    """The names in words, the last after "and"; empty where there are none."""
    listed = [_words(name) for name in dict.fromkeys(names)]
    return words.listed(listed, MOST_NAMED - (len(listed) > MOST_NAMED))


def _words(name: str) -> str:
    return name.replace("_", " ")
