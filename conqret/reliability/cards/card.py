"""The judge card: what is known of one instrument (judge, prompts, model), on one page and as JSON.

Its schema is published in ``docs/judge-card.schema.json``. A card belongs to a fingerprint: where prompt, model or
scale change, :func:`conqret.reliability.cards.fit.changes` says what is new, and the card is stale.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conqret._version import __version__
from conqret.data import Item
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.judging.base import JudgeOptions
from conqret.judging.folder import JudgeRecord
from conqret.judging.registry import JUDGES
from conqret.judging.summary import Summary
from conqret.reliability.bias.table import BiasTable
from conqret.reliability.cards.cost import Cost
from conqret.reliability.cards.fit import answers_digest, model_settings
from conqret.reliability.cards.limits import known_limits
from conqret.reliability.sensitivity.curves import Curve
from conqret.reliability.sensitivity.results import SensitivityResults
from conqret.reliability.validation.dimension import DimensionAgreement
from conqret.reliability.validation.missing import Missingness
from conqret.reliability.validation.validate import Average, Validation

SCHEMA = "conqret.judge-card/2"
FILE_NAME = "card.json"


class CardInstrument(Frozen):
    """The instrument, with all that its fingerprint is made of: ``prompts`` maps prompts to digests, ``answers`` is
    a digest of scale, answer schemas and dimensions, ``options`` and ``settings`` are the judge's and the model's."""

    format: str
    model: str
    baseline: bool
    fingerprint: str
    summary: str
    scale: str
    score: str
    source: str
    metrics: tuple[str, ...]
    prompts: Mapping[str, str]
    answers: str
    options: Mapping[str, Any]
    settings: Mapping[str, Any]


class CardData(Frozen):
    """What the judge was measured on: the items, and people's labels of them."""

    items: str
    count: int
    topics: int
    stances: Mapping[str, int]
    digest: str
    labels: str
    layout: str
    annotators: int
    labelled: int
    compared: int
    notes: tuple[str, ...] = ()


class Card(Frozen):
    """The judge card. ``agreement`` has a row for each labelled dimension, ``people`` beside the judge in each, and
    ``average`` the mean of two and more; ``sensitivity`` and ``bias`` are there where such runs were given; ``limits``
    are sentences for people."""

    schema_name: str = SCHEMA
    conqret: str
    judged: str
    instrument: CardInstrument
    data: CardData
    confidence: float
    clustered_by: str
    clusters: int
    agreement: tuple[DimensionAgreement, ...]
    average: Average | None
    sensitivity: tuple[Curve, ...] = ()
    bias: BiasTable | None = None
    cost: Cost
    missing: Missingness
    limits: tuple[str, ...]


def make_card(
    record: JudgeRecord,
    summary: Summary,
    validation: Validation,
    items: Iterable[Item],
    *,
    bias: BiasTable | None = None,
    sensitivity: SensitivityResults | None = None,
) -> Card:
    """The card of a finished run that was held against labels.

    Raises:
        DeclarationError: validation, bias table or sensitivity run are of another instrument.
    """
    _same_instrument(record, validation, bias, sensitivity)
    judge = JUDGES[record.format]
    known = [(item.topic, item.stance) for item in items]
    topics, stances = {topic for topic, _ in known}, Counter(stance for _, stance in known)
    rows = tuple(one.agreement for one in validation.dimensions.values())
    curves = tuple(
        curve
        for curve in (sensitivity.curves if sensitivity is not None else ())
        if (curve.format, curve.model) == (record.format, record.model)
    )
    cost = Cost.of(summary)
    names = {name for one in validation.dimensions.values() for name in one.names}
    return Card(
        conqret=__version__,
        judged=record.created,
        instrument=CardInstrument(
            format=record.format,
            model=record.model,
            baseline=record.baseline,
            fingerprint=record.fingerprint,
            summary=judge.summary,
            scale=judge.scale,
            score=judge.score,
            source=judge.source,
            metrics=tuple(record.metrics),
            prompts=record.prompts,
            answers=answers_digest(judge, record.metrics, _options(record)),
            options={name: value for name, value in record.options.items() if name != "metrics"},
            settings=model_settings(record.model_options),
        ),
        data=CardData(
            items=record.items_name,
            count=record.items_count,
            topics=len(topics),
            stances=dict(sorted(stances.items())),
            digest=record.items_digest,
            labels=Path(validation.labels).name,
            layout=validation.layout,
            annotators=len(names),
            labelled=validation.join.labelled,
            compared=validation.join.items,
            notes=tuple(validation.label_notes),
        ),
        confidence=validation.settings.confidence,
        clustered_by=validation.clustered_by,
        clusters=validation.clusters,
        agreement=rows,
        average=validation.average if len(validation.average.dimensions) > 1 else None,
        sensitivity=curves,
        bias=bias,
        cost=cost,
        missing=validation.missing,
        limits=known_limits(record, rows, validation, curves, bias, cost, len(topics)),
    )


def read_card(path: Path) -> Card:
    """The card in a file, or in a folder. Raises DeclarationError where there is none."""
    file = path / FILE_NAME if path.is_dir() else path
    try:
        return Card.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        raise DeclarationError(
            f"{file} is not there: conqret validate with -o {file.parent} makes it"
        ) from None
    except ValidationError as error:
        raise DeclarationError(f"{file} is no judge card of the schema {SCHEMA}: {error}") from error


def card_schema() -> dict[str, Any]:
    """The JSON schema of a card, as it is published."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Card.model_json_schema(mode="serialization"),
    }


def _options(record: JudgeRecord) -> JudgeOptions:
    given = {name: value for name, value in record.options.items() if name != "metrics"}
    return JudgeOptions(metrics=tuple(record.metrics), **given)


def _same_instrument(
    record: JudgeRecord,
    validation: Validation,
    bias: BiasTable | None,
    sensitivity: SensitivityResults | None,
) -> None:
    """Refuse parts that were made by another instrument than the run."""
    judge = validation.judge
    parts = {"the validation": [(judge.format, judge.model, judge.fingerprint)]}
    if bias is not None:
        parts["the bias table"] = [(bias.format, bias.model, bias.fingerprint)]
    if sensitivity is not None:
        judges = sensitivity.record.judges
        parts["the sensitivity run"] = [(one["format"], one["model"], one["fingerprint"]) for one in judges]
    for part, made_by in parts.items():
        if record.fingerprint not in {fingerprint for _, _, fingerprint in made_by}:
            raise DeclarationError(
                f"{part} is of another instrument than the run: {_difference(record, made_by)}"
            )


def _difference(record: JudgeRecord, made_by: Sequence[tuple[str, str, str]]) -> str:
    others = [
        fingerprint for name, model, fingerprint in made_by if (name, model) == (record.format, record.model)
    ]
    if others:
        return (
            f"the same format and model with other prompts, answers, options or model settings (fingerprint "
            f"{others[0]}, and {record.fingerprint} of the run). Make it again with those of the run"
        )
    instruments = " and ".join(f"{name} with {model}" for name, model, _ in made_by) or "nothing"
    return f"it is of {instruments}, the run of {record.format} with {record.model}"
