"""The result of a judge on a suite: one small file with figures, intervals and price, and without any text;
and those of judges whose verdicts others have published, which stand beside those that are run.

What a figure is without each cluster stands in it, too: two judges of the same items are compared by that alone, so no
verdict of a single item and no gold label leaves the machine on which the suite was run.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from conqret._version import __version__
from conqret.data import Item
from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, shortened
from conqret.io.bounded import whole_bytes
from conqret.io.pairs import Pair
from conqret.runs.run_folder import now
from conqret.show.visible_text import visible
from conqret.stats.estimate import Estimate, JackknifedEstimate, Scale, freedom_by_size
from conqret.stats.resampling import MOST_CLUSTERS
from conqret.suites.suite import PublishedFigure, Suite, SuiteData
from conqret.suites.suite_statistics import HeldStatistic, computed, held_statistics

MOST_FILES = 10_000
"""Results that are read at once."""
FILE_NAME = "suite.json"
"""The result in a run's folder."""


def _shown_as_it_is(text: str) -> str:
    """A text without characters that reorder, hide or control what a terminal or a page shows of it."""
    if visible(text) != text:
        raise ValueError("it contains control characters or others that cannot be seen: remove them")
    return text


Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]
Seen = AfterValidator(_shown_as_it_is)
Short = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$"), Seen]
Note = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$"), Seen]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12,64}$")]
Whole = Annotated[int, Field(ge=0, le=10**12)]
Number = Annotated[float, Field(ge=-1e9, le=1e9)]
Positive = Annotated[float, Field(ge=0, le=1e12)]


class ResultPart(BaseModel):
    """A part of a result: it never changes, and has no other fields and no number that is none."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SuiteFigure(ResultPart):
    """One statistic: its value with the ends of its 95% interval over clusters, or the reason why there is none.

    ``n`` of ``items`` have a verdict. ``without`` is what the statistic is without each cluster (null: not defined) and
    ``sizes`` how many verdicts each of them holds; ``items_digest`` names the items, so that two judges of the same
    ones can be compared.
    """

    statistic: Short
    metric: Short
    value: Number | None
    low: Number | None = None
    high: Number | None = None
    n: Whole
    items: Whole
    clusters: Whole
    scale: Scale = "plain"
    reason: Note = ""
    items_digest: Digest
    without: tuple[Number | None, ...] = Field(default=(), max_length=MOST_CLUSTERS)
    sizes: tuple[Whole, ...] = Field(default=(), max_length=MOST_CLUSTERS)

    @classmethod
    def of(cls, held: HeldStatistic) -> SuiteFigure:
        """The figure of a statistic that was computed."""
        jackknifed = held.jackknifed
        estimate = jackknifed.estimate()
        return cls(
            statistic=held.statistic.name,
            metric=held.metric,
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
            n=held.judged,
            items=held.items,
            clusters=jackknifed.clusters,
            scale=jackknifed.scale,
            reason=estimate.reason,
            items_digest=held.items_digest,
            without=tuple(None if value != value else value for value in jackknifed.without.tolist()),
            sizes=held.sizes,
        )

    @property
    def estimate(self) -> Estimate:
        """The value with its interval."""
        return Estimate(self.value, self.low, self.high, self.n, self.reason)

    @property
    def jackknifed(self) -> JackknifedEstimate:
        """The value with what it is without each cluster."""
        import numpy as np

        sizes = np.array(self.sizes, dtype=float)
        without = np.array([np.nan if value is None else value for value in self.without], dtype=float)
        return JackknifedEstimate(
            np.nan if self.value is None else self.value,
            without,
            sizes > 0,
            self.n,
            self.reason if self.value is None else "",
            self.scale,
            freedom=freedom_by_size(sizes),
            behind=int(np.count_nonzero(sizes)) if self.scale == "share" else 0,
        )


class SuiteJudge(ResultPart):
    """The judge: format, model and fingerprint. ``baseline`` is the offline one; of a ``published`` judge the verdicts
    are others', and no model was asked."""

    model: Short
    format: Short
    fingerprint: Digest
    baseline: bool = False
    published: bool = False

    @property
    def name(self) -> str:
        """How a table calls it."""
        return self.model if self.published else f"{self.model} ({self.format})"


class SuiteSample(ResultPart):
    """So many items of all, drawn by this seed."""

    n: Whole
    of: Whole
    seed: int


class SuiteCost(ResultPart):
    """What the verdicts took: requests, tokens, US dollars (null: the price is unknown) and seconds of
    the model (null: not known), as
    they were when the answers came, also where these came from recordings."""

    calls: Whole
    prompt_tokens: Whole
    completion_tokens: Whole
    usd: Positive | None
    seconds: Positive | None = None


class SuiteResult(ResultPart):
    """A judge on a suite.

    ``files`` are the SHA-256 of the files that were read, by their names, and ``lacking`` says what this copy of the
    suite has less than the whole one. ``missing`` counts items without a verdict, by reason.
    """

    kind: Literal["conqret-suite-result"] = "conqret-suite-result"
    layout: Literal[1] = 1
    suite: Name
    judge: SuiteJudge
    figures: tuple[SuiteFigure, ...] = Field(min_length=1, max_length=30)
    judged: Whole
    sample: SuiteSample | None = None
    files: dict[Short, Digest] = Field(default={}, max_length=1000)
    lacking: tuple[Note, ...] = Field(default=(), max_length=20)
    missing: dict[Short, Whole] = Field(default={}, max_length=50)
    cost: SuiteCost | None = None
    created: dt.datetime = Field(default_factory=lambda: dt.datetime.fromisoformat(now()))
    conqret: Short = __version__

    @property
    def main(self) -> SuiteFigure:
        """The figure of the leaderboard: the first."""
        return self.figures[0]

    @property
    def usd_per_thousand(self) -> float | None:
        """What a thousand items cost, in US dollars; None where it is not known."""
        if self.cost is None or self.cost.usd is None or not self.judged:
            return None
        return 1000 * self.cost.usd / self.judged

    @property
    def digest(self) -> str:
        """What names the run: judge, suite and items, whenever it was made."""
        return digest_of([self.suite, self.judge.fingerprint, [one.items_digest for one in self.figures]])


def result_file(place: str | Path) -> Path:
    """The file of a result: ``place`` itself, or the one in a run's folder."""
    path = Path(place)
    return path / FILE_NAME if path.is_dir() else path


def read_result(place: str | Path) -> SuiteResult:
    """Read a result, or that in a run's folder.

    Raises:
        DeclarationError: it is not there, too large, or no result; it names the field.
    """
    file = result_file(place)
    try:
        return SuiteResult.model_validate_json(whole_bytes(file))
    except FileNotFoundError:
        raise DeclarationError(f"{file} is missing: make it with conqret suite run") from None
    except OSError as error:
        raise DeclarationError(f"{file} cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        raise DeclarationError(
            f"{file} is not a result of conqret suite run: {'; '.join(faults(error))}"
        ) from None


def faults(error: ValidationError, most: int = 5) -> list[str]:
    """What is wrong with a file, field by field; nothing that stands in it is repeated."""
    found = [
        f"{shortened('.'.join(map(str, one['loc'])), 80) or 'the whole'}: {one['msg']}"[:200]
        for one in error.errors(include_input=False, include_url=False, include_context=False)
    ]
    return found[:most] + ([f"and {len(found) - most} more"] if len(found) > most else [])


def sampled(suite: Suite, data: SuiteData, size: int | None, seed: int) -> SuiteData:
    """The data with ``size`` of its items alone (None: all of them), in their order.

    Items stand in a line, cluster by cluster and within each by their gold, and every so many is taken from a random
    start (systematic sampling): each cluster, and each value of the gold within it, has its share, to one item.

    Raises:
        DeclarationError: there are no so many items, or the size is none.
    """
    items: Sequence[Item | Pair] = data.items
    if size is None or size == len(items):
        return data
    if not 0 < size < len(items):
        raise DeclarationError(f"--sample is {size}, but {suite.name} has only {len(items):,} items")
    rng = random.Random(seed)
    gold = data.gold.get(suite.metrics[0], {})
    clusters: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        clusters[data.clusters.get(item.id, item.id)].append(place)
    names = sorted(clusters)
    rng.shuffle(names)
    line: list[int] = []
    for name in names:
        members = clusters[name]
        rng.shuffle(members)
        line += sorted(members, key=lambda place: gold.get(items[place].id, 0.0))
    start = rng.random()
    chosen = sorted(line[int((number + start) * len(line) / size)] for number in range(size))
    kept: Any = tuple(items[place] for place in chosen)
    return replace(data, items=kept)


PUBLISHED = "published verdicts"


@dataclass(frozen=True, slots=True)
class RecomputedFigure:
    """A published figure beside what comes of the files: ``value`` as it is printed, None where it cannot be had."""

    figure: PublishedFigure
    value: float | None

    @property
    def same(self) -> bool | None:
        """Whether it is the printed one, to its digits; None where there is no value."""
        return None if self.value is None else self.figure.agrees(self.value / self.figure.times)


def logged_results(suite: Suite, data: SuiteData) -> Iterator[SuiteResult]:
    """A result for each judge whose verdicts the suite's files hold."""
    for name, verdicts in data.logs.items():
        held = held_statistics(suite, data, verdicts)
        if not held:
            continue
        yield SuiteResult(
            suite=suite.name,
            judge=SuiteJudge(
                model=name,
                format=PUBLISHED,
                fingerprint=digest_of(
                    [
                        [suite.name, name],
                        {metric: sorted(values.items()) for metric, values in verdicts.items()},
                    ]
                ),
                baseline=name in data.rules,
                published=True,
            ),
            figures=tuple(map(SuiteFigure.of, held)),
            judged=len({item for values in verdicts.values() for item in values}),
            lacking=suite.lacking(data),
        )


def logged_figure(suite: Suite, data: SuiteData, log: str, sample: SuiteSample) -> SuiteFigure | None:
    """The first statistic of a published judge on a sample of the items, by which it is compared with who judged that
    sample; None where the log does not have it, or there is no such sample of this copy."""
    if not 0 < sample.n < len(data.items) or sample.of != len(data.items):
        return None
    ids = [item.id for item in sampled(suite, data, sample.n, sample.seed).items]
    first = replace(suite, statistics=suite.statistics[:1])
    held = held_statistics(first, data, data.logs[log], ids)
    return SuiteFigure.of(held[0]) if held else None


def recomputed(suite: Suite, data: SuiteData) -> list[RecomputedFigure]:
    """The published figures of a suite beside what its files give."""
    return [RecomputedFigure(figure, _value(suite, data, figure)) for figure in suite.published]


def _value(suite: Suite, data: SuiteData, figure: PublishedFigure) -> float | None:
    statistic = suite.statistic(figure.statistic)
    if figure.recompute is not None:
        value = float(figure.recompute(data))
    elif statistic is not None and figure.log in data.logs:
        metric = suite.metric_of(statistic)
        view = data.against(metric, data.logs[figure.log].get(metric, {}), statistic.group)
        value = computed(statistic, view)
    else:
        return None
    return None if value != value else value * figure.times
