"""Results that others contribute to a repository: under which names they lie, and whether they are sound."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from conqret.errors import DeclarationError, Fault, FaultsError, number
from conqret.io.bounded import whole_bytes
from conqret.io.limits import FILE
from conqret.io.safe_files import write_whole
from conqret.suites.result import MOST_FILES, SuiteFigure, SuiteResult, faults, read_result
from conqret.suites.suite import SUITES

CLOSE = 1e-6
"""How far an interval may be from what its figure gives: what rounding takes."""
_NAME = re.compile(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.json\Z")


class ContributionsError(FaultsError):
    """Contributed results have faults."""

    of = "results"


def contribution_name(result: SuiteResult) -> Path:
    """Where a repository collects a result: ``SUITE/MODEL-FINGERPRINT.json``, with the size of a sample."""
    model = re.sub(r"[^A-Za-z0-9.]+", "-", result.judge.model).strip("-.")[:80] or "model"
    size = "" if result.sample is None else f"-{result.sample.n}"
    return Path(result.suite) / f"{model}-{result.judge.fingerprint[:12]}{size}.json"


def submitted(results: Iterable[str | Path], output: str | Path) -> list[Path]:
    """Write results under the names by which they are collected.

    Raises:
        ContributionsError: one of them is not sound.
        DeclarationError: a file is no result, or another one has the name already.
    """
    root = Path(output)
    read = [(Path(place), read_result(place)) for place in results]
    found = [fault for place, result in read for fault in result_faults(str(place), result)]
    if found:
        raise ContributionsError(found)
    files: dict[Path, bytes] = {}
    for place, result in read:
        file = root / contribution_name(result)
        if (file in files or file.exists()) and (
            file in files or read_result(file).figures != result.figures
        ):
            raise DeclarationError(
                f"{file} already exists, with other figures than {place}: remove the one that should not count"
            )
        files[file] = result.model_dump_json(indent=1).encode() + b"\n"
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content)
    return list(files)


def checked(places: Sequence[str | Path]) -> list[tuple[Path, SuiteResult]]:
    """Read contributed results, files or folders of them.

    Raises:
        ContributionsError: one is faulty: it names file, field, and what is expected.
        DeclarationError: there is no file.
    """
    files = list(_files(places))
    if not files:
        raise DeclarationError("there is no result to check: give files, or folders that contain them")
    if len(files) > MOST_FILES:
        raise DeclarationError(f"there are more than {MOST_FILES:,} files: check them in several calls")
    found, sound = list[Fault](), list[tuple[Path, SuiteResult]]()
    names: dict[str, Path] = {}
    for file in files:
        result = _read(file, found)
        if result is None:
            continue
        problems = [*_name_faults(file, result), *result_faults(str(file), result)]
        key = f"{contribution_name(result)}"
        if key in names:
            problems.append(_fault(file, "judge", f"is the same run as {names[key]}", "Keep one of them"))
        names.setdefault(key, file)
        found += problems
        if not problems:
            sound.append((file, result))
    if found:
        raise ContributionsError(found)
    return sound


def _files(places: Sequence[str | Path]) -> Iterator[Path]:
    for place in map(Path, places):
        if place.is_dir() and not place.is_symlink():
            yield from sorted(file for file in place.rglob("*") if file.suffix == ".json")
        else:
            yield place


def _read(file: Path, found: list[Fault]) -> SuiteResult | None:
    if file.is_symlink():
        found.append(_fault(file, "", "is a link", "Put the file itself there"))
        return None
    try:
        if file.stat().st_size > FILE.most:
            found.append(
                _fault(file, "", f"is larger than {FILE}", "A result is small: give what submit wrote")
            )
            return None
        content = whole_bytes(file)
        result = SuiteResult.model_validate_json(content)
    except ValidationError as error:
        found += [
            _fault(file, "", problem, "docs/suite-result.schema.json says what is expected")
            for problem in faults(error)
        ]
        return None
    except DeclarationError as error:
        problem = str(error).removeprefix(f"{file} ")
        found.append(_fault(file, "", problem, "Give the file that conqret suite submit wrote"))
        return None
    except OSError as error:
        found.append(_fault(file, "", f"cannot be read: {error.strerror}", "Give the file itself"))
        return None
    if _twice(content):
        found.append(_fault(file, "", "names a field twice", "Keep one of them"))
        return None
    return result


def _twice(content: bytes) -> bool:
    """Whether an object names a field twice: readers would differ in what they take."""
    twice = False

    def pairs(members: list[tuple[str, object]]) -> None:
        nonlocal twice
        twice = twice or len({name for name, _ in members}) < len(members)

    try:
        json.loads(content, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return True
    return twice


def _name_faults(file: Path, result: SuiteResult) -> Iterator[Fault]:
    expected = contribution_name(result)
    if (
        not _NAME.match(file.name)
        or file.name != expected.name
        or file.absolute().parent.name != str(expected.parent)
    ):
        yield _fault(file, "", "has another name than its content says", f"Name it {expected}")


def result_faults(file: str, result: SuiteResult) -> Iterator[Fault]:
    """What is wrong with a result that has the layout of one."""
    place = Path(file)
    if result.suite not in SUITES:
        yield _fault(
            place, "suite", f"there is no suite {result.suite!r}", "Install the package that brings it"
        )
        return
    suite = SUITES[result.suite]
    if result.created.tzinfo is None or result.created > dt.datetime.now(dt.UTC) + dt.timedelta(days=1):
        yield _fault(place, "created", "is not a past time with its time zone", "Run the suite again")
    if result.judge.published:
        yield _fault(place, "judge.published", "is of published verdicts", "They come with the suite itself")
    if result.sample is not None and result.sample.n != result.judged:
        yield _fault(place, "sample.n", f"is not the {number(result.judged, 'item')} judged", "Run it again")
    names = [figure.statistic for figure in result.figures]
    if names[0] != suite.statistics[0].name or len(set(names)) < len(names):
        yield _fault(place, "figures", f"do not begin with {suite.statistics[0].name}", "Run the suite again")
    for place_of, figure in enumerate(result.figures):
        statistic = suite.statistic(figure.statistic)
        if statistic is None:
            yield _fault(
                place,
                f"figures.{place_of}.statistic",
                "is not a statistic of the suite",
                "Run the suite again",
            )
        elif (statistic.scale, suite.metric_of(statistic)) != (figure.scale, figure.metric):
            yield _fault(place, f"figures.{place_of}", "has another scale or metric", "Run the suite again")
        else:
            yield from _figure_faults(place, f"figures.{place_of}", figure)


def _figure_faults(file: Path, field: str, figure: SuiteFigure) -> Iterator[Fault]:
    """An interval is what value and jackknife give."""
    again = "Run the suite again: figures are not to be edited"
    if figure.n > figure.items or sum(figure.sizes) != figure.n:
        yield _fault(file, f"{field}.n", "does not agree with items and sizes", again)
        return
    if figure.without and len(figure.without) != len(figure.sizes):
        yield _fault(file, f"{field}.without", "has not the length of sizes", again)
        return
    if figure.value is None:
        return
    if figure.scale == "share" and not 0 <= figure.value <= 1:
        yield _fault(file, f"{field}.value", "is a share outside of 0 to 1", again)
        return
    estimate = figure.jackknifed.estimate()
    ends = (figure.low, estimate.low), (figure.high, estimate.high)
    if any(not _same(own, expected) for own, expected in ends):
        expected = "no interval" if estimate.low is None else f"[{estimate.low:.6f}, {estimate.high:.6f}]"
        yield _fault(
            file, f"{field}.low", f"the interval is not the one that its figures give ({expected})", again
        )


def _same(own: float | None, expected: float | None) -> bool:
    if own is None or expected is None:
        return own is expected
    return math.isclose(own, expected, rel_tol=CLOSE, abs_tol=CLOSE)


def _fault(file: Path, field: str, problem: str, remedy: str) -> Fault:
    return Fault(" ".join(str(file).split("\n")), 0, field, problem, remedy)
