"""The known limits of a judge in words: what a reader of its scores has to be told, drawn from the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conqret.judging.folder import JudgeRecord
from conqret.reliability.bias.table import BiasTable
from conqret.reliability.cards.cost import Cost
from conqret.reliability.sensitivity.curves import Curve
from conqret.reliability.validation.dimension import DimensionAgreement
from conqret.reliability.validation.validate import Validation

FEW_TOPICS = 10
"""Fewer clusters than this make intervals too narrow (Cameron, Gelbach and Miller 2008)."""

WEAK = 0.667
"""Krippendorff's own bound, below which no conclusion should be drawn (Content Analysis, section 11.4)."""

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
    found = []
    if record.baseline:
        found.append(
            "This is the lexical baseline: it counts words and understands nothing. It is the floor that a judge "
            "has to beat."
        )
    found += _agreement(rows)
    found += _curves(curves)
    found += _bias(bias)
    if validation.coverage < WHOLE:
        found.append(f"{1 - validation.coverage:.1%} of the labelled units have no score.")
    unlike = [
        one.covariate
        for one, p in zip(validation.missing.associations, validation.missing.p_holm, strict=True)
        if p is not None and p < 0.05
    ]
    if unlike:
        found.append(f"Scores are not missing at random: they hang together with {' and '.join(unlike)}.")
    if topics < FEW_TOPICS:
        found.append(f"There are {topics} topics only: intervals over so few are too narrow.")
    single = [row.dimension for row in rows if row.annotators < 2]
    if single:
        found.append(
            f"{_named(single)} labelled by one person: nothing is known of how far people agree there."
        )
    if validation.join.unlabelled_metrics:
        found.append(f"Not held against people: {_named(validation.join.unlabelled_metrics, verb=False)}.")
    if cost.usd is None:
        found.append("What it costs is unknown: the model's price is not known.")
    found.append(
        f"All this holds for items like those of {record.items_name} and for this fingerprint; another prompt, model "
        "or scale is another instrument."
    )
    return tuple(found)


def _agreement(rows: Sequence[DimensionAgreement]) -> list[str]:
    found = []
    known = [row for row in rows if row.alpha.value is not None]
    chance = [row.dimension for row in known if row.alpha.low is not None and row.alpha.low <= 0]
    weak = [row.dimension for row in known if (row.alpha.value or 0) < WEAK]
    below = [
        row.dimension
        for row in known
        if row.person.value is not None and row.alpha.high is not None and row.alpha.high < row.person.value
    ]
    if chance:
        found.append(f"Agreement with people is not told apart from chance on {_names(chance)}.")
    if weak and len(weak) < len(known):
        found.append(f"Alpha with people is below {WEAK} on {_names(weak)}.")
    elif weak:
        found.append(
            f"Alpha with people is below {WEAK} everywhere: too low to rest a conclusion on single scores."
        )
    if below:
        found.append(f"It agrees with people less than one of them does with the others on {_names(below)}.")
    none = [row.dimension for row in rows if row.alpha.value is None]
    if none:
        found.append(f"No agreement could be computed on {_names(none)}.")
    return found


def _curves(curves: Sequence[Curve]) -> list[str]:
    if not curves:
        return ["Whether it notices known damage was not measured (no sensitivity run is given)."]
    blind = [f"{_words(row.metric)} under {row.perturbation}" for row in curves if row.verdict is False]
    return [f"Scores do not follow known damage as they should: {_names(blind)}."] if blind else []


def _bias(bias: BiasTable | None) -> list[str]:
    if bias is None:
        return ["Bias was not measured (no bias table is given)."]
    found = [f"{text[:1].upper()}{text[1:]}." for text in bias.warnings]
    alarms: dict[str, list[str]] = {}
    for row in bias.alarms:
        alarms.setdefault(f"{row.probe} ({row.words})", []).append(_words(row.metric))
    found += [f"Bias found: {name}, on {_names(metrics)}." for name, metrics in alarms.items()]
    if bias.left_out:
        found.append(f"Not probed for {_names(bias.left_out)}.")
    return found


def _named(names: Sequence[str], *, verb: bool = True) -> str:
    text = _names(names)
    text = text[:1].upper() + text[1:] if verb else text
    return f"{text} {'was' if len(names) == 1 else 'were'}" if verb else text


def _names(names: Iterable[str], most: int = 6) -> str:
    listed = [_words(name) for name in dict.fromkeys(names)]
    if len(listed) > most:
        listed = [*listed[: most - 1], f"{len(listed) - most + 1} more"]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"


def _words(name: str) -> str:
    return name.replace("_", " ")
