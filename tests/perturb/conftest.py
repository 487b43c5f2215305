from pathlib import Path

import pytest

from conqret.data import Document, Item
from conqret.io import open_items
from conqret.perturb import Materials, Pool

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"


@pytest.fixture(scope="session")
def demo() -> list[Item]:
    return list(open_items(DEMO))


@pytest.fixture(scope="session")
def materials(demo: list[Item]) -> Materials:
    return Materials(Pool.from_items(demo))


@pytest.fixture
def small() -> Item:
    """Four documents; four sentences, three of which cite."""
    return Item(
        id="small",
        topic="Should there be trams?",
        stance="pro",
        documents=tuple(
            Document(id=f"d{n}", text=text)
            for n, text in enumerate(
                (
                    "In Verrin 40 per cent of the trips rose to 55 per cent after the tram came.",
                    "The mayor of Astermere supported the line.",
                    "Costs fell by 12 million.",
                    "A leaflet about bread.",
                ),
                start=1,
            )
        ),
        argument="Trams work. Trips rose to 55 per cent in Verrin [1]. The mayor of Astermere backed it [2][3]. "
        "Costs fell by 12 million [3].",
        second_argument="It costs too much [2].",
    )
