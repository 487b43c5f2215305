"""Does a remark beside the question change the answer? (Distraction: Ye et al. 2024, CALM.)"""

from __future__ import annotations

from conqret.perturb import Perturbation
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.perturbation import ENGLISH, Change, Draw, PerturbedItem
from conqret.studies.bias.contrast import Probe, perturbed

REMARKS = (
    "(The clock in this room is four minutes slow.)",
    "(It was raining when the question was put.)",
    "(Somebody here had soup for lunch.)",
    "(The door of the building is green.)",
    "(There is a cat on the window sill.)",
)
"""Nothing that could bear on any question; the arguments stay as they are."""


def change(draw: Draw) -> PerturbedItem:
    """A remark, drawn by seed, behind the question."""
    remark = draw.rng().choice(REMARKS)
    changes = (Change(where="topic", kind="added", after=remark),)
    return PerturbedItem({"topic": f"{draw.item.topic} {remark}"}, changes, 1)


PERTURBATION = Perturbation(
    name="distraction",
    summary="a remark that has nothing to do with the question, behind it",
    unit="0 as it is, 1 with a remark",
    levels=(0, 1),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset(),
    source="CALM (Ye et al. 2024): distraction",
    change=change,
    most=1,
    languages=ENGLISH,
)


PROBE = Probe(
    name="distraction",
    contrasts=perturbed(
        PERTURBATION,
        1,
        name="an idle remark behind the question",
        adverse="any",
        up="higher with the remark",
    ),
    compares="an idle remark behind the question, against the question as it is",
    finds="any difference",
    advice="take what does not belong to the question out of it, and judge several times",
    source=PERTURBATION.source,
    default=False,
)
