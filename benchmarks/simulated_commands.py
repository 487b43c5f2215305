"""What commands print that is more than one statistic of :mod:`simulated_intervals`, of made-up judgments and labels.

``calibrate`` and ``validate`` get judgments and labels as they read them; the judge of ``calibrate`` ranks as it sees,
on a scale of its own. ``score stability`` gets a table of what two instruments measure of eight systems.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulated_intervals import Triple, World, made, triple

from conqret.data import Judgment, Measure, Status
from conqret.debateqa.stability import ranking_taus
from conqret.io.label_set import LabelScale, Scales
from conqret.io.labels import Label, LabelSet, Unit
from conqret.io.leaderboards import SystemLeaderboard, leaderboard
from conqret.stats.correlation import kendall, pearson
from conqret.stats.effects import ALPHA
from conqret.stats.resampling import leave_one_out
from conqret.stats.variance_components import variance_components
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.label_join import DimensionView, join_labels
from conqret.studies.calibrate.fit_calibration import calibrate
from conqret.studies.systems.meta_evaluation import meta_evaluate
from conqret.studies.systems.result import MetaSettings
from conqret.studies.variance.result import deviation

DIMENSION = "clarity"
LABELS = Scales(LabelScale("interval", 1.0, 5.0, whole=False))
"""Any number may be said, so that monotone maps are the only kind that can be had."""


def judgments(world: World, scores: NDArray[np.float64]) -> list[Judgment]:
    """A judgment of each item."""
    same: dict[str, Any] = {"stance": "pro", "format": "direct", "model": "m", "fingerprint": "f"}
    return [
        Judgment(
            item=f"i{place}",
            topic=f"t{topic}",
            measures={DIMENSION: Measure(status=Status.SCORED, value=float(score))},
            **same,
        )
        for place, (topic, score) in enumerate(zip(world.names, scores, strict=True))
    ]


def labels(world: World) -> LabelSet:
    """What both people say of each item."""
    return LabelSet(
        "labels.csv",
        "long",
        tuple(
            Label(Unit(f"i{place}"), DIMENSION, person, float(value), topic=f"t{topic}")
            for person, annotator in zip(("ann", "ben"), world.people, strict=True)
            for place, (topic, value) in enumerate(zip(world.names, annotator, strict=True))
        ),
        LABELS,
    )


COMMANDED = (
    "calibrate, alpha as it is",
    "calibrate, alpha calibrated",
    "calibrate, gain",
    "calibrate, distance from people",
    "validate, one person and the others",
    "validate, the judge in their place",
)
"""Each interval by its name."""


def commanded(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The intervals of one sample, by name."""
    world = made(np.random.default_rng([seed, topics, balanced, 3]), topics, balanced, "even")
    known = labels(world)
    own_scale = 0.05 + 0.6 * ((world.judge - 1) / 4) ** 2  # rises with what the judge sees, below two thirds
    mended = calibrate(judgments(world, own_scale), known).checked[DIMENSION]
    joined = join_labels(judgments(world, (world.judge - 1) / 4), known)
    person, as_person = DimensionView(joined, DIMENSION, AgreementSettings()).one_annotator_alphas(
        leave_one_out(world.names)
    )
    found = (
        *(mended.alpha["mean"], mended.alpha["calibrated"], mended.gain, mended.error["calibrated"]),
        *(person.estimate(), as_person.estimate()),
    )
    return {name: triple(one) for name, one in zip(COMMANDED, found, strict=True)}


SYSTEMS = 8
LACKING = 0.3
"""The share of answers that are not there where questions are unbalanced."""
OWN = 0.05
"""By what standard deviation an instrument (a judge) is better or worse disposed to a whole system."""


def instrument_means(own: float = OWN) -> NDArray[np.float64]:
    """What each of two instruments (rows) gives each system in the mean of very many questions."""
    return np.asarray(
        np.linspace(0.35, 0.65, SYSTEMS) + np.random.default_rng(0).normal(size=(2, SYSTEMS)) * own
    )


def _answers(rng: np.random.Generator, topics: int, balanced: bool) -> tuple[NDArray, NDArray]:
    """How much better or worse than its system's mean each answer is (questions by systems), and which are there."""
    worth = rng.normal(size=(topics, 1)) * 0.1 + rng.normal(size=(topics, SYSTEMS)) * 0.15
    return worth, rng.random(worth.shape) >= (0 if balanced else LACKING)


STABLE = ("score stability, tau of systems", "score stability, ranked alike")
DISPOSED = dict(zip(STABLE, (OWN, 0.0), strict=True))
"""How far both instruments have views of their own."""


def stable(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The tau of two instruments' rankings of systems by as many questions as elsewhere topics: of two that have views
    of their own on systems, and of two that have none."""
    rng = np.random.default_rng([seed, topics, balanced, 5])
    worth, there = _answers(rng, topics, balanced)
    return {
        which: tau_of(
            (means + worth + rng.normal(size=worth.shape) * 0.1 for means in instrument_means(own)), there
        )
        for which, own in DISPOSED.items()
    }


def tau_of(scores: Iterable[NDArray[np.float64]], there: NDArray[np.bool_]) -> Triple | None:
    """The tau of systems of two instruments, whose scores of all answers (questions by systems) are given and of which
    some are not ``there``."""
    questions, systems = np.nonzero(there)
    values = dict(zip("ab", (scored[there] for scored in scores), strict=True))
    (tau,) = ranking_taus(values, systems, leave_one_out(questions.tolist())).values()
    return triple(tau)


REFERENCE, JUDGE = np.linspace(0.35, 0.65, SYSTEMS), instrument_means(2 * OWN)[0]
"""What people and judges give each system in the mean of very many topics."""
META = ("meta, Kendall over all topics", "meta, Pearson over all topics", "meta, mean of the topics' Kendall")


def boards(
    rng: np.random.Generator, topics: int, balanced: bool, worse: float = 0.1
) -> list[SystemLeaderboard]:
    """A reference and two judges on the same answers of systems; the second judge errs by ``worse`` (the first: .1)."""
    worth, there = _answers(rng, topics, balanced)
    return [
        board(name, means + worth + rng.normal(size=worth.shape) * noise, there)
        for name, means, noise in zip(
            ("truth", "first", "second"), (REFERENCE, JUDGE, JUDGE), (0.1, 0.1, worse), strict=True
        )
    ]


def board(name: str, scores: NDArray[np.float64], there: NDArray[np.bool_]) -> SystemLeaderboard:
    """The scores (topics by systems) that are ``there``, as ``meta`` reads them."""
    cells = [
        ("m", f"s{system}", f"t{topic}", float(scores[topic, system]))
        for topic, system in zip(*np.nonzero(there), strict=True)
    ]
    return leaderboard(name, cells).recomputed()


def better_ranker(rng: np.random.Generator, topics: int, balanced: bool, worse: float) -> bool:
    """Whether ``meta`` tells two judges apart."""
    truth, *judges = boards(rng, topics, balanced, worse)
    settings = MetaSettings(methods=("kendall",), on_missing="skip")
    (found,) = meta_evaluate(truth, judges, settings).from_best
    return (found.p_holm or 1.0) < ALPHA


def ranked_systems(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """How far one judge ranks systems as a reference does."""
    truth, judge, _ = boards(np.random.default_rng([seed, topics, balanced, 6]), topics, balanced)
    settings = MetaSettings(methods=("kendall", "pearson"), on_missing="skip")
    (row,) = meta_evaluate(truth, [judge], settings).rows
    found = (row.overall["kendall"], row.overall["pearson"], row.by_topic["kendall"])
    return {name: triple(one) for name, one in zip(META, found, strict=True)}


SD = {"topic": 0.1, "item": 0.12, "model": 0.06, "topic x model": 0.04, "item x model": 0.05, "sample": 0.07}
"""The standard deviations of the sources of noise, in scores of 4 items a topic (unbalanced: 1 to 12) by 3 models."""
NOISE_ITEMS, UNBALANCED, MODELS, SAMPLES = 4, (1, 2, 3, 5, 8, 12), 3, 2
GENERALIZABILITY = "generalizability of one score"
COMPONENTS = tuple(f"components, {name}" for name in (*SD, GENERALIZABILITY) if name != "model")


def sources(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The standard deviations of the sources of which there are more than three levels, and the generalizability of one
    score."""
    rng = np.random.default_rng([seed, topics, balanced])
    sizes = np.full(topics, NOISE_ITEMS) if balanced else rng.choice(UNBALANCED, size=topics)
    of_item = np.repeat(np.arange(topics), sizes)
    item, model, _ = (index.ravel() for index in np.indices((len(of_item), MODELS, SAMPLES)))
    topic = of_item[item]
    codes = {
        "topic": topic,
        "item": item,
        "model": model,
        "topic x model": topic * MODELS + model,
        "item x model": item * MODELS + model,
        "sample": np.arange(len(item)),
    }
    values = sum(SD[name] * rng.normal(size=code.max() + 1)[code] for name, code in codes.items())
    fitted = variance_components(values, topic.tolist(), item.tolist(), {"model": model.tolist()})
    found = {
        effect.names[0]: deviation(fitted.variance(place).estimate())
        for place, effect in enumerate(fitted.effects)
    }
    found[GENERALIZABILITY] = fitted.generalizability().estimate()
    return {f"components, {name}": triple(one) for name, one in found.items() if name != "model"}


def true_values() -> dict[str, float]:
    """What is known of these by itself. To as many digits as ends are kept with: taus take few values, and ends are
    often these."""
    noise = SD["topic x model"] ** 2 + SD["item x model"] ** 2 + SD["sample"] ** 2
    between_items = SD["topic"] ** 2 + SD["item"] ** 2
    exact = {
        STABLE[0]: kendall(*instrument_means()).value,
        STABLE[1]: 1.0,
        META[0]: kendall(REFERENCE, JUDGE).value,
        META[1]: pearson(REFERENCE, JUDGE).value,
        **{f"components, {name}": value for name, value in SD.items()},
        f"components, {GENERALIZABILITY}": between_items / (between_items + noise),
    }
    return {name: round(value or 0.0, 5) for name, value in exact.items()}
