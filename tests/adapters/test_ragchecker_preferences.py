"""RAGChecker's published agreement with people comes out of its own scores (Ru et al. 2024, Tables 2 and 5)."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "ragchecker.py"


@pytest.fixture
def benchmark(data_dir: Path) -> dict[str, Any]:
    if not (data_dir / "ragchecker").is_dir():
        pytest.skip("CONQRET_DATA names no folder with ragchecker/")
    return runpy.run_path(str(BENCHMARK))


@pytest.mark.parametrize(
    ("aspect", "pearson", "spearman"),
    [("correctness", 49.66, 46.95), ("completeness", 60.67, 58.11), ("overall", 61.93, 60.90)],
)
def test_the_published_figures_come_out(
    benchmark: dict[str, Any], data_dir: Path, aspect: str, pearson: float, spearman: float
) -> None:
    pairs = benchmark["pairs"](data_dir)
    assert len(pairs) == 280
    assert benchmark["published"](pairs, aspect) == (pearson, spearman)
    # ours treats differences that are equal but for rounding as ties
    ours = benchmark["correlations"](pairs, aspect, benchmark["ragchecker"](pairs, aspect))
    assert [100 * (estimate.value or 0) for estimate in ours] == pytest.approx([pearson, spearman], abs=0.04)
