"""Find the format that measures a metric, and combine several formats into one judge.

Users name metrics; papers name formats, which are sets of requests. Metrics of one format share its requests. Requests
of different formats are never joined: a format among others keeps its fingerprint, and its recordings serve any run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from conqret.data.item import Item
from conqret.errors import ItemsError, check_known, metric_name
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES, Judge, Member
from conqret.judging.known_as import elsewhere
from conqret.text.citations import citations

ORDINARY = "rag"
"""The format of ordinary answers over documents. It measures its metrics wherever others are requested, too."""
ALIASES: Mapping[str, str] = {"answer_correctness": "answer_correctness.correctness_f1"}
"""Metrics with a name of their own: the format, with underscores, and its metric."""


BY_ITEMS = "the format is rag, as no item has a stance or a citation (--format names another)"
LOOKED_AT = 1000
"""Items that are read to choose a format where none is named."""


def default_format(items: Iterable[Item] | None) -> str:
    """Return the format of items for which none is named: :data:`ORDINARY` where none of the first has a stance or a
    cited document, else :data:`DEFAULT_FORMAT`."""
    if items is None:
        return DEFAULT_FORMAT
    name = DEFAULT_FORMAT
    try:
        for item in islice(items, LOOKED_AT):
            if item.stance != "none" or citations(item.argument or ""):
                return DEFAULT_FORMAT
            name = ORDINARY
    except ItemsError:  # which the check of all items reports in full
        return DEFAULT_FORMAT
    return name


def judge_of_metrics(metrics: Sequence[str], own: Judge | None = None) -> str | Judge | None:
    """Return the format that has all ``metrics``, or one judge of the formats that have them, with ``own``, which is
    made of the user's criteria or rubric; None without ``metrics``.

    A metric is its name, or ``format.metric`` where several formats have one of this name.

    Raises:
        UnknownNameError: no format has such a metric.
    """
    wanted = [metric_name(metric).replace("/", ".") for metric in metrics]
    if own is not None:
        wanted = [metric for metric in wanted if metric not in {*own.metrics, *own.derived}]
        if not wanted:
            return own
    elif not wanted:
        return None
    else:
        for name in (DEFAULT_FORMAT, ORDINARY):
            if _has_all(name, wanted):
                return name
    homes = [_home(metric) for metric in wanted]
    if own is None and len({name for name, _ in homes}) == 1 and [inner for _, inner in homes] == wanted:
        return homes[0][0]
    taken = Counter(inner for _, inner in homes)
    taken.update(() if own is None else own.metrics)
    names: dict[str, dict[str, str]] = {}
    for (name, inner), metric in zip(homes, wanted, strict=True):
        short = metric.rpartition(".")[2]
        alone = short in ALIASES or taken[inner] == 1
        names.setdefault(name, {})[inner] = short if alone else f"{name.replace('-', '_')}.{inner}"
    members = [Member(JUDGES[name], reported) for name, reported in names.items()]
    if own is not None:
        members.append(Member(own, {metric: metric for metric in own.metrics}))
    return judge_of_members(members)


def _has_all(name: str, metrics: Iterable[str]) -> bool:
    judge = JUDGES[name]
    return {*judge.metrics, *judge.derived}.issuperset(metrics)


def _home(metric: str) -> tuple[str, str]:
    """Return the format that measures a metric, and the metric's name there. FORMAT.METRIC names the format; else the
    ordinary format is searched first, then all others.

    Raises:
        UnknownNameError: no format measures it.
    """
    name = ALIASES.get(metric, metric)
    known = {metric_name(format_name): format_name for format_name in JUDGES}
    format_name, _, inner = name.rpartition(".")
    if format_name in known:
        home = known[format_name]
        check_known(f"metric of format {home}", {*JUDGES[home].metrics, *JUDGES[home].derived}, inner)
        return home, inner
    for home in (ORDINARY, *JUDGES):
        if name in JUDGES[home].metrics or name in JUDGES[home].derived:
            return home, name
    every = dict.fromkeys(each for home in JUDGES for each in JUDGES[home].metrics)
    check_known("metric", {*every, *ALIASES}, name, elsewhere=elsewhere)
    raise AssertionError(name)  # check_known has raised


def judge_of_members(members: Sequence[Member]) -> Judge:
    """Return one judge with the requests of several formats, which names their metrics as ``members`` do."""
    judges = [member.judge for member in members]
    return Judge(
        name="+".join(judge.name for judge in judges),
        summary="; ".join(judge.summary for judge in judges),
        scale="that of each format",
        score="as each format scores",
        source="; ".join(dict.fromkeys(judge.source for judge in judges)),
        judge_prompts=tuple(ask for member in members for ask in member.judge.select(member.names)),
        computed=tuple(
            part
            for member in members
            for part in member.judge.computed
            if member.judge.requested_metrics(member.names) & set(part.metrics)
        ),
        members=tuple(members),
    )
