"""What several tests of reliability stand on."""

import numpy as np
import pytest

from conqret.data import Item
from conqret.io import open_items
from tests.studies.sensitivity_plans import DEMO


@pytest.fixture(scope="session")
def demo() -> list[Item]:
    return list(open_items(DEMO / "items.jsonl"))


@pytest.fixture
def rng():
    return np.random.default_rng(7)
