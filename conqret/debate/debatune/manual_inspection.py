"""Annotators inspect a judge of controllability: which statements they see, and how far they agree with it (DEBATunE,
section 4.2).

Bad statements are few, so that all that the judge calls bad are inspected, and of the good ones a random draw. Counts
over such a form would make the judge look worse than it is, or better: each statement stands for 1 / its probability
of being drawn (Horvitz and Thompson 1952).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from conqret.data import Item, Judgment
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.debate.debatune.debate_files import judged_run, system_of
from conqret.debate.debatune.statement_scores import CONTROLLABILITY, GOOD_FROM, check_good_from, is_good
from conqret.errors import DeclarationError, strict_options
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.limits import whole_bytes
from conqret.io.safe_files import write_new
from conqret.labels.task import AnnotationForm
from conqret.show.table import Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import leave_one_out

GOOD_SAMPLE = 100
"""Good statements of each system that annotators look at, next to all bad ones (section 5.1: a random set of 100)."""
SEED = 13
"""Draws and shuffles the statements of a form."""
GOOD, TIE = 1.0, 0.5
"""What annotators may say: strictly on its side, hard to judge; lower is what holds something of the other side."""

WORDS = "good=1,tie=0.5,bad=0"
"""The words of a form, and what they mean."""

Verdict = Literal["good", "bad"]
_COLUMNS = ("good", "good"), ("good", "bad"), ("bad", "good"), ("bad", "bad")
"""What the judge and an annotator may say, in the order of the columns that are summed."""
_SHARES: Mapping[str, list[int]] = {
    **{name: [0, 1, 2, 3] for name in ("agreement", "kappa", "good_by_judge", "good_by_people")},
    "bad_confirmed": [2, 3],
    "good_confirmed": [0, 1],
    "ties": [0, 1, 2, 3, 4],
}
"""What is estimated, and over which columns; the last one holds the ties."""


class InspectedStatement(Frozen):
    """One sampled statement of an annotation form: its system, topic, judge's verdict, and sampling
    probability in (0, 1].

    The probability is that of being sampled among the statements of its system with the same verdict.
    """

    item: str
    system: str
    topic: str
    verdict: Verdict
    probability: float = Field(gt=0, le=1)


class Inspection(Frozen):
    """The statements sampled for an annotation form, in its order, and how they were sampled.

    ``unanswered`` counts the statements without a verdict of the judge.
    """

    model: str
    good_from: int
    seed: int
    unanswered: int
    drawn: tuple[InspectedStatement, ...] = Field(min_length=1)


@strict_options
def sample_statements(
    run: str | Path, *, good: int = GOOD_SAMPLE, good_from: int = GOOD_FROM, seed: int = SEED
) -> tuple[Inspection, AnnotationForm]:
    """Sample statements for annotators to inspect: all that were judged bad, and some of the good ones.

    Args:
        run: a finished run of ``conqret debate score``.
        good: how many of the statements judged good to sample, of each system.
        good_from: the percentage on the assigned side from which a statement is good.
        seed: the random seed of sample and order.

    Returns:
        The sample with the judge's verdicts, and the form for annotators, without them.

    Raises:
        DeclarationError: as :func:`draw_inspection`, or the run is of another kind or not finished.
    """
    folder = judged_run(Path(run), CONTROLLABILITY, "conqret debate score")
    items = list(folder.items())
    inspection = draw_inspection(
        items, folder.judgments(), model=folder.record().model, good=good, good_from=good_from, seed=seed
    )
    by_id = {item.id: item for item in items}
    drawn = [by_id[one.item] for one in inspection.drawn]
    return inspection, AnnotationForm(
        "read the argument", drawn, [CONTROLLABILITY], words=("good", "bad", "tie")
    )


def write_inspection(run: Path, file: Path, *, good_from: int, overwrite: bool) -> dict[str, Path]:
    """Sample the statements of a finished run, and write the annotation form and the plan with the judge's
    verdicts.

    Returns:
        The paths of the form (``sheet``) and of the plan (``plan``).
    """
    inspection, form = sample_statements(run, good_from=good_from)
    plan = plan_file(file)
    texts = {file: form.csv()[""], plan: inspection.model_dump_json(indent=1) + "\n"}
    write_new(texts, overwrite=overwrite)
    return {"sheet": file, "plan": plan}


def plan_file(form: Path) -> Path:
    """Return the path of the plan that belongs to an annotation form."""
    return form.with_name(f"{form.name}.plan.json")


def draw_inspection(
    items: Iterable[Item],
    judgments: Iterable[Judgment],
    *,
    model: str = "",
    good: int = GOOD_SAMPLE,
    good_from: int = GOOD_FROM,
    seed: int = SEED,
) -> Inspection:
    """Sample every statement that the judge calls bad and, of each system, ``good`` of the others, in random
    order.

    ``judgments`` are those of the ``items`` by the format ``controllability``, in the same order; ``model``
    is the judge. The other arguments are as in :func:`sample_statements`.

    Raises:
        DeclarationError: ``good_from`` is out of range, or no statement has a verdict.
    """
    check_good_from(good_from)
    verdicts: dict[bool | None, Verdict | None] = {True: "good", False: "bad", None: None}
    strata = gathered(
        ((system_of(item), verdicts[is_good(judgment.measures[CONTROLLABILITY], good_from)]), item)
        for item, judgment in zip(items, judgments, strict=True)
    )
    rng = random.Random(seed)
    drawn = [
        InspectedStatement(
            item=item.id, system=system, topic=item.topic, verdict=verdict, probability=size / len(among)
        )
        for (system, verdict), among in strata.items()
        if verdict
        for size in (len(among) if verdict == "bad" else min(good, len(among)),)
        for item in rng.sample(among, size)
    ]
    if not drawn:
        raise DeclarationError("there is nothing to inspect: no statement has a verdict of the judge")
    rng.shuffle(drawn)
    return Inspection(
        model=model,
        good_from=good_from,
        seed=seed,
        unanswered=sum(len(among) for (_, verdict), among in strata.items() if verdict is None),
        drawn=tuple(drawn),
    )


class InspectionAgreement(Frozen):
    """The estimated agreement of annotators with the judge on all statements of one system.

    Labels are weighted by inverse sampling probability. ``agreement`` is the share on which both say good or
    both say bad, and ``kappa`` is Cohen's kappa. ``bad_confirmed`` is the share of statements judged bad that
    annotators call bad; ``good_confirmed`` likewise. ``good_by_judge`` and ``good_by_people`` are the shares
    of good statements. Ties are left out of all these, and ``ties`` is their share. Intervals (95%) are over
    topics. ``sheet`` counts the sampled statements, and ``unlabelled`` those without a label.
    """

    system: str
    sheet: int
    unlabelled: int
    agreement: Estimate
    kappa: Estimate
    bad_confirmed: Estimate
    good_confirmed: Estimate
    good_by_judge: Estimate
    good_by_people: Estimate
    ties: Estimate


@dataclass(frozen=True, slots=True)
class StatementAgreement:
    """The sample behind an annotation form, remarks on its labels, and the agreement for each system."""

    inspection: Inspection
    notes: tuple[str, ...]
    systems: tuple[InspectionAgreement, ...]


@strict_options
def statement_agreement(form: str | Path, *, plan: str | Path | None = None) -> StatementAgreement:
    """Estimate the agreement of annotators with the judge on statements, corrected for the sampling.

    Args:
        form: the completed form of ``conqret debate score --sample``.
        plan: the plan with the sample, by default ``FORM.plan.json``.

    Returns:
        The agreement for each system.

    Raises:
        DeclarationError: as :func:`agreement`, or form or plan cannot be read.
    """
    file = plan_file(Path(form)) if plan is None else Path(plan)
    try:
        inspection = Inspection.model_validate_json(whole_bytes(file))
    except (ValidationError, OSError) as error:
        raise DeclarationError(
            f"{file} is no plan, which `conqret debate score --sample` writes with its form: {error}"
        ) from None
    labels = read_labels(Path(form), words=[WORDS], dimensions=[CONTROLLABILITY])
    return StatementAgreement(inspection, labels.notes, tuple(agreement(inspection, labels)))


def agreement(inspection: Inspection, labels: LabelSet) -> list[InspectionAgreement]:
    """Estimate the agreement of annotators' labels with the judge, for each system.

    Args:
        inspection: the sample behind the form.
        labels: the annotators' labels: good as 1, tie as .5 and bad as 0 (:data:`WORDS`). Several labels
            of one statement share its weight.

    Raises:
        DeclarationError: a label is of a statement that was not sampled, or there are no labels.
    """
    drawn = {statement.item for statement in inspection.drawn}
    if strange := next((label.unit.item for label in labels.labels if label.unit.item not in drawn), None):
        raise DeclarationError(
            f"{labels.name} has a label of {strange!r}, which its plan does not contain: give the "
            "plan of this annotation form"
        )
    labels_by_item = gathered(
        (label.unit.item, label.value) for label in labels.labels if label.value is not None
    )
    if not labels_by_item:
        raise DeclarationError(
            f"{labels.name} contains no labels yet: write good, tie or bad into the column {CONTROLLABILITY}"
        )
    by_system = gathered((statement.system, statement) for statement in inspection.drawn)
    return [_of_system(name, statements, labels_by_item) for name, statements in by_system.items()]


def _of_system(
    system: str, drawn: list[InspectedStatement], labels_by_item: Mapping[str, list[float]]
) -> InspectionAgreement:
    labelled = [statement for statement in drawn if labels_by_item.get(statement.item)]
    sizes = Counter(statement.verdict for statement in drawn)
    there = Counter(statement.verdict for statement in labelled)
    rows, topics = [], []
    for drawn_item in labelled:
        values = labels_by_item[drawn_item.item]
        weight = sizes[drawn_item.verdict] / there[drawn_item.verdict] / drawn_item.probability / len(values)
        for value in values:
            person = "tie" if value == TIE else "good" if value == GOOD else "bad"
            both = [(drawn_item.verdict, person) == column for column in _COLUMNS]
            rows.append([weight * there_is for there_is in (*both, person == "tie")])
            topics.append(drawn_item.topic)
    lacking = [verdict for verdict in sizes if not there[verdict]]
    estimates = dict.fromkeys(_SHARES, undefined(f"no statement judged {' or '.join(lacking)} is labeled"))
    if rows:
        weighted = np.array(rows)
        leaving = leave_one_out(topics)
        sums = leaving.sums(weighted)
        for name in ("bad_confirmed", "good_confirmed") if lacking else _SHARES:
            sampled = leaving.sampled(
                partial(_share, name, sums),
                len(rows),
                reason="there is none to divide by",
                scale="correlation" if name == "kappa" else "share",
                counted=weighted[:, _SHARES[name]].sum(axis=1) > 0,
            )
            estimates[name] = sampled.estimate()
    return InspectionAgreement(
        system=system, sheet=len(drawn), unlabelled=len(drawn) - len(labelled), **estimates
    )


def _share(name: str, sums: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share ``name`` of :class:`InspectionAgreement` for each row of ``weights`` (resamples by
    topics), NaN where it is undefined, from ``sums``: each topic's weighted labels (topics by the columns of
    :data:`_COLUMNS`, then ties).

    ``kappa = (p - e) / (1 - e)`` with p the agreement, ``e = j h + (1 - j)(1 - h)``, and j and h the shares of good
    statements by judge and annotators.
    """
    both, good_bad, bad_good, neither, ties = (weights @ sums).T
    decided = both + good_bad + bad_good + neither
    with np.errstate(divide="ignore", invalid="ignore"):
        agreed = (both + neither) / decided
        judge, people = (both + good_bad) / decided, (both + bad_good) / decided
        chance = judge * people + (1 - judge) * (1 - people)
        shares: dict[str, NDArray[np.float64]] = {
            "agreement": agreed,
            "kappa": np.where(chance < 1, (agreed - chance) / (1 - chance), np.nan),
            "bad_confirmed": neither / (bad_good + neither),
            "good_confirmed": both / (both + good_bad),
            "good_by_judge": judge,
            "good_by_people": people,
            "ties": ties / (decided + ties),
        }
    return shares[name]


def agreement_table(agreements: Sequence[InspectionAgreement], inspection: Inspection) -> Table:
    """Build the table of the agreement of annotators with the judge, with a row for each system."""
    return Table(
        f"Annotators and {inspection.model}, corrected for the sampling",
        {
            Column("System", "text"): "system",
            "Labeled": lambda agreement: agreement.sheet - agreement.unlabelled,
            "Agreement": "agreement",
            "Kappa": "kappa",
            "Bad confirmed": "bad_confirmed",
            "Good confirmed": "good_confirmed",
            "Good by judge": "good_by_judge",
            "Good by annotators": "good_by_people",
            "Ties": "ties",
        },
        agreements,
        note="Every label weighs as many statements as it stands for: the shares are those of the whole run. "
        "Agreement: both say good, or both bad. Confirmed: annotators give the same label to what the judge calls bad, "
        "or good. Ties are left out of all but the last column. Intervals (95%) are over topics.",
    )
