"""The result of a judge on a suite: one small file with figures, intervals and price, and without any
text.

What a figure is without each cluster stands in it, too: two judges of the same items are compared by that alone, so no
verdict of a single item and no gold label leaves the machine on which the suite was run.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from conqret._version import __version__
from conqret.data.digest import digest_of
from conqret.io.limits import read_written
from conqret.runs.run_folder import now
from conqret.show.visible_text import visible
from conqret.stats.estimate import Estimate, Scale
from conqret.stats.jackknife import JackknifedEstimate, freedom_by_size
from conqret.stats.resampling import MAX_CLUSTERS

FILE_NAME = "suite.json"
"""The name of the result in a run's folder."""


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
    """The base class of a result's parts: immutable, without extra fields, and without NaN or infinite
    numbers.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class SuiteFigure(ResultPart):
    """One statistic of a judge on a suite: its value with a 95% interval over clusters, or the reason for its
    absence.

    ``n`` of ``items`` items have a verdict. ``without`` holds the statistic recomputed without each
    cluster (null: not defined), and ``sizes`` the number of verdicts in each cluster. Equal
    ``items_digest`` means equal items, so that two judges can be compared.
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
    without: tuple[Number | None, ...] = Field(default=(), max_length=MAX_CLUSTERS)
    sizes: tuple[Whole, ...] = Field(default=(), max_length=MAX_CLUSTERS)

    @property
    def estimate(self) -> Estimate:
        """The value with its interval."""
        return Estimate(self.value, self.low, self.high, self.n, self.reason)

    @property
    def jackknifed(self) -> JackknifedEstimate:
        """The value with its jackknife values, from which differences between judges are tested."""
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
    """A judge: its format, model and fingerprint.

    ``baseline`` is True for the offline baseline. ``published`` is True if the verdicts were published by
    others, so that no request was sent.
    """

    model: Short
    format: Short
    fingerprint: Digest
    baseline: bool = False
    published: bool = False

    @property
    def name(self) -> str:
        """The judge's name in tables: the model, with the format unless the judge is published."""
        return self.model if self.published else f"{self.model} ({self.format})"


class SuiteSample(ResultPart):
    """A random sample of ``n`` out of ``of`` items, drawn with this seed."""

    n: Whole
    of: Whole
    seed: int


class SuiteCost(ResultPart):
    """The cost of a judge's verdicts: requests, tokens, US dollars (null: unknown) and model time in seconds.

    Responses from recordings count with their original cost.
    """

    calls: Whole
    prompt_tokens: Whole
    completion_tokens: Whole
    usd: Positive | None
    seconds: Positive | None = None


class SuiteResult(ResultPart):
    """The result of a judge on a suite.

    ``files`` has the SHA-256 digest of each file read. ``lacking`` says what this copy of the suite lacks.
    ``missing`` counts items without a verdict, by reason.
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
    created: AwareDatetime = Field(default_factory=lambda: dt.datetime.fromisoformat(now()))
    conqret: Short = __version__

    @property
    def main(self) -> SuiteFigure:
        """The first figure, by which the leaderboard ranks."""
        return self.figures[0]

    @property
    def usd_per_thousand(self) -> float | None:
        """The price of a thousand items in US dollars; None if it is unknown."""
        if self.cost is None or self.cost.usd is None or not self.judged:
            return None
        return 1000 * self.cost.usd / self.judged

    @property
    def digest(self) -> str:
        """A digest of judge, suite and items, independent of the time of the run."""
        return digest_of([self.suite, self.judge.fingerprint, [one.items_digest for one in self.figures]])


def result_file(place: str | Path) -> Path:
    """Return the file of a result: ``place`` itself, or ``suite.json`` in that folder."""
    path = Path(place)
    return path / FILE_NAME if path.is_dir() else path


def read_result(place: str | Path) -> SuiteResult:
    """Read a result from a file or a run's folder.

    Raises:
        DeclarationError: the file is missing, too large, or not a result; the message names the faulty
            field.
    """
    return read_written(
        result_file(place), SuiteResult, "conqret judges test", "not a result of conqret judges test"
    )
