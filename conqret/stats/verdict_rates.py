"""How good pass/fail verdicts are, whichever way the labeled rows were drawn: TPR, TNR, kappa and the corrected rate.

All of it is made of a few shares that are independent of each other. With the judge's pass rate q over all rows and
the shares a1, a0 of human passes among labeled rows that the judge passes and fails:

- rows drawn at random: TPR, TNR and accuracy are shares of labeled rows; kappa is a function of q, a1 and a0, all of
  labeled rows; the corrected rate is ``q a1 + (1 - q) a0`` with q of all rows, which is the prediction-powered mean
  (:mod:`conqret.stats.prediction_powered`) of binary verdicts;
- so many of each verdict (``verdict``), or with known probabilities: a1 and a0 hold, and all else is made of them with
  q of all rows: ``TPR = q a1 / (q a1 + (1 - q) a0)``;
- so many of each human label (``label``): TPR and TNR hold, and the pass rate is ``(q + TNR - 1) / (TPR + TNR - 1)``
  (Rogan and Gladen, American Journal of Epidemiology 1978); accuracy and kappa are those at this rate.

A share has the mid-p interval of a binomial (Lancaster 1961; Berry and Armitage 1995). With clusters or weights, n is
the effective sample size (Korn and Graubard, Survey Methodology 1998). A statistic t of shares is written as the root
of an equation ``T(t) = 0`` in them, and its interval holds each t with ``T(t)^2 <= sum_k (dT/ds_k d_k)^2``, where d_k
is how far the end of the interval of share k lies from the share, on the side towards T = 0: Fieller's theorem with
the unequal arms of MOVER (Zou and Donner, Statistics in Medicine 2008). It stays within its range, and holds where
cells of the table are empty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, gammaln

from conqret.errors import DeclarationError, check_known
from conqret.stats.estimate import CONFIDENCE, MIN_FREEDOM, Estimate, t_quantile, t_tail, undefined
from conqret.stats.jackknife import freedom_by_size
from conqret.stats.prediction_powered import ProbabilitySample
from conqret.stats.resampling import cluster_places

Numbers = NDArray[np.float64]
DrawnBy = Literal["random", "verdict", "label"]
"""How the labeled rows were drawn: at random, or so many of each judge's verdict, or so many of each human label."""
DRAWN_BY: tuple[DrawnBy, ...] = ("random", "verdict", "label")

BISECTIONS = 50
STEP = 1e-6
"""Half the step of the numeric derivatives."""


@dataclass(frozen=True, slots=True)
class VerdictRates:
    """How good the verdicts of a judge are, by the rows that have a verdict and a human label.

    Attributes:
        tpr: the share of human passes that the judge passes; n counts labeled passes.
        tnr: the share of human failures that the judge fails; n counts labeled failures.
        kappa: Cohen's kappa.
        accuracy: the share of rows on which judge and annotators agree.
        judged: the judge's pass rate over all rows with a verdict.
        corrected: the pass rate of all rows with a verdict, corrected for the judge's errors.
        table: counts of labeled rows, (2, 2): rows are human fail and pass, columns judge fail and pass.
    """

    tpr: Estimate
    tnr: Estimate
    kappa: Estimate
    accuracy: Estimate
    judged: Estimate
    corrected: Estimate
    table: NDArray[np.intp]


Equation = Callable[..., Numbers]
"""From t and the shares to T, which is 0 where t is the statistic."""


def _agreement(t: Numbers, q: Numbers, a1: Numbers, a0: Numbers) -> Numbers:
    m = q * a1 + (1 - q) * a0
    return 2 * q * (1 - q) * (a1 - a0) - t * (q + m - 2 * q * m)


BY_VERDICT: dict[str, Equation] = {
    "tpr": lambda t, q, a1, a0: (1 - t) * q * a1 - t * (1 - q) * a0,
    "tnr": lambda t, q, a1, a0: (1 - t) * (1 - q) * (1 - a0) - t * q * (1 - a1),
    "kappa": _agreement,
    "accuracy": lambda t, q, a1, a0: q * a1 + (1 - q) * (1 - a0) - t,
    "corrected": lambda t, q, a1, a0: q * a1 + (1 - q) * a0 - t,
}
"""The statistics as equations in q, a1 and a0."""
BY_LABEL: dict[str, Equation] = {
    "kappa": lambda t, q, s, f: 2 * (q - f) * (s - q) - t * (q * (s - f) + (q - f) * (1 - 2 * q)),
    "accuracy": lambda t, q, s, f: (q - f) * s + (s - q) * (1 - f) - t * (s - f),
    "corrected": lambda t, q, s, f: q - f - t * (s - f),
}
"""The statistics as equations in q, s = TPR and f = 1 - TNR."""


def share_interval(share: ArrayLike, n: ArrayLike, confidence: float = CONFIDENCE) -> tuple[Numbers, Numbers]:
    """Return both ends of the mid-p interval of a ``share`` of ``n`` independent observations.

    Both may be arrays, and n need not be whole. At the ends, the tail beyond the share, with half the probability of
    the share itself, is ``(1 - confidence) / 2``. Without observations the interval is [0, 1].
    """
    n = np.asarray(n, dtype=float)
    x = np.asarray(share, dtype=float) * n

    def end(tail: float) -> Numbers:
        low, high = np.zeros(x.shape), np.ones(x.shape)
        for _ in range(BISECTIONS):
            p = (low + high) / 2
            least = np.where(x > 0, betainc(np.maximum(x, 1e-9), n - x + 1, p), 1.0)
            more = np.where(x < n, betainc(x + 1, np.maximum(n - x, 1e-9), p), 0.0)
            below = (least + more) / 2 < tail
            low, high = np.where(below, p, low), np.where(below, high, p)
        return (low + high) / 2

    tail = (1 - confidence) / 2
    return np.where(n > 0, end(tail), 0.0), np.where(n > 0, end(1 - tail), 1.0)


@dataclass(frozen=True, slots=True)
class Shares:
    """K shares with their intervals, each of shape (..., K), and how their errors correlate, (..., K, K)."""

    value: Numbers
    low: Numbers
    high: Numbers
    correlation: Numbers


def solve(equation: Equation, shares: Shares, least: float = 0.0) -> tuple[Numbers, Numbers, Numbers]:
    """Return the root of an equation linear in t, cut to ``least`` to 1, and the ends of its interval.

    The root is NaN where the equation holds for every t.
    """
    values = np.moveaxis(shares.value, -1, 0)
    start, slope = equation(0.0, *values), equation(1.0, *values) - equation(0.0, *values)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.where(np.abs(slope) > 1e-12, np.clip(-start / slope, least, 1.0), np.nan)

    def within(t: Numbers) -> NDArray[np.bool_]:
        off = equation(t, *values)
        gradient = []
        for place in range(len(values)):
            up, down = (
                equation(t, *values[:place], values[place] + step, *values[place + 1 :])
                for step in (STEP, -STEP)
            )
            gradient.append((up - down) / (2 * STEP))
        slopes = np.stack(gradient, axis=-1)
        rises = slopes * off[..., None] < 0
        arms = slopes * np.where(rises, shares.high - shares.value, shares.value - shares.low)
        square = np.einsum("...k,...kl,...l->...", arms, shares.correlation, arms)
        return np.asarray(off**2 <= square + 1e-15)

    ends = []
    for bound in (least, 1.0):
        inside, outside = root, np.full(root.shape, bound)
        reached = within(outside)
        for _ in range(BISECTIONS):
            middle = (inside + outside) / 2
            good = within(middle)
            inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
        ends.append(np.where(reached, bound, inside))
    return root, ends[0], ends[1]


@dataclass(frozen=True, slots=True)
class _Share:
    """One share with its interval, and what each cluster adds to its error."""

    value: float
    low: float
    high: float
    n: int
    errors: Numbers

    def estimate(self, reason: str) -> Estimate:
        return Estimate(self.value, self.low, self.high, self.n) if self.n else undefined(reason)


def _share(
    passes: Numbers,
    among: NDArray[np.bool_],
    weights: Numbers,
    clusters: NDArray[np.intp] | None,
    confidence: float,
) -> _Share:
    """The weighted share of passes ``among`` these rows."""
    n = int(among.sum())
    size = len(passes) if clusters is None else int(clusters.max(initial=-1)) + 1
    if not n:
        return _Share(0.5, 0.0, 1.0, 0, np.zeros(size))
    x, w = passes[among], weights[among] / weights[among].sum()
    value = min(max(float(w @ x), 0.0), 1.0)
    if clusters is None:
        errors = np.zeros(size)
        errors[among] = w * (x - value)
        variance, effective = float((errors**2).sum()), 1 / float((w**2).sum())
    else:
        which = clusters[among]
        errors = np.bincount(which, w * (x - value), minlength=size)
        sizes = np.bincount(which, w)
        count = int(np.count_nonzero(sizes))
        variance = float((errors**2).sum()) * count / max(count - 1, 1)
        effective = float(count)
    if 1e-12 < value < 1 - 1e-12 and variance > 0:
        effective = min(value * (1 - value) / variance, float(n))
        if clusters is not None:
            freedom = max(freedom_by_size(sizes), MIN_FREEDOM)
            effective *= (t_quantile(1e6, confidence) / t_quantile(freedom, confidence)) ** 2
    low, high = share_interval(value, effective, confidence)
    return _Share(value, float(low), float(high), n, errors)


def _together(parts: Sequence[_Share], clustered: bool) -> Shares:
    correlation = np.eye(len(parts))
    if clustered:
        errors = np.stack([part.errors for part in parts])
        norms = np.sqrt((errors**2).sum(axis=1))
        norms[norms == 0] = np.inf
        correlation = errors @ errors.T / np.outer(norms, norms)
    value, low, high = (
        np.array([getattr(part, name) for part in parts]) for name in ("value", "low", "high")
    )
    return Shares(value, low, high, correlation)


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

    Rows without a verdict take no part. Where every row with a verdict is labeled, all ways of drawing are one.

    Args:
        human: (n,): 1 for a human pass, 0 for a failure, NaN where a row is not labeled.
        judge: (n,): 1 where the judge passes, 0 where it fails a row, NaN where it gave no verdict.
        clusters: the cluster of each row; None: rows are independent.
        chances: (n,): the probability with which a row was drawn for labeling, read for labeled rows; rows are
            weighted by it, and ``drawn_by`` is not read.
        drawn_by: how labeled rows were drawn, where no probabilities are known.
        confidence: the confidence level of the intervals.

    Raises:
        DeclarationError: lengths differ, a value is not 0, 1 or NaN, or ``confidence`` is not inside (0, 1).
    """
    check_known("way of drawing", DRAWN_BY, drawn_by)
    h, j = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    if h.shape != j.shape or h.ndim != 1 or (clusters is not None and len(clusters) != len(h)):
        raise DeclarationError("labels, verdicts and clusters must be of the same rows")
    if not (np.isin(h[~np.isnan(h)], (0, 1)).all() and np.isin(j[~np.isnan(j)], (0, 1)).all()):
        raise DeclarationError("labels and verdicts are 1 for a pass, 0 for a failure, or missing")
    if not 0 < confidence < 1:
        raise DeclarationError(f"a confidence must lie inside (0, 1), not at {confidence}")
    there = ~np.isnan(j)
    places = None if clusters is None else cluster_places(clusters)[there]
    drawn = None if chances is None else np.asarray(chances, dtype=float)[there]
    h, j = h[there], j[there]
    labeled, equal = ~np.isnan(h), np.ones(len(h))
    table = np.array([[((h == a) & (j == b)).sum() for b in (0, 1)] for a in (0, 1)])
    judged = _share(j, np.ones(len(j), dtype=bool), equal, places, confidence)
    whole = judged.estimate("no row has a verdict")
    fault = "" if labeled.any() else "no row with a verdict is labeled"
    weights = equal
    if drawn is not None and not fault:
        sample = ProbabilitySample(h, j, drawn)
        fault, weights = sample.fault(), sample.weights
    if fault:
        none = undefined(fault)
        return VerdictRates(none, none, none, none, whole, none, table)

    def share(passes: Numbers, among: NDArray[np.bool_]) -> _Share:
        return _share(passes, among, weights, places, confidence)

    n, clustered = int(labeled.sum()), places is not None

    def solved(equation: Equation, parts: Sequence[_Share], least: float = 0.0) -> Estimate:
        value, low, high = map(float, solve(equation, _together(parts, clustered), least))
        if math.isnan(value):
            return undefined("annotators or the judge use one verdict only", n)
        return Estimate(value, low, high, n)

    by_verdict = [judged, share(h, labeled & (j == 1)), share(h, labeled & (j == 0))]
    no_pass, no_failure = "no human pass is labeled", "no human failure is labeled"
    sensitivity, fallout = share(j, h == 1), share(j, h == 0)
    tpr, failed = sensitivity.estimate(no_pass), fallout.estimate(no_failure)
    tnr = failed if failed.value is None else share(1 - j, h == 0).estimate(no_failure)
    if drawn_by == "label" and drawn is None and not labeled.all():
        parts = [judged, sensitivity, fallout]
        if not sensitivity.n or not fallout.n:
            rest = [undefined("both human passes and human failures must be labeled", n)] * 3
        elif sensitivity.value <= fallout.value:
            rest = [undefined("TPR + TNR is not above 1: verdicts do not follow the labels", n)] * 3
        else:
            rest = [
                solved(BY_LABEL[name], parts, -1.0 if name == "kappa" else 0.0)
                for name in ("kappa", "accuracy", "corrected")
            ]
        return VerdictRates(tpr, tnr, rest[0], rest[1], whole, rest[2], table)
    if drawn is None and (drawn_by == "random" or labeled.all()):
        of_labeled = [share(j, labeled), *by_verdict[1:]]
        kappa = solved(BY_VERDICT["kappa"], of_labeled, -1.0)
        right = share((h == j).astype(float), labeled).estimate("")
        missing = _unlabeled_verdict(by_verdict)
        corrected = undefined(missing, n) if missing else solved(BY_VERDICT["corrected"], by_verdict)
        return VerdictRates(tpr, tnr, kappa, right, whole, corrected, table)
    if missing := _unlabeled_verdict(by_verdict):
        none = undefined(missing, n)
        return VerdictRates(none, none, none, none, whole, none, table)
    results = {
        name: solved(equation, by_verdict, -1.0 if name == "kappa" else 0.0)
        for name, equation in BY_VERDICT.items()
    }
    counts = {"tpr": (int(table[1].sum()), no_pass), "tnr": (int(table[0].sum()), no_failure)}
    for name, (count, reason) in counts.items():
        found = results[name]
        results[name] = Estimate(found.value, found.low, found.high, count) if count else undefined(reason)
    return VerdictRates(
        results["tpr"],
        results["tnr"],
        results["kappa"],
        results["accuracy"],
        whole,
        results["corrected"],
        table,
    )


def _unlabeled_verdict(parts: Sequence[_Share]) -> str:
    """Why the rows of one verdict are not known; empty where both verdicts have labels, or do not occur."""
    judged, passed, failed = parts
    for part, share, name in ((passed, judged.value, "passes"), (failed, 1 - judged.value, "fails")):
        if share > 0 and not part.n:
            return f"no row that the judge {name} is labeled"
    return ""


def draw_test(
    human: ArrayLike, judge: ArrayLike, *, clusters: Sequence[Hashable] | None = None
) -> float | None:
    """Test whether labeled rows were drawn without regard to verdict and label.

    The judge's pass share is compared between labeled and unlabeled rows: it differs where rows were drawn by the
    judge's verdict, and where they were drawn by the human label, as verdicts follow labels.

    Returns:
        The p-value of "the shares are equal" (Fisher's exact test; with clusters Student's t of the difference, whose
            error is that of sums over clusters); None where no row is labeled, or none is unlabeled.
    """
    h, j = np.asarray(human, dtype=float), np.asarray(judge, dtype=float)
    there = ~np.isnan(j)
    labeled, passes = ~np.isnan(h[there]), j[there]
    n, rest = int(labeled.sum()), int((~labeled).sum())
    if not n or not rest:
        return None
    if clusters is None:
        return _fisher(int(passes[labeled].sum()), n, int(passes.sum()), n + rest)
    off = (passes - passes.mean()) * np.where(labeled, 1 / n, -1 / rest)
    sums = np.bincount(cluster_places(clusters)[there], off)
    count = int(np.count_nonzero(np.bincount(cluster_places(clusters)[there])))
    error = math.sqrt(float((sums**2).sum()) * count / max(count - 1, 1))
    return 1.0 if error == 0 else t_tail(abs(float(off.sum())) / error, max(count - 1, 1))


def _fisher(x: int, n: int, passes: int, total: int) -> float:
    """Fisher's exact p-value of ``x`` passes among ``n`` of ``total`` rows, of which ``passes`` pass."""
    k = np.arange(max(0, n - (total - passes)), min(n, passes) + 1)

    def choose(a: int, b: Numbers) -> Numbers:
        return np.asarray(gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1))

    logs = choose(passes, k) + choose(total - passes, n - k)
    chances = np.exp(logs - logs.max())
    chances /= chances.sum()
    observed = chances[k == x]
    return min(1.0, float(chances[chances <= observed * (1 + 1e-7)].sum()))


MOST = 1_000_000
"""Labels beyond which a number of them is of no use."""


def _least(fits: Callable[[int], bool], start: int) -> int | None:
    """The least number from ``start`` on that fits, where all larger ones fit, too; None beyond :data:`MOST`."""
    high = max(start, 1)
    while not fits(high):
        high *= 2
        if high > MOST:
            return None
    low = max(start, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low


def _worth(rate: Estimate, confidence: float) -> float:
    """How many independent labels each label is worth, by the width of the interval."""
    low, high = share_interval(rate.value or 0.0, rate.n, confidence)
    half = rate.half
    return min(1.0, (float(high - low) / 2 / half) ** 2) if half else 1.0


def more_labels(
    rate: Estimate, labeled: int, *, half_width: float = 0.10, confidence: float = CONFIDENCE
) -> int | None:
    """Return how many more rows to label until TPR or TNR is known to within ``half_width``.

    The rate is taken to stay, and its class to occur as often as among the ``labeled`` rows so far. The result is None
    where the class has no label yet.
    """
    if rate.value is None or not rate.n:
        return None
    value, worth = rate.value, _worth(rate, confidence)

    def fits(n: int) -> bool:
        low, high = share_interval(value, n * worth, confidence)
        return float(high - low) / 2 <= half_width

    if rate.half is not None and rate.half <= half_width:
        return 0
    needed = _least(fits, rate.n)
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
        The number of rows; None where the value does not clear the bound, or there is no interval.
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
    return None if needed is None else math.ceil((needed - estimate.n) * labeled / estimate.n)
