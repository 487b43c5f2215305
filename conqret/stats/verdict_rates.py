"""The quality of pass/fail verdicts, by how the labeled rows were drawn: TPR, TNR, kappa and the corrected
pass rate.

All of it is made of a few shares that are independent of each other. With the judge's pass rate q over all rows and
the shares a1, a0 of human passes among labeled rows that the judge passes and fails:

- rows drawn at random: TPR, TNR, precision and accuracy are shares of labeled rows; kappa is a function of q, a1 and
  a0, all of labeled rows; the corrected rate is ``q a1 + (1 - q) a0`` with q of all rows, which is the
  prediction-powered mean (:mod:`conqret.stats.prediction_powered`) of binary verdicts;
- a fixed number of each verdict (``verdict``), or with known probabilities: a1 and a0 hold, and all else is made of
  them with q of all rows: ``TPR = q a1 / (q a1 + (1 - q) a0)``;
- a fixed number of each human label (``label``): TPR and TNR hold, and the pass rate is
  ``(q + TNR - 1) / (TPR + TNR - 1)`` (Rogan and Gladen, American Journal of Epidemiology
  1978), cut to [0, 1], and not defined where TPR + TNR is not above 1; precision, accuracy and kappa are those at
  this rate. Where q lies beyond ``[1 - TNR, TPR]`` by more than the error of all three, no rate explains it, and none
  of them is defined: the rows were not drawn so.

A share has the mid-p interval of a binomial (Lancaster 1961; Berry and Armitage 1995). With clusters or weights, n is
the effective sample size (Korn and Graubard, Survey Methodology 1998). A statistic t of shares is the root of an
equation ``T(t) = 0`` in them, and its interval holds each t with ``T(t)^2 <= sum_k (dT/ds_k d_k)^2``, where d_k is how
far the end of the interval of share k lies from the share, on the side towards T = 0: Fieller's theorem with the
unequal arms of MOVER (Zou and Donner, Statistics in Medicine 2008). It stays within the statistic's range, and it
holds where a share is 0 or 1. With clusters, the sum has the correlations of the shares' errors, too. Of rows drawn by
label, the interval holds every value that t takes on the ellipsoid whose half axes are the d_k: at a pass rate near 0
or 1 these statistics bend so much that their slopes alone would miss it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammaln, ndtri, stdtrit

from conqret.errors import DeclarationError, check_known
from conqret.stats.estimate import CONFIDENCE, MIN_CLUSTERS, MIN_FREEDOM, Estimate, t_tail, undefined
from conqret.stats.jackknife import freedom_by_size
from conqret.stats.prediction_powered import ProbabilitySample
from conqret.stats.resampling import cluster_places

Numbers = NDArray[np.float64]
Equation = Callable[..., Numbers]
"""Takes t and shares and returns T, which is linear in t and 0 where t is the statistic."""

BISECTIONS = 32
STEP = 1e-6
"""Half the step of the numeric derivatives."""
TINY = 1e-9
_HEIGHT, _ANGLE = 1 - np.arange(1, 2000, 2) / 1000, np.arange(1000) * math.pi * (1 + math.sqrt(5))
SPHERE = np.stack([*(np.sqrt(1 - _HEIGHT**2) * [np.cos(_ANGLE), np.sin(_ANGLE)]), _HEIGHT])
"""(3, 1000): points spread evenly over the unit sphere (a Fibonacci lattice)."""


def share_interval(share: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Numbers, Numbers]:
    """Return both ends of the mid-p interval of a ``share`` of ``n`` independent observations.

    Both may be arrays, and n need not be whole. At the ends, the tail beyond the share, with half the probability of
    the share itself, is ``(1 - confidence) / 2``. Without observations the interval is [0, 1].
    """
    n = np.asarray(n, dtype=float)
    x = np.asarray(share, dtype=float) * n
    passes, failures = np.maximum(x, TINY), np.maximum(n - x, TINY)
    tail = (1 - confidence) / 2
    tails = np.array([tail, 1 - tail]).reshape(2, *[1] * x.ndim)
    low, high = np.zeros((2, *x.shape)), np.ones((2, *x.shape))
    for _ in range(BISECTIONS):
        p = (low + high) / 2
        at_least = np.where(x > 0, betainc(passes, n - x + 1, p), 1.0)
        more = np.where(x < n, betainc(x + 1, failures, p), 0.0)
        below = at_least + more < 2 * tails
        low, high = np.where(below, p, low), np.where(below, high, p)
    ends = (low + high) / 2
    return np.where(n > 0, ends[0], 0.0), np.where(n > 0, ends[1], 1.0)


@dataclass(frozen=True, slots=True)
class Share:
    """A share with its interval and its number of rows; each may be an array of many samples.

    ``errors`` is what each cluster adds to the error of the share (last axis); None with independent rows.
    """

    value: Numbers
    low: Numbers
    high: Numbers
    n: Numbers
    errors: Numbers | None = None


def share_of_sums(
    sums: Numbers, sizes: Numbers, n: ArrayLike, *, clustered: bool, confidence: float = CONFIDENCE
) -> Share:
    """Return the share of passes among rows, weighted or in clusters.

    The effective sample size is ``p (1 - p) / variance``, at most ``(sum w)^2 / sum w^2`` of independent rows, which
    is n with equal weights, and at most n with clusters; with clusters it is divided by the square of
    Student's t over the normal quantile. The degrees of freedom are those of clusters of unequal sizes
    (:func:`~conqret.stats.jackknife.freedom_by_size`), and fewer where few clusters make most of the error
    (Satterthwaite 1946). Of a share of 0 or 1, and of one or two clusters, the effective size is the number of
    clusters, or with independent rows ``(sum w)^2 / sum w^2``. Without rows the share is 0.5, from 0 to 1.

    Args:
        sums: the sum of the weights of passes in each cluster (last axis).
        sizes: the sum of all weights in each cluster; rows that are independent are clusters of one.
        n: the number of rows.
        clustered: whether the clusters are more than single rows.
        confidence: the confidence level of the interval.
    """
    n, total = np.asarray(n, dtype=float), sizes.sum(axis=-1)
    weights = sizes / np.maximum(total, TINY)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.where(total > 0, sums.sum(axis=-1) / total, 0.5)
        errors = weights * (np.where(sizes > 0, sums / sizes, value[..., None]) - value[..., None])
        variance, kish = (errors**2).sum(axis=-1), 1 / (weights**2).sum(axis=-1)
        effective, at_ends = np.minimum(value * (1 - value) / variance, n if clustered else kish), kish
        if clustered:
            at_ends = (sizes > 0).sum(axis=-1).astype(float)
            tailed = np.maximum((errors**4).sum(axis=-1) / variance**2 - 1 / at_ends, TINY)
            freedom = np.maximum(np.minimum(kish, 2 / tailed) - 1, MIN_FREEDOM)
            middle = (1 + confidence) / 2
            effective = effective * (ndtri(middle) / stdtrit(freedom, middle)) ** 2
        inside = (value > 0) & (value < 1) & (at_ends >= MIN_CLUSTERS)
    effective = np.where(inside, effective, at_ends)
    low, high = share_interval(value, np.where(n > 0, effective, 0.0), confidence)
    return Share(value, low, high, n, errors if clustered else None)


def solve(
    equation: Equation, shares: Sequence[Share], least: float = 0.0
) -> tuple[Numbers, Numbers, Numbers]:
    """Return the root t of the equation ``T(t, *shares) = 0``, cut to the range from ``least`` to 1, and
    both ends of its interval.

    ``T`` must be linear in t. The root is NaN where the equation holds for every t.
    """
    values, lows, highs = (
        np.array([getattr(share, name) for share in shares]) for name in ("value", "low", "high")
    )
    correlation = _correlation(shares)
    steps = STEP * np.eye(len(shares)).reshape(len(shares), len(shares), *[1] * (values.ndim - 1))

    def slopes(t: float) -> Numbers:
        sides = [(equation(t, *(values + step)), equation(t, *(values - step))) for step in steps]
        return np.array([(above - below) / (2 * STEP) for above, below in sides])

    at_0, slopes_0 = equation(0.0, *values), slopes(0.0)
    rise, turns = equation(1.0, *values) - at_0, slopes(1.0) - slopes_0
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.where(np.abs(rise) > TINY, np.clip(-at_0 / rise, least, 1.0), np.nan)

    def within(t: Numbers) -> NDArray[np.bool_]:
        off, slope = at_0 + t * rise, slopes_0[:, None] + t * turns[:, None]
        arms = slope * np.where(slope * off < 0, (highs - values)[:, None], (values - lows)[:, None])
        square = np.einsum("k...,kl...,l...->...", arms, correlation, arms)
        return np.asarray(off**2 <= square + TINY**2)

    bounds = np.stack([np.full(root.shape, least), np.ones(root.shape)])
    inside, outside = np.stack([root, root]), bounds
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2
        good = within(middle)
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    low, high = np.where(within(bounds), bounds, inside)
    return root, low, high


def _correlation(shares: Sequence[Share]) -> Numbers:
    """Return how the errors of the shares correlate over clusters: an array of K by K, then axes for the two ends and
    the samples. Without errors by cluster it is the unit matrix."""
    errors = [share.errors for share in shares if share.errors is not None]
    if not errors:
        return np.eye(len(shares))[:, :, None]
    scaled = np.array([each / np.maximum(np.linalg.norm(each, axis=-1), TINY)[..., None] for each in errors])
    correlation = np.asarray(np.einsum("k...c,l...c->kl...", scaled, scaled))[:, :, None]
    for place in range(len(errors)):
        correlation[place, place] = 1.0  # of a share of 0 or 1, too, which has no error
    return correlation


DrawnBy = Literal["random", "verdict", "label"]
"""How the labeled rows were drawn: at random, or a fixed number of each of the judge's verdicts, or of each label."""
DRAWN_BY: tuple[DrawnBy, ...] = ("random", "verdict", "label")


@dataclass(frozen=True, slots=True)
class VerdictRates:
    """How good the verdicts of a judge are, by the rows that have a verdict and a human label.

    Attributes:
        tpr: the share of human passes that the judge passes; n counts labeled passes.
        tnr: the share of human failures that the judge fails; n counts labeled failures.
        kappa: Cohen's kappa.
        accuracy: the share of rows on which judge and annotators agree.
        precision: the share of human passes among the rows that the judge passes; n counts labeled ones.
        judged: the judge's pass rate over all rows with a verdict.
        corrected: the pass rate of all rows with a verdict, corrected for the judge's errors.
        table: counts of labeled rows, (2, 2): rows are human fail and pass, columns judge fail and pass.
    """

    tpr: Estimate
    tnr: Estimate
    kappa: Estimate
    accuracy: Estimate
    precision: Estimate
    judged: Estimate
    corrected: Estimate
    table: NDArray[np.intp]


def _kappa(t: float, q: Numbers, a1: Numbers, a0: Numbers) -> Numbers:
    rate = q * a1 + (1 - q) * a0
    return 2 * q * (1 - q) * (a1 - a0) - t * (q + rate - 2 * q * rate)


def _kappa_at_rate(rate: Numbers, s: Numbers, f: Numbers) -> Numbers:
    q = rate * s + (1 - rate) * f
    return 2 * rate * (1 - rate) * (s - f) / np.maximum(q + rate - 2 * q * rate, TINY)


ALL = ("judged", "passed", "failed")
"""The names of q of all rows, a1 and a0."""
OF_CLASSES: dict[str, tuple[Equation, tuple[str, ...]]] = {
    "tpr": (lambda t, s: s - t, ("sensitivity",)),
    "tnr": (lambda t, f: 1 - f - t, ("fallout",)),
}
PRECISION: tuple[Equation, tuple[str, ...]] = (lambda t, a1: a1 - t, ("passed",))
OF_VERDICTS: dict[str, tuple[Equation, tuple[str, ...]]] = {
    "precision": PRECISION,
    "tpr": (lambda t, q, a1, a0: (1 - t) * q * a1 - t * (1 - q) * a0, ALL),
    "tnr": (lambda t, q, a1, a0: (1 - t) * (1 - q) * (1 - a0) - t * q * (1 - a1), ALL),
    "kappa": (_kappa, ALL),
    "accuracy": (lambda t, q, a1, a0: q * a1 + (1 - q) * (1 - a0) - t, ALL),
    "corrected": (lambda t, q, a1, a0: q * a1 + (1 - q) * a0 - t, ALL),
}
DESIGNS: dict[DrawnBy, dict[str, tuple[Equation, tuple[str, ...]]]] = {
    "random": OF_CLASSES
    | {
        "precision": PRECISION,
        "kappa": (_kappa, ("labeled", "passed", "failed")),
        "accuracy": (lambda t, right: right - t, ("right",)),
        "corrected": OF_VERDICTS["corrected"],
    },
    "verdict": OF_VERDICTS,
    "label": OF_CLASSES,
}
"""For each design, each statistic as an equation in shares, and the names of these; of rows drawn by label the others
are those of :data:`AT_RATE`."""
AT_RATE: dict[str, Callable[[Numbers, Numbers, Numbers], Numbers]] = {
    "corrected": lambda rate, s, f: rate,
    "precision": lambda rate, s, f: rate * s / np.maximum(rate * s + (1 - rate) * f, TINY),
    "accuracy": lambda rate, s, f: rate * s + (1 - rate) * (1 - f),
    "kappa": _kappa_at_rate,
}
"""Each statistic of the pass rate, TPR and 1 - TNR."""
BY_LABEL = ("judged", "sensitivity", "fallout")
"""The names of q of all rows, TPR and 1 - TNR."""


def rates_by_label(
    shares: Mapping[str, Share],
) -> tuple[dict[str, tuple[Numbers, Numbers, Numbers]], NDArray[np.bool_]]:
    """Return the statistics of :data:`AT_RATE` with both ends of their intervals, and whether any pass rate explains
    the judge's, for rows drawn by label."""
    needed = [shares[name] for name in BY_LABEL]
    values, lows, highs = (
        np.array([getattr(share, name) for share in needed])[:, None] for name in ("value", "low", "high")
    )
    root = np.linalg.cholesky(np.moveaxis(_correlation(needed)[:, :, 0], (0, 1), (-2, -1)) + TINY * np.eye(3))
    points = np.einsum("...kl,ld->kd...", root, np.hstack([np.zeros((3, 1)), SPHERE]))
    points = points.reshape(*points.shape, *[1] * (values.ndim - points.ndim))
    q, s, f = values + points * np.where(points < 0, values - lows, highs - values)
    rate = np.clip((q - f) / np.maximum(s - f, TINY), 0.0, 1.0)
    found = {name: statistic(rate, s, f) for name, statistic in AT_RATE.items()}
    explained = ((f <= q) & (q <= s)).any(axis=0)
    return {name: (t[0], t.min(axis=0), t.max(axis=0)) for name, t in found.items()}, explained


UNLABELED = {
    "passed": "no row that the judge passes is labeled",
    "failed": "no row that the judge fails is labeled",
    "sensitivity": "no human pass is labeled",
    "fallout": "no human failure is labeled",
}
UNKNOWN = {"tpr": UNLABELED["sensitivity"], "tnr": UNLABELED["fallout"]}
ONE_VERDICT = "annotators and judge use one and the same verdict only"
UNRELATED = "TPR + TNR is not above 1: the verdicts do not follow the labels"
UNEXPLAINED = "no pass rate gives the judge's with this TPR and TNR: the rows were not drawn by label"


def verdict_rates(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    chances: ArrayLike | None = None,
    drawn_by: DrawnBy = "random",
    confidence: float = CONFIDENCE,
) -> VerdictRates:
    """Estimate how good a judge's pass/fail verdicts are, and the pass rate of all rows.

    Rows without a verdict take no part. Where all rows with a verdict are labeled, they count as drawn at random. Of
    rows drawn at random, labels alone give the rate where no row with one of the verdicts is labeled.

    Args:
        human: (n,): 1 for a human pass, 0 for a failure, NaN where a row is not labeled.
        judge: (n,): 1 where the judge passes, 0 where it fails a row, NaN where it gave no verdict.
        clusters: the cluster of each row; None: rows are independent.
        chances: (n,): the probability with which a row was drawn for labeling, read for labeled rows, which are
            weighted by it; ``drawn_by`` is then not read. A row without a label but with probability 1 was labeled,
            and its annotators disagree.
        drawn_by: how labeled rows were drawn.
        confidence: the confidence level of the intervals.

    Raises:
        DeclarationError: lengths differ, a value is not 0, 1 or NaN, a probability is not above 0 and at most 1, or
            ``confidence`` is not inside (0, 1).
    """
    h, j, which = _checked(human, judge, clusters, drawn_by, confidence)
    there = ~np.isnan(j)
    h, j, which = h[there], j[there], None if which is None else which[there]
    labeled, weights, fault = ~np.isnan(h), np.ones(len(h)), "no row with a verdict is labeled"
    if labeled.any():
        fault = ""
        if chances is not None:
            sample = ProbabilitySample(h, j, np.asarray(chances, dtype=float)[there])
            if not ((sample.chances[labeled] > 0) & (sample.chances[labeled] <= 1)).all():
                raise DeclarationError("a probability is above 0 and 1 at most")
            fault, weights, drawn_by = sample.fault(), sample.weights, "verdict"
        elif labeled.all():
            drawn_by = "random"

    def share(passes: Numbers, among: NDArray[np.bool_], weights: Numbers = weights) -> Share:
        sums, sizes, n = weights[among] * passes[among], weights[among], int(among.sum())
        if which is not None:
            count = int(which.max(initial=-1)) + 1
            sums, sizes = (
                np.bincount(which[among], each, minlength=count).astype(float) for each in (sums, sizes)
            )
        return share_of_sums(sums, sizes, n, clustered=which is not None, confidence=confidence)

    shares = {
        "judged": share(j, np.ones(len(j), dtype=bool), np.ones(len(j))),
        "labeled": share(j, labeled),
        "passed": share(h, labeled & (j == 1)),
        "failed": share(h, labeled & (j == 0)),
        "sensitivity": share(j, h == 1),
        "fallout": share(j, h == 0),
        "human": share(h, labeled),
        "right": share(np.where(h == j, 1.0, 0.0), labeled),
    }
    counts = {
        "tpr": int((h == 1).sum()),
        "tnr": int((h == 0).sum()),
        "precision": int((labeled & (j == 1)).sum()),
    }
    found = {
        name: undefined(fault)
        if fault
        else _estimate(name, drawn_by, shares, counts.get(name, int(labeled.sum())))
        for name in DESIGNS["random"]
    }
    return VerdictRates(
        **found,
        judged=_of_share(shares["judged"]) if len(j) else undefined("no row has a verdict"),
        table=np.array([[((h == a) & (j == b)).sum() for b in (0, 1)] for a in (0, 1)]),
    )


def _of_share(share: Share, reason: str = "") -> Estimate:
    return Estimate(float(share.value), float(share.low), float(share.high), int(share.n), reason)


def _estimate(name: str, drawn_by: DrawnBy, shares: Mapping[str, Share], n: int) -> Estimate:
    equation, parts = DESIGNS[drawn_by].get(name, (None, BY_LABEL))
    needed = [shares[part] for part in parts]
    q = needed[0].value
    for part, share in zip(parts, needed, strict=True):
        if not share.n and not ((part == "passed" and q == 0) or (part == "failed" and q == 1)):
            if drawn_by == "random" and name == "corrected":
                return _of_share(shares["human"], f"{UNLABELED[part]}: labels alone")
            return undefined(UNLABELED[part], n)
    if equation is None:
        if shares["sensitivity"].value <= shares["fallout"].value:
            return undefined(UNRELATED, n)
        by_label, explained = rates_by_label(shares)
        if not explained:
            return undefined(UNEXPLAINED, n)
        value, low, high = by_label[name]
    else:
        value, low, high = solve(equation, needed, -1.0 if equation is _kappa else 0.0)
    if np.isnan(value):
        return undefined(UNKNOWN.get(name, ONE_VERDICT), n)
    return Estimate(float(value), float(low), float(high), n)


def _checked(
    human: ArrayLike,
    judge: ArrayLike,
    clusters: Sequence[Hashable] | None,
    drawn_by: DrawnBy,
    confidence: float,
) -> tuple[Numbers, Numbers, NDArray[np.intp] | None]:
    check_known("way of drawing", DRAWN_BY, drawn_by)
    h, j = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    if h.shape != j.shape or h.ndim != 1 or (clusters is not None and len(clusters) != len(h)):
        raise DeclarationError("labels, verdicts and clusters must be of the same rows")
    if not all(np.isin(values[~np.isnan(values)], (0, 1)).all() for values in (h, j)):
        raise DeclarationError("labels and verdicts are 1 for a pass, 0 for a failure, or missing")
    if not 0 < confidence < 1:
        raise DeclarationError(f"a confidence must lie inside (0, 1), not at {confidence}")
    return h, j, None if clusters is None else cluster_places(clusters)


TOWARDS_BALANCE = 0.9
"""How much of the error of :func:`draw_test` is spent on labeled rows that are nearer to balance than the others."""


def draw_test(
    human: ArrayLike,
    judge: ArrayLike,
    *,
    clusters: Sequence[Hashable] | None = None,
    balance: float | None = None,
) -> float | None:
    """Test whether labeled rows were drawn without regard to verdict and label.

    The judge's pass share is compared between labeled and unlabeled rows: it differs where rows were drawn by the
    judge's verdict, and where they were drawn by the human label, as verdicts follow labels.

    Args:
        human: (n,): NaN where a row is not labeled.
        judge: (n,): the verdicts, NaN where there is none.
        clusters: the cluster of each row; None: rows are independent, and verdicts are 0 or 1.
        balance: the pass share of a draw of as many rows of each verdict or label. Most of the test's error is spent on
            labeled rows whose share is nearer to it than that of the others (:data:`TOWARDS_BALANCE`), as users draw
            so; None: half of it on each side.

    Returns:
        The p-value of "the shares are equal" (the mid-p value of Fisher's exact test; with clusters Student's t of the
            difference, whose error is that of sums over clusters); None where no row is labeled, or none is unlabeled.
    """
    h, j = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    there = ~np.isnan(j)
    labeled, passes = ~np.isnan(h[there]), j[there]
    n, rest = int(labeled.sum()), int((~labeled).sum())
    if not n or not rest:
        return None
    shares = float(passes[labeled].mean()), float(passes[~labeled].mean())
    if clusters is None:
        side = _fisher(int(passes[labeled].sum()), n, int(passes.sum()), n + rest)
    else:
        off = (passes - passes.mean()) * np.where(labeled, 1 / n, -1 / rest)
        sums = np.bincount(cluster_places(clusters)[there], off).astype(float)
        freedom = max(freedom_by_size(sums**2), MIN_FREEDOM)
        error = math.sqrt(float((sums**2).sum()) * (freedom + 1) / freedom)
        side = 0.5 if error == 0 else t_tail(abs(float(sums.sum())) / error, freedom) / 2
    if balance is None:
        spent = 0.5
    else:
        nearer = abs(shares[0] - balance) < abs(shares[1] - balance)
        spent = TOWARDS_BALANCE if nearer else 1 - TOWARDS_BALANCE
    return min(1.0, side / spent)


def _fisher(x: int, n: int, passes: int, total: int) -> float:
    """The smaller one-sided mid-p value of ``x`` passes among ``n`` of ``total`` rows, of which ``passes`` pass."""
    k = np.arange(max(0, n - (total - passes)), min(n, passes) + 1)
    failures = n - k
    logs = -gammaln(k + 1) - gammaln(passes - k + 1)
    logs = logs - gammaln(failures + 1) - gammaln(total - passes - failures + 1)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    middle = chances[k == x].sum() / 2
    return float(middle + min(chances[k < x].sum(), chances[k > x].sum()))


def draw_matters(human: ArrayLike, judge: ArrayLike, *, clusters: Sequence[Hashable] | None = None) -> bool:
    """Return whether TPR, TNR or the corrected pass rate changes by more than half an arm of its interval where rows
    count as drawn by verdict or by label in place of at random; also where one of them then has no value.

    Args: as for :func:`verdict_rates`.
    """
    rates = {by: verdict_rates(human, judge, clusters=clusters, drawn_by=by) for by in DRAWN_BY}
    for name in ("tpr", "tnr", "corrected"):
        as_random = getattr(rates["random"], name)
        for by in ("verdict", "label"):
            value = getattr(rates[by], name).value
            if value is None or as_random.value is None:
                return True
            end = as_random.high if value > as_random.value else as_random.low
            if abs(value - as_random.value) > abs(end - as_random.value) / 2:
                return True
    return False


MAX_LABELS = 1_000_000
"""A greater number of labels is not reported, because it is of no use."""


def _least(fits: Callable[[int], bool], start: int) -> int | None:
    """The least number from ``start`` on that fits, where all larger ones fit, too; None beyond :data:`MAX_LABELS`."""
    low, high = start, MAX_LABELS
    if not fits(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low


def _half(value: float, n: float, confidence: float) -> float:
    low, high = share_interval(value, n, confidence)
    return float(high - low) / 2


def _worth(rate: Estimate, confidence: float) -> float:
    """How many independent labels each label is worth, by the width of the interval."""
    value, half = rate.value or 0.0, rate.half or 0.0
    return (_least(lambda n: _half(value, n, confidence) <= half + 1e-6, 1) or rate.n) / rate.n


WITHIN = 0.10
"""Half the width of the interval to which labels still needed are counted."""


def more_labels(rate: Estimate, labeled: int, *, confidence: float = CONFIDENCE) -> int | None:
    """Return how many more rows to label until TPR or TNR is known to within :data:`WITHIN`.

    The rate is taken to stay, and its class to occur as often as among the ``labeled`` rows so far. The
    result is 0 where it is known well enough, and None where the class has no label yet, or more than
    :data:`MAX_LABELS` would be needed.
    """
    if rate.value is None or rate.half is None or not rate.n:
        return None
    if rate.half <= WITHIN:
        return 0
    value, worth = rate.value, _worth(rate, confidence)
    needed = _least(lambda n: _half(value, n * worth, confidence) <= WITHIN, rate.n)
    return None if needed is None else math.ceil((needed - rate.n) * labeled / rate.n)


def labels_to_decide(
    estimate: Estimate,
    bound: float,
    labeled: int,
    *,
    end: Literal["low", "high"] = "low",
    share: bool = True,
    confidence: float = CONFIDENCE,
) -> int | None:
    """Return how many more rows to label until this ``end`` of the interval clears ``bound``, if the value stays.

    Args:
        estimate: a rate or another statistic.
        bound: what the low end must reach, or the high end must not exceed.
        labeled: the labeled rows so far, among which the ``estimate.n`` are.
        end: which end.
        share: whether it is the share of ``estimate.n`` rows; else the interval narrows by the root of n.
        confidence: the confidence level of the interval.

    Returns:
        The number of rows, 0 if the end clears the bound already; None where the value does not clear it, there is no
            interval, or more than :data:`MAX_LABELS` rows that count in it would be needed.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None or not estimate.n:
        return None
    sign = 1 if end == "low" else -1
    value, distance = estimate.value, sign * (estimate.value - bound)
    arm = estimate.value - estimate.low if sign == 1 else estimate.high - estimate.value
    if arm <= distance:
        return 0
    if distance <= 0:
        return None
    worth = _worth(estimate, confidence)

    def fits(n: int) -> bool:
        return sign * (float(share_interval(value, n * worth, confidence)[sign < 0]) - bound) >= 0

    needed = _least(fits, estimate.n) if share else math.ceil(estimate.n * (arm / distance) ** 2)
    return (
        None
        if needed is None or needed > MAX_LABELS
        else math.ceil((needed - estimate.n) * labeled / estimate.n)
    )
