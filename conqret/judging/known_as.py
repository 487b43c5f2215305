"""What conqret measures, by the names that other tools give it (``known_as.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from functools import cache
from importlib import resources
from typing import Any

from conqret.judging.judge_options import AXIS, OVERALL

_SUFFIXES = re.compile(r"(?:metric|score|scorer|evaluator)s?\Z")


def _key(name: str) -> str:
    """Return a name in the form in which names of several tools are compared: lower case, without separators
    and ``Metric``.
    """
    return _SUFFIXES.sub("", re.sub(r"[\W_]+", "", name.casefold()))


@cache
def _by_name() -> dict[str, dict[str, Any]]:
    """Return the rows of the table of metrics by every name that a metric has, in the form of :func:`_key`.

    A row has ``name`` (empty if conqret has no such metric, then ``what`` it is) and ``typed``, what a user
    types.
    """
    text = resources.files("conqret.judging").joinpath("known_as.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)["metric"]
    known = {_key(name): row for row in reversed(rows) for name in row["elsewhere"]}
    return known | {_key(row["name"]): row for row in rows if row["name"]}


def elsewhere(name: str, known: Collection[str]) -> str:
    """Return a sentence that says where conqret has the metric ``name`` of other tools, and what to type for
    it.

    It is empty if nothing is known of that name.
    """
    of_an_axis = name.startswith(AXIS) and OVERALL not in known
    row = _by_name().get(_key(OVERALL if of_an_axis else name))
    if row is None or row["name"] == name in known:
        return ""
    if row["name"] in known:
        return f"here it is {row['name']!r} (--metric {row['name']})"
    of_default = row["typed"].startswith("--metric ")
    typed = f"{row['typed']}, without --format" if of_default else row["typed"]
    if _key(row["name"]) == _key(name):
        return f"another format has it ({typed})"
    what = repr(row["name"]) if row["name"] else row["what"]
    return f"here it is {what} ({typed})"
