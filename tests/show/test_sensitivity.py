"""Tables, plots and page of a sensitivity run."""

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conqret.perturb import Direction
from conqret.runs.session import SessionCounts
from conqret.studies.sensitivity.page import (
    all_tables,
    charts,
    grid_charts,
    precision_table,
    sensitivity_page,
    write_sensitivity,
)
from conqret.studies.sensitivity.result import (
    Curve,
    CurveCell,
    PrecisionRow,
    SensitivityRecord,
    SensitivityResults,
    StanceCurve,
)
from tests.studies.sensitivity_plans import curve

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def results() -> SensitivityResults:
    judge: dict[str, Any] = {"baseline": False, "fingerprint": "f", "metrics": ["context_relevance"]}
    judges = tuple(
        {**judge, "format": name, "model": model}
        for model in ("gpt", HOSTILE)
        for name in ("direct", "rag-direct")
    )
    levels = {"irrelevant": (0, 50, 100)}
    stance = curve((0.8, 0.5, 0.2)).model_dump(include={*StanceCurve.model_fields})
    return SensitivityResults(
        session=SessionCounts(),
        record=SensitivityRecord(judges=judges, perturbations=levels, grid=(), seed=13, items=5, digest="d"),
        curves=(
            curve((0.9, 0.95, 0.2)),
            curve((0.8, 0.5, 0.1), format="rag-direct"),
            curve((0.7, 0.5, 0.2), format="rag-direct", model=HOSTILE),
        ),
        stances=(StanceCurve(**stance, stance="con", levels=(0, 50, 100), means=(0.8, 0.5, 0.2)),),
        precision=(
            PrecisionRow(level=0, n=4, true=0.505, predicted={"m": 0.548}, direct={"m": 0.924}),
            PrecisionRow(level=10, n=4, true=0.2476, predicted={"m": 0.3534}, direct={}),
        ),
    )


def test_precision_with_the_error_in_brackets(results: SensitivityResults) -> None:
    judge = {"format": "m", "model": "offline", "metrics": (), "identity": {"relevant_from": 3}}
    record = results.record.model_copy(update={"judges": (judge,)})
    row = PrecisionRow(level=0, n=4, true=0.5, predicted={"m (offline)": 0.6}, direct={})
    header = precision_table(results.model_copy(update={"record": record, "precision": (row,)})).header
    assert header[1:] == ("True precision (grade ≥ 1)", "Predicted precision, m (offline) (rating ≥ 3)")
    # Table 7 prints .106 beside .353 and .248: of unrounded figures
    assert precision_table(results).rows[1] == ("10", "0.248", "", "0.353 (+0.106)")


def test_two_perturbations_cross_in_a_grid(results: SensitivityResults) -> None:
    whose: dict[str, Any] = {"format": "direct", "model": "gpt", "metric": "groundedness", "n": 2}
    cells = tuple(
        CurveCell(**whose, levels=levels, mean=mean, low=mean, high=mean)
        for levels, mean in (
            ({"hallucinate": 5.0}, 0.5),
            ({"irrelevant": 50.0}, 0.4),
            ({"hallucinate": 5.0, "irrelevant": 50.0}, 0.3),
        )
    )
    record = results.record.model_copy(update={"grid": ("hallucinate", "irrelevant")})
    found = results.model_copy(update={"record": record, "grid": cells})
    *_, table = all_tables(found)
    assert table.title == "Groundedness by direct (gpt): irrelevant by hallucinate (ConQRet, Figure 4)"
    assert table.header == ("irrelevant", "hallucinate 0", "hallucinate 5")
    assert table.rows == (("0", "", "0.500"), ("50", "0.400", "0.300"))
    (chart,) = grid_charts(found)
    lines = {line.name: [(point.x, point.y) for point in line.points] for line in chart.lines}
    assert lines == {"hallucinate 5": [(0, 0.5), (50, 0.3)], "hallucinate 0": [(50, 0.4)]}


def test_the_page_escapes_and_draws_its_curves_without_a_library(
    results: SensitivityResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    report, _, plot = written = write_sensitivity(results, tmp_path)
    page = report.read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert page.count('<svg class="chart"') == 1
    assert plot.name == "irrelevant-context-relevance.svg"
    drawing = ElementTree.parse(plot).getroot()
    assert "direct (gpt): yes: 0.900 at 0, 0.950 at 50, 0.200 at 100" in drawing.get("aria-label", "")
    assert len(drawing.findall(".//{*}polyline")) == 3
    again = write_sensitivity(results, tmp_path / "again")
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in written]


def test_the_page_answers_its_question_and_draws_what_is_in_doubt(results: SensitivityResults) -> None:
    few = results.curves[0].model_copy(update={"verdict": "inconclusive"})
    fall = results.curves[0].model_copy(update={"topics": 6})
    still = fall.model_copy(update={"expected": Direction.UNCHANGED, "metric": "answer_relevance"})
    doubted = still.model_copy(update={"metric": "cogency", "verdict": "inconclusive"})
    lost = fall.model_copy(update={"verdict": "no"})

    def answer(*curves: Curve) -> str:
        return sensitivity_page(results.model_copy(update={"curves": curves})).answer[0]

    assert answer(fall, still, doubted) == (
        "The judge detects perturbations: 1 of 1 curves that should fall or rise do so; "
        "1 of 2 curves that should not change or not rise do not (1 inconclusive)."
    )
    assert answer(fall, lost).startswith("The judge detects some perturbations")
    assert answer(lost).startswith("The judge does not detect")
    assert answer(fall.model_copy(update={"verdict": "inconclusive"})).startswith("The data do not show")
    assert answer(few).startswith("3 topics are too few for a verdict, at least 6 are needed: 0 of 1 curves")
    assert list(charts([fall, still, doubted])) == ["irrelevant-context-relevance", "irrelevant-cogency"]
