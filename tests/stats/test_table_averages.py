"""The averages that ConQRet prints in Tables 5, 13 and 14 follow from their rows."""

import importlib.util
from pathlib import Path

import pytest


def averages():
    file = Path(__file__).parents[2] / "benchmarks/agreement.py"
    spec = importlib.util.spec_from_file_location("agreement_benchmark", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.table_averages()


@pytest.mark.parametrize(("name", "mean", "printed", "decimals"), averages())
def test_printed_average(name, mean, printed, decimals):
    assert round(mean, decimals) == printed, name
