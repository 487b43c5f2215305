"""The judge card: what is known of one instrument (judge, prompts, model), on one page and as JSON.

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
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.limits import read_written
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.rubrics import identity_in_words
from conqret.judging.setup import Setup, recorded_judge
from conqret.judging.summary import Cost, Summary
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.dimension_result import DimensionAgreement, Missingness
from conqret.studies.bias.result import BiasTable
from conqret.studies.card.card_limits import known_limits
from conqret.studies.sensitivity.curves import Curve
from conqret.studies.sensitivity.result import SensitivityResults
from conqret.studies.validate.result import Average, Validation
from conqret.studies.variance.result import Repeatability, repeatabilities

SCHEMA = "conqret.judge-card/4"
FILE_NAME = "card.json"


class CardJudge(Frozen):
    """What the judge says of itself: what it measures, on which scale, how answers become scores, and its source."""

    summary: str
    scale: str
    score: str
    source: str


class Card(Frozen):
    """The judge card. ``run`` says which instrument was measured on which items (``topics`` and ``stances`` count
    these), ``basis`` what the intervals rest on.

    Of ``labelled`` items by ``annotators`` people ``compared`` were judged. ``agreement`` has a row for each labelled
    dimension, ``people`` beside the judge in each, and ``average`` the mean of two and more; ``sensitivity`` and
    ``bias`` are there where such runs were given. ``repeatability`` is that of
    whole judgments where the bias probes asked for them again, else that of the single samples of the run. ``limits``
    are sentences for people.
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
    """The card of a finished run that was held against labels; of its ``judgments`` the samples are looked at.

    Raises:
        DeclarationError: validation, bias table or sensitivity run are of another instrument.
    """
    _same_instrument(record, validation, bias, sensitivity)
    judge = recorded_judge(record)
    known = [(item.topic, item.stance) for item in items]
    topics, stances = {topic for topic, _ in known}, Counter(stance for _, stance in known)
    rows = tuple(dimension.agreement for dimension in validation.dimensions.values())
    every = sensitivity.curves if sensitivity is not None else ()
    curves = tuple(curve for curve in every if curve.fingerprint == record.fingerprint)
    cost = Cost.of(summary)
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
        limits=known_limits(record, rows, validation, curves, bias, cost, len(topics)),
    )


def read_card(path: Path) -> Card:
    """The card in a file, or in a folder. Raises DeclarationError where there is none."""
    file = path / FILE_NAME if path.is_dir() else path
    return read_written(file, Card, "conqret validate", f"not a judge card of the schema {SCHEMA}")


def _same_instrument(
    record: JudgeRecord,
    validation: Validation,
    bias: BiasTable | None,
    sensitivity: SensitivityResults | None,
) -> None:
    """Refuse parts that were made by another instrument than the run."""
    parts: dict[str, Sequence[Mapping[str, Any]]] = {"the validation": [validation.judge.model_dump()]}
    if bias is not None:
        parts["the bias table"] = [dict(bias.record)]
    if sensitivity is not None:
        parts["the sensitivity run"] = sensitivity.record.judges
    for part, judges in parts.items():
        if record.fingerprint not in {judge["fingerprint"] for judge in judges}:
            was, other = record.identity, judges[0].get("identity")
            if other is None:
                was, other = (
                    {name: one[name] for name in ("format", "model")} for one in (dict(record), judges[0])
                )
            unnamed = ["other prompts, answers, options or model settings"]
            why = "; ".join(differences(was, other, "of the run") or unnamed)
            raise DeclarationError(f"{part} belongs to another judge configuration than the run: {why}")


def changes(card: Card, setup: Setup) -> list[str]:
    """What has changed between the instrument of the card and ``setup``, in words; empty where the card fits."""
    if card.run.fingerprint == setup.fingerprint:
        return []
    changed_parts = differences(card.run.identity, setup.identity, "on the card")
    return changed_parts or ["something that this version of conqret counts and the card's version did not"]


def last_checked(card: Card) -> str:
    """The day (YYYY-MM-DD, UTC) on which the judge was last asked anything that the card rests on: the judged run or
    the bias probes."""
    dates = [card.run.created, *([] if card.bias is None else [card.bias.record.created])]
    return max(dates)[:10]


def differences(was: Mapping[str, Any], now: Mapping[str, Any], where: str) -> list[str]:
    """The parts of two identities that differ, in words; ``where`` says where the first one is."""
    was, now = identity_in_words(was), identity_in_words(now)
    differing = []
    for name in dict.fromkeys((*now, *was)):
        if was.get(name) == now.get(name):
            continue
        if name.startswith("prompt ") and not (name in was and name in now):
            differing.append(f"{name}: {'added' if name in now else 'no longer used'}")
        elif name.startswith(("prompt ", "schemas ", "definitions ")):  # digests say nothing to people
            differing.append(f"{name}: changed")
        else:
            differing.append(f"{name}: {now.get(name)}, and {was.get(name)} {where}")
    return differing
