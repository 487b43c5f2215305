"""The plugin in a session of its own: the documented suite, failures with their curve, options, xdist."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.killed import Forks

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = any(
    point.value == "conqret.pytest_plugin" for point in importlib.metadata.entry_points(group="pytest11")
)
LOAD = () if INSTALLED else ("-p", "conqret.pytest_plugin")
OTHERS = ("cacheprovider", "hypothesispytest", "pytest_cov", "anyio", "asyncio", "timeout")
BARE = [option for name in OTHERS for option in ("-p", f"no:{name}")]
"""Without the plugins of ours that no such session needs: they take half of what it takes to begin."""


IMPORTED = """
import gc
gc.disable()
import sys
import pytest, xdist.plugin
import conqret.io, conqret.judging.judge_settings, conqret.perturb, conqret.studies.sensitivity.assertions
import numpy, polars, scipy.stats
def main():
    sys.exit(pytest.main(sys.argv[1:]))
"""
"""What the plugin imports where a test uses it, and not the plugin."""


class Suite:
    """A folder with tests, and sessions in it, each in a process of its own."""

    def __init__(self, pytester: pytest.Pytester, sessions: Forks) -> None:
        self.path, self._sessions = pytester.path, sessions
        self.makepyfile, self.makeini = pytester.makepyfile, pytester.makeini
        self.makeconftest = pytester.makeconftest

    def run(self, *options: str) -> pytest.RunResult:
        """Run the tests; returns what the session said."""
        out, err = self.path / ".out", self.path / ".err"
        for file in (out, err):
            file.write_bytes(b"")
        self._sessions.start(
            *LOAD,
            *BARE,
            "--strict-markers",
            *options,
            out=out,
            err=err,
            environment=dict(os.environ),
            folder=self.path,
        )
        code = self._sessions.end()
        said, warned = (file.read_text(encoding="utf-8").splitlines() for file in (out, err))
        return pytest.RunResult(code, said, warned, 0.0)


@pytest.fixture(scope="module")
def sessions() -> Iterator[Forks]:
    """What runs the sessions, without importing everything for each."""
    with Forks(IMPORTED, {**os.environ, "PYTHONPATH": str(ROOT)}) as found:
        yield found


@pytest.fixture
def suite(pytester: pytest.Pytester, sessions: Forks) -> Suite:
    """A folder with the demo items, in the place that the page names, too; the checkout can be imported from it."""
    items = ROOT / "fixtures" / "demo" / "items.jsonl"
    shutil.copy(items, pytester.path / "items.jsonl")
    (pytester.path / "fixtures" / "demo").mkdir(parents=True)
    shutil.copy(items, pytester.path / "fixtures" / "demo" / "items.jsonl")
    return Suite(pytester, sessions)


def documented() -> str:
    text = (ROOT / "docs" / "perturbations.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return block


def test_the_documented_suite_runs_as_it_stands(suite: Suite) -> None:
    suite.makepyfile(test_judge=documented())
    suite.run().assert_outcomes(passed=4)


def test_a_failure_shows_the_curve(suite: Suite) -> None:
    suite.makepyfile(
        """
        from conqret.pytest_plugin import assert_falls

        def blind(items):
            return [{"context_relevance": 0.7} for _ in items]

        def test_it(conqret_items):
            assert_falls(blind, conqret_items, "irrelevant", (0, 50, 100))
        """
    )
    result = suite.run("--conqret-items", "items.jsonl")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*context_relevance of blind under irrelevant does not fall: it does not change (within 0.05)*",
            "*level (percent of the documents): mean*",
            "*50  0.700  #####################",
            "*Pearson -, Spearman -; 0% of 24 items down, 0% up; 12 topics",
        ]
    )
    assert "_check(" not in result.stdout.str()


def test_the_marker_selects_and_names(suite: Suite) -> None:
    suite.makepyfile(
        """
        import pytest

        @pytest.mark.perturbation("padding", levels=(0, 3))
        def test_named(conqret_perturbation, conqret_levels):
            assert (conqret_perturbation.name, conqret_levels) == ("padding", (0, 3))

        @pytest.mark.perturbation("padding")
        def test_own_levels(conqret_levels):
            assert conqret_levels == (0, 2, 5, 10)

        @pytest.mark.perturbation("hallucinate", levels=("25%", "100%"))
        def test_shares(conqret_perturbation, conqret_levels):
            assert (conqret_perturbation.name, conqret_levels) == ("hallucinate-share", (25, 100))

        def test_other():
            pass
        """
    )
    suite.run("-m", "perturbation").assert_outcomes(passed=3, deselected=1)


def test_no_items_is_a_skip_with_the_remedy(suite: Suite) -> None:
    suite.makepyfile("def test_it(conqret_items): pass")
    result = suite.run("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*no items: give --conqret-items FILE*"])


def test_a_file_elsewhere_moves_no_root_folder(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory
) -> None:
    option = "--conqret-items"
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "items.jsonl"
    shutil.copy(suite.path / "items.jsonl", elsewhere)
    suite.makeini("[pytest]\naddopts = --strict-config\n")
    suite.makeconftest("import pytest\n@pytest.fixture\ndef of_the_conftest(): return 1")
    suite.makepyfile("def test_it(conqret_items, of_the_conftest): pass")
    result = suite.run(option, str(elsewhere))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"*pytest reads {elsewhere} as a path of tests*write {option}={elsewhere}, with an*"]
    )
    result = suite.run(f"{option}={elsewhere}")
    result.stdout.fnmatch_lines([f"rootdir: {suite.path}"])
    result.assert_outcomes(passed=1)
    inside = suite.run(option, "fixtures/demo/items.jsonl")  # which moves nothing
    inside.stdout.fnmatch_lines([f"rootdir: {suite.path}"])


def test_options_reach_the_judge_and_workers_share_the_budget(suite: Suite) -> None:
    suite.makepyfile(
        """
        def test_it(conqret_judge, request):
            assert request.config.workerinput["workercount"] == 2
            assert (conqret_judge.model, conqret_judge.format) == ("some/model", "direct")
            assert conqret_judge.options["budget_usd"] == 3 / 2
            assert conqret_judge.recordings.name == "answers.sqlite"
        """
    )
    options = ("--conqret-model", "some/model", "--conqret-format", "direct", "--conqret-budget", "3")
    suite.run(*options, "--conqret-recordings", "answers.sqlite", "-n", "2").assert_outcomes(passed=1)


def test_a_judge_that_fails_to_answer_fails_the_test(suite: Suite) -> None:
    suite.makepyfile(
        """
        from conqret.studies.sensitivity.assertions import ModelJudge
        from conqret.pytest_plugin import assert_unchanged

        def test_it(conqret_items, tmp_path):
            judge = ModelJudge(options={"replay": "answers.sqlite"})
            assert_unchanged(judge, conqret_items[:4], "shuffle", (0, 100), "groundedness")
        """
    )
    from conqret.llm.recordings import Recordings

    Recordings(suite.path / "answers.sqlite").close()
    result = suite.run("--conqret-items", "items.jsonl")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*4 of 4 items lack a value at one level or more; *not_recorded*"])


def test_importing_it_costs_nothing() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import conqret.pytest_plugin; "
        "print(sorted(name for name in set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    new = set(json.loads(done.stdout.replace("'", '"')))
    assert {name for name in new if not name.startswith("conqret")} == set()
    assert {name for name in new if name.count(".") > 1 or name.startswith("conqret.perturb")} == set()
