"""The judge card: what is known of one judge configuration (judge, prompts, model), on one page and as JSON.

Its schema is published in ``docs/judge-card.schema.json``. A card belongs to a fingerprint: where prompt, model or
scale change, :func:`conqret.studies.card.result.changes` says what is new, and the card is stale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from conqret._version import __version__
from conqret.data import Item, Judgment
from conqret.data.criterion import Criterion, criteria_of
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.io.limits import read_written
from conqret.io.rubric_files import rubrics_of
from conqret.io.rubric_set import Rubrics
from conqret.judging.cost import Cost
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import digest
from conqret.judging.setup import Setup, recorded_judge
from conqret.judging.summary import Summary
from conqret.show import words
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.judge_agreement import WEAK, Average, DimensionAgreement, Missingness
from conqret.studies.agreement.judge_baselines import baseline_sentences
from conqret.studies.agreement.statistics import CALIBRATED
from conqret.studies.bias.result import BiasTable
from conqret.studies.sensitivity.result import Curve, SensitivityResults
from conqret.studies.validate.result import Validation
from conqret.studies.variance.result import Repeatability, repeatabilities

SCHEMA = "conqret.judge-card/4"
FILE_NAME = "card.json"
FEW_TOPICS = 10
"""At eight topics a shift of a tenth is found in two of five runs of eight probes."""

MAX_NAMED = 6

WHOLE = 0.98
"""The coverage below which missing scores are worth a sentence."""


class CardJudge(Frozen):
    """The description of a judge: what it measures, its scale, how responses become scores, and its source."""

    summary: str
    scale: str
    score: str
    source: str


class Card(Frozen):
    """A judge card: the judge configuration, and the evidence on how far its scores can be trusted.

    - ``run``: the judge configuration and the items; ``topics`` and ``stances`` count them.
    - ``basis``: the labels and the clusters of intervals.
    - ``annotators``: their number; ``labelled``: the items they labeled; ``compared``: those that were
    judged, too.
    - ``agreement``: a row for each labeled dimension; ``average``: their mean, if there are at least two.
    - ``sensitivity`` and ``bias``: results of such runs, if given.
    - ``repeatability``: of judgments repeated by bias probes, else of the samples of the run.
    - ``limits``: sentences on known limits.
    """

    schema_name: str = SCHEMA
    conqret: str
    run: JudgeRecord
    judge: CardJudge
    topics: int
    stances: Mapping[str, int]
    annotators: int
    labelled: int
    compared: int
    basis: Basis
    agreement: tuple[DimensionAgreement, ...]
    average: Average | None
    sensitivity: tuple[Curve, ...] = ()
    bias: BiasTable | None = None
    repeatability: tuple[Repeatability, ...] = ()
    cost: Cost
    missing: Missingness
    limits: tuple[str, ...]


def make_card(
    record: JudgeRecord,
    summary: Summary,
    validation: Validation,
    items: Iterable[Item],
    *,
    judgments: Iterable[Judgment] = (),
    bias: BiasTable | None = None,
    sensitivity: SensitivityResults | None = None,
) -> Card:
    """Return the judge card of a finished and validated run.

    ``judgments`` are needed for the repeatability of samples.

    Raises:
        DeclarationError: bias table or sensitivity run are of another judge configuration.
    """
    _check_same_judge(record, bias, sensitivity)
    judge = recorded_judge(record)
    known = [(item.topic, item.stance) for item in items]
    topics, stances = {topic for topic, _ in known}, Counter(stance for _, stance in known)
    rows = tuple(dimension.agreement for dimension in validation.dimensions.values())
    every = sensitivity.curves if sensitivity is not None else ()
    curves = tuple(curve for curve in every if curve.fingerprint in record.fingerprints)
    cost = Cost.from_summary(summary)
    again = bias.repeatability if bias is not None else ()
    return Card(
        conqret=__version__,
        run=record,
        judge=CardJudge(summary=judge.summary, scale=judge.scale, score=judge.score, source=judge.source),
        topics=len(topics),
        stances=dict(sorted(stances.items())),
        annotators=len({name for dimension in validation.dimensions.values() for name in dimension.names}),
        labelled=validation.join.labelled,
        compared=validation.join.items,
        basis=validation.basis,
        agreement=rows,
        average=validation.average if len(validation.average.dimensions) > 1 else None,
        sensitivity=curves,
        bias=bias,
        repeatability=again
        or repeatabilities(judgments, record.metrics, validation.basis.settings.confidence),
        cost=cost,
        missing=validation.missing,
        limits=_known_limits(record, rows, validation, curves, bias, cost, len(topics)),
    )


def read_card(path: Path) -> Card:
    """Read the judge card in a file, or in a folder.

    Raises:
        DeclarationError: there is no card.
    """
    file = path / FILE_NAME if path.is_dir() else path
    return read_written(file, Card, "conqret validate", f"not a judge card of the schema {SCHEMA}")


def _check_same_judge(
    record: JudgeRecord, bias: BiasTable | None, sensitivity: SensitivityResults | None
) -> None:
    """Check that the parts of a card are of the judge configuration of the run.

    Raises:
        DeclarationError: a part is of another one; the message says what differs.
    """
    parts: dict[str, Sequence[Mapping[str, Any]]] = {}
    if bias is not None:
        parts["the bias table"] = [dict(bias.record)]
    if sensitivity is not None:
        parts["the sensitivity run"] = sensitivity.record.judges
    for part, judges in parts.items():
        if not {*record.fingerprints} & {judge["fingerprint"] for judge in judges}:
            unnamed = ["other prompts, answers, options or model settings"]
            differing = differences(record.identity, judges[0]["identity"], "of the run") or unnamed
            raise DeclarationError(
                f"{part} belongs to another judge configuration than the run: {'; '.join(differing)}"
            )


def changes(card: Card, setup: Setup) -> list[str]:
    """Return how ``setup`` differs from the card's judge configuration, in words; empty if it does not."""
    if {*card.run.fingerprints} & {*setup.fingerprints}:
        return []
    changed_parts = differences(card.run.identity, setup.identity, "on the card")
    return changed_parts or ["something that this version of conqret counts and the card's version did not"]


MAX_LISTED = 50
"""Rubrics that are told one by one."""


def identity_in_words(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity with each of its criteria as a separate part, in words.

    Rubrics for topics or items become parts of their own if there are not too many.
    """
    name = CRITERIA if identity.get(CRITERIA) else RUBRIC
    if not (declared := identity.get(name)):
        return dict(identity)
    rubrics = Rubrics(criteria_of(declared)) if name == CRITERIA else rubrics_of(declared)
    if rubrics.shared:
        named = ", ".join(criterion.name for criterion in rubrics.shared)
        return {**identity, name: named, **{f"criterion {one.name}": _part_of(one) for one in rubrics.shared}}
    whole = f"{number(len(rubrics.by_key), 'rubric')}, {digest(declared)}"
    parts = {
        f"rubric for {key}": f"{len(each)} criteria, {digest([criterion.plain() for criterion in each])}"
        for key, each in rubrics.by_key.items()
    }
    return {**identity, name: whole, **(parts if len(parts) <= MAX_LISTED else {})}


def _part_of(criterion: Criterion) -> str:
    """A criterion as a part of an identity, in words."""
    looks_at = ", ".join(criterion.shows).replace("_", " ")
    more = (f"{name} {value}" for name, value in criterion.in_a_rubric.items())
    return "; ".join((str(criterion), f"looks at {looks_at}", *more))


def last_checked(card: Card) -> str:
    """Return the day (YYYY-MM-DD, UTC) of the last run behind the card: the judged run or the bias probes."""
    dates = [card.run.created, *([] if card.bias is None else [card.bias.record.created])]
    return max(dates)[:10]


def differences(was: Mapping[str, Any], now: Mapping[str, Any], where: str) -> list[str]:
    """Return the parts in which two judge identities differ, in words.

    ``where`` says where the first one applies, for example "on the card".
    """
    was, now = identity_in_words(was), identity_in_words(now)
    differing = []
    for name in dict.fromkeys((*now, *was)):
        if was.get(name) == now.get(name):
            continue
        if name.startswith("prompt ") and not (name in was and name in now):
            differing.append(f"{name}: {'added' if name in now else 'no longer used'}")
        elif name.startswith(("prompt ", "schemas ", "definitions ")):  # readers cannot compare digests
            differing.append(f"{name}: changed")
        else:
            differing.append(f"{name}: {now.get(name)}, and {was.get(name)} {where}")
    return differing


def _known_limits(
    record: JudgeRecord,
    rows: Sequence[DimensionAgreement],
    validation: Validation,
    curves: Sequence[Curve],
    bias: BiasTable | None,
    cost: Cost,
    topics: int,
) -> tuple[str, ...]:
    """Return the sentences on limits that hold for this judge, the most serious first."""
    single = [row.dimension for row in rows if row.annotators < 2]
    unlabeled = validation.join.unlabelled_metrics
    named, were = _names(single), "was" if len(single) == 1 else "were"
    sentences = {
        "This judge is the lexical baseline: it counts words and understands nothing. An LLM judge is useful "
        "only if it agrees better with annotators than this baseline does.": record.baseline,
        **_agreement(rows),
        **_calibration_and_baselines(validation),
        **_curves(curves),
        **_bias(bias),
        f"{1 - validation.coverage:.1%} of the labeled units have no score by the judge.": validation.coverage
        < WHOLE,
        _sampling_sentence(validation): validation.join.items < validation.join.judged,
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


def _sampling_sentence(validation: Validation) -> str:
    """Return a sentence on how the labeled items were chosen, for a validation in which not all are labeled."""
    join = validation.join
    some = f"{join.items} of {join.judged} judged items are labeled"
    if RANDOM_SAMPLE in validation.basis.notes:
        return f"{some}: {RANDOM_SAMPLE}."
    if validation.guard.fired:
        return f"{some}. {validation.guard.sentence}"
    if validation.drawn_by:
        how = {"random": "at random", "verdict": "by the judge's verdict", "label": "by human label"}
        return f"{some}: they were drawn {how[validation.drawn_by]}, as stated with --drawn-by."
    return (
        f"{some}, and the labels do not say how these items were chosen: the card holds for the unlabeled items only "
        "if the labeled ones are a random sample (conqret labels sample --plan draws one)."
    )


def _agreement(rows: Sequence[DimensionAgreement]) -> dict[str, object]:
    known = [row for row in rows if row.alpha.value is not None]
    none = [row.dimension for row in rows if row.alpha.value is None]
    worse = [row.dimension for row in known if row.alpha.sign < 0]
    chance = [row.dimension for row in known if row.alpha.low is not None and row.alpha.sign == 0]
    rest = [row for row in known if row.dimension not in (*worse, *chance)]
    weak = [row.dimension for row in rest if (row.alpha.value or 0) < WEAK]
    without = gathered((row.alpha.reason, row.dimension) for row in known if row.alpha.low is None)
    below = [
        f"{row.dimension} (difference {row.judge_minus_annotator})"
        for row in known
        if row.judge_minus_annotator.sign < 0
    ]
    noisy = [row.dimension for row in rows if row.annotators_at_chance]
    others = "on every dimension" if len(rest) == len(known) else "on all other dimensions"
    where = others if len(weak) == len(rest) else f"on {_names(weak)}"
    return {
        f"The judge agrees with annotators less than by chance on {_names(worse)}: check whether one of the scales is "
        "reversed, or whether most of its scores are far higher or lower than the labels.": worse,
        f"Alpha does not show that the judge agrees with annotators more than by chance on {_names(chance)}.": chance,
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


def _calibration_and_baselines(validation: Validation) -> dict[str, object]:
    """Return sentences on the gain by calibration and on the baselines that the judge does not beat, each with a value
    that is true if it holds for this validation."""
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
    return {f"{mended}.": calibrated, **dict.fromkeys(baseline_sentences(over), not beaten)}


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
    return words.listed(listed, MAX_NAMED - (len(listed) > MAX_NAMED))


def _words(name: str) -> str:
    return name.replace("_", " ")
