"""What conqret measures, by the names that other tools give it (``known_as.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import Any

from conqret.errors import metric_name
from conqret.judging.judge_options import AXIS, OVERALL, VITAL
from conqret.judging.nugget_measures import METRICS

_SUFFIXES = re.compile(r"(?:metric|score|scorer|evaluator)s?\Z")


def _key(name: str) -> str:
    """A name without what tools write differently: capitals, blanks and lines between words, ``Metric`` at its end."""
    return _SUFFIXES.sub("", re.sub(r"[\W_]+", "", name.casefold()))


@cache
def _by_name() -> dict[str, dict[str, Any]]:
    """Each metric of the table, which has ``name`` (empty: a criterion) and what is ``typed``, by all names for it."""
    text = resources.files("conqret.judging").joinpath("known_as.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["metric"]
    known = {_key(name): row for row in reversed(rows) for name in row["elsewhere"]}
    return known | {_key(row["name"]): row for row in rows if row["name"]}


def named_here(name: str, known: Collection[str]) -> str:
    """Return a sentence with conqret's name for a metric that other tools call ``name``; empty if not in
    ``known``.
    """
    row = _by_name().get(_key(name))
    return f"here it is {row['name']!r}" if row is not None and row["name"] in known else ""


def _given_by(name: str, known: Collection[str]) -> list[str]:
    """What has to be given so that a score is called so, where it comes from nuggets or from a rubric."""
    given = []
    if name in METRICS and name not in known:
        given.append("nuggets that are judged (--nuggets FILE, or --format nuggets)")
    if name == VITAL and name not in known:
        given.append("a rubric with vital criteria (--rubric FILE)")
    if (name == OVERALL or name.startswith(AXIS)) and OVERALL not in known:
        given.append("a rubric (--rubric FILE)")
    return given


def elsewhere(name: str, known: Collection[str]) -> str:
    """Return a sentence that says where conqret has the metric ``name`` of other tools, and what to type for
    it.

    It is empty if nothing is known of that name.
    """
    if given := _given_by(metric_name(name.casefold()), known):
        return f"it comes from {' or from '.join(given)}"
    row = _by_name().get(_key(name))
    if row is None or row["name"] == name in known:
        return ""
    if row["name"] in known:
        return f"here it is {row['name']!r} (--metric {row['name']})"
    of_default = row["typed"].startswith("--metric ")
    typed = f"{row['typed']}, without --format" if of_default else row["typed"]
    if _key(row["name"]) == _key(name):
        return f"another format has it ({typed})"
    what = repr(row["name"]) if row["name"] else "a criterion of your own"
    return f"here it is {what} ({typed})"
