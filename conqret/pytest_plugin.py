"""A pytest plugin: are my answers good enough, and does my judge notice perturbations?

Options name the judge (``--conqret-model``, ``--conqret-format``, ``--conqret-criterion`` or ``--conqret-rubric``),
the items, the recordings and a budget; fixtures give judge, items and perturbations to a test. ``assert_required``
sets conditions on scores (docs/guides/judge-rag.md); ``assert_falls``, ``assert_unchanged`` and ``assert_rises`` say
how scores must change, and show the curve where they do not (docs/perturbations.md).

Importing this module imports nothing but pytest: everything else waits for the first test that uses it.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conqret.data import Item
    from conqret.judging.judge_settings import JudgeSettings
    from conqret.perturb import Perturbation
    from conqret.perturb.versions import Level
    from conqret.studies.sensitivity.assertions import ItemJudge, ModelJudge

MARKER = "perturbation"
_SOURCE = "conqret_items_file"
_JUDGE = {"format": "format", "criteria": "criterion", "rubric": "rubric", "metrics": "metric"}
"""By setting of :func:`conqret.judge` the option that names the judge."""
_FILES = ("--conqret-items", "--conqret-rubric", "--conqret-recordings")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add conqret's options to pytest; they have no effect unless a test requests a fixture."""
    group = parser.getgroup("conqret", "conqret: conditions on scores, and judges against perturbations")
    group.addoption(
        "--conqret-model", default="offline", help="the judge's model (any litellm model; default: offline)"
    )
    group.addoption("--conqret-format", default=None, help="the judge's format (default: rag-fine-grained)")
    group.addoption(
        "--conqret-criterion",
        action="append",
        metavar="TEXT",
        help="a criterion of your own instead of the format, such as 'clarity: How clear is the wording? 1-5'; may be "
        "repeated",
    )
    group.addoption(
        "--conqret-metric",
        action="append",
        metavar="NAME",
        help="a metric of any format, such as faithfulness; may be repeated",
    )
    group.addoption(
        "--conqret-rubric",
        default=None,
        metavar="FILE",
        help="a file of weighted criteria instead of the format (docs/rubrics.md)",
    )
    group.addoption("--conqret-items", default=None, metavar="FILE", help="the items to judge or to perturb")
    group.addoption(
        "--conqret-columns",
        default=None,
        metavar="FIELD=COLUMN,…",
        help="the columns of the items: topic=question,documents=contexts,argument=answer",
    )
    group.addoption(
        "--conqret-recordings", default=None, metavar="FILE", help="a store of answers to read and add to"
    )
    group.addoption(
        "--conqret-budget",
        default=None,
        type=float,
        metavar="USD",
        help="money that the session may spend at most, shared evenly by xdist's workers",
    )
    parser.addini(_SOURCE, "the items that --conqret-items names otherwise, relative to the root", default="")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Reject a file outside the current folder that follows a conqret option without an equals sign.

    pytest would take such a file for a path of tests, and move its root folder and configuration there.

    Raises:
        UsageError: there is such a file outside of the folder in which pytest was called.
    """
    folder = early_config.invocation_params.dir
    arguments = [str(argument) for argument in early_config.invocation_params.args]
    for option, value in itertools.pairwise(arguments):
        if option in _FILES and not (folder / value).resolve().is_relative_to(folder.resolve()):
            raise pytest.UsageError(
                f"pytest reads {value} as a path of tests and takes its root folder from there: write "
                f"{option}={value}, with an equals sign"
            )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker ``perturbation``, so that ``--strict-markers`` accepts it."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(name, levels=...): a test of a judge against perturbations; the fixture conqret_perturbation gives "
        "the perturbation of that name, and conqret_levels its levels",
    )


@pytest.fixture(scope="session")
def conqret_judge(pytestconfig: pytest.Config) -> ModelJudge:
    """The judge that the options specify: call it with items to get judgments; each item is judged once."""
    from conqret.judging.judge_parts import DEFAULT_FORMAT
    from conqret.judging.judge_settings import chosen_format
    from conqret.studies.sensitivity.assertions import ModelJudge

    budget = pytestconfig.getoption("--conqret-budget")
    workers = getattr(pytestconfig, "workerinput", {}).get("workercount", 1)
    recordings = pytestconfig.getoption("--conqret-recordings")
    named = {name: pytestconfig.getoption(f"--conqret-{option}") for name, option in _JUDGE.items()}
    options: JudgeSettings = {} if budget is None else {"budget_usd": budget / workers}
    if named["metrics"]:
        options["metrics"] = named["metrics"]
    return ModelJudge(
        format=chosen_format(named) or DEFAULT_FORMAT,
        model=pytestconfig.getoption("--conqret-model"),
        recordings=None if recordings is None else Path(recordings),
        options=options,
    )


@pytest.fixture(scope="session")
def conqret_items(pytestconfig: pytest.Config) -> list[Item]:
    """The items of ``--conqret-items`` or of ``conqret_items_file`` in the configuration; tests may override
    it.

    The test is skipped if neither is set.
    """
    from conqret.console.shared_options import ITEM_COLUMNS, column_map
    from conqret.io import open_items

    named = pytestconfig.getoption("--conqret-items")
    written = pytestconfig.getini(_SOURCE)
    if named is None and not written:
        pytest.skip(
            f"no items: give --conqret-items FILE, set {_SOURCE}, or override the fixture conqret_items"
        )
    columns = column_map(pytestconfig.getoption("--conqret-columns"), ITEM_COLUMNS)
    return list(
        open_items(Path(named) if named is not None else pytestconfig.rootpath / written, columns=columns)
    )


@pytest.fixture
def conqret_perturbation(request: pytest.FixtureRequest) -> Perturbation:
    """The perturbation that the test's marker names: ``@pytest.mark.perturbation("irrelevant")``."""
    return _marked(request)[0]


@pytest.fixture
def conqret_levels(request: pytest.FixtureRequest) -> tuple[float, ...]:
    """The levels in the test's marker, as numbers or shares (``"25%"``); by default the perturbation's own
    levels.
    """
    return _marked(request)[1]


def _marked(request: pytest.FixtureRequest) -> tuple[Perturbation, tuple[float, ...]]:
    from conqret.perturb import PERTURBATIONS, at_levels

    mark: pytest.Mark | None = request.node.get_closest_marker(MARKER)
    if mark is None or not mark.args:
        raise pytest.UsageError(
            f'{request.node.nodeid} needs a marker such as @pytest.mark.{MARKER}("irrelevant")'
        )
    return at_levels(PERTURBATIONS[mark.args[0]], tuple(mark.kwargs.get("levels", ())))


def assert_falls(
    judge: ItemJudge,
    items: Sequence[Item],
    perturbation: str | Perturbation,
    levels: Sequence[Level] = (),
    metric: str = "context_relevance",
    **options: Any,
) -> None:
    """Assert that the mean of ``metric`` has a decreasing trend over the levels, and never rises
    significantly.

    Args:
        judge: the fixture ``conqret_judge``, or a function of a list of items. It returns for each item a
            judgment, or what a judge of one's own returns: a value in [0, 1], one with a reason, or such by
            metric (None: no value).
        items: the items to perturb, with at least six topics; with fewer, the assertion fails.
        perturbation: the perturbation or its name.
        levels: increasing levels, or shares such as ``"25%"``; by default the perturbation's own.
            Levels that most items cannot reach are left out, as are items that lack one of the
            remaining levels.
        metric: the metric to test.
        options: ``seed``, ``materials``, ``margin``, and ``allow_missing`` (the share of items that
            may lack a value).

    Raises:
        AssertionError: the trend is not shown, or there are too few items; the message shows the
            curve.
    """
    __tracebackhide__ = True
    _check("falls", judge, items, perturbation, levels, metric, options)


def assert_rises(
    judge: ItemJudge,
    items: Sequence[Item],
    perturbation: str | Perturbation,
    levels: Sequence[Level] = (),
    metric: str = "context_relevance",
    **options: Any,
) -> None:
    """Assert that the mean of ``metric`` has an increasing trend over the levels, and never falls
    significantly.

    Arguments and errors are those of :func:`assert_falls`.
    """
    __tracebackhide__ = True
    _check("rises", judge, items, perturbation, levels, metric, options)


def assert_unchanged(
    judge: ItemJudge,
    items: Sequence[Item],
    perturbation: str | Perturbation,
    levels: Sequence[Level] = (),
    metric: str = "context_relevance",
    **options: Any,
) -> None:
    """Assert that the mean of ``metric`` stays within ``margin`` (0.05) at every level, by an equivalence
    test.

    Arguments and errors are those of :func:`assert_falls`.
    """
    __tracebackhide__ = True
    _check("stands still", judge, items, perturbation, levels, metric, options)


def assert_required(judge: ItemJudge, items: Sequence[Item], *requirements: str) -> None:
    """Assert conditions on the scores of items, as those of ``conqret judge --require``.

    Args:
        judge: the fixture ``conqret_judge``, or a function of a list of items, as for :func:`assert_falls`.
        items: what is judged.
        requirements: ``faithfulness >= 0.8``, ``faithfulness.min >= 0.5``, ``declined_wrongly <= 0.02`` …

    Raises:
        AssertionError: a condition is not met; the message names the worst items.
    """
    __tracebackhide__ = True
    from conqret.judging.build_gate import check_required, parse_mean
    from conqret.judging.tally import summarise
    from conqret.llm.client_options import OFFLINE_MODEL
    from conqret.studies.sensitivity.assertions import judgments_of

    judgments = judgments_of(judge, items)
    known = dict.fromkeys(name for judgment in judgments for name in judgment.measures)
    outcomes = check_required(
        [parse_mean(text, known) for text in requirements], summarise(judgments), judgments
    )
    lines = []
    for outcome in outcomes:
        if not outcome.met:
            lines += [str(outcome), *(f"  {line}" for line in outcome.lines())]
    if any(judgment.model == OFFLINE_MODEL for judgment in judgments):
        decides = (
            "word statistics of the offline baseline decide the conditions, not a judge: set --conqret-model"
        )
        warnings.warn(pytest.PytestWarning(decides), stacklevel=2)
    if lines:
        raise AssertionError("\n".join(lines))


def _check(
    claim: str,
    judge: ItemJudge,
    items: Sequence[Item],
    perturbation: str | Perturbation,
    levels: Sequence[Level],
    metric: str,
    options: Mapping[str, Any],
) -> None:
    __tracebackhide__ = True
    from conqret.studies.sensitivity.assertions import why_claim_fails

    if fault := why_claim_fails(claim, judge, items, perturbation, levels, metric, **options):
        raise AssertionError(fault)
