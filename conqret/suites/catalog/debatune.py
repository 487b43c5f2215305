"""DEBATunE, controversy controllability: whether all that a statement argues is on the side that its model
was told to take.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from conqret.debate.debatune.debate_files import read_statements
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteStatistic, SuiteVerdicts
from conqret.suites.suite_files import files_present, suite_file
from conqret.suites.suite_statistics import by_group, share

METRIC = "controllability"
SIDES = {"pro": "positive", "con": "negative"}
SYSTEMS = {
    "DEBATunE 7B": ("DEBATunE_7b", 0.958, 0.979, 0.969),
    "DEBATunE 13B": ("DEBATunE_13b", 0.950, 0.946, 0.948),
    "WizardLM 13B v1.2": ("wizardlm_13b_12", 0.800, 0.708, 0.754),
    "Vicuna 7B v1.5": ("vicuna_7b_15", 0.900, 0.796, 0.848),
    "Vicuna 13B v1.5": ("vicuna_13b_15", 0.867, 0.858, 0.863),
    "LLaMA2 Chat 7B": ("Llama_2_7b_chat", 0.196, 0.429, 0.313),
    "LLaMA2 Chat 13B": ("Llama_2_13b_chat", 0.338, 0.317, 0.327),
    "Zephyr 7B Alpha": ("zephyr_7b_a", 0.879, 0.713, 0.796),
    "Zephyr 7B Beta": ("zephyr_7b_b", 0.942, 0.733, 0.838),
}
"""The nine models with published statements: the name of their folder, and the controversy controllability
by GPT-4 on the positive side, the negative side and overall (Table 1).
"""


def _file(folder: str) -> str:
    return f"statements_{folder}.jsonl"


def read(folder: Path) -> SuiteData:
    """Read the statements of all models whose files exist, with the gold 1 for each.

    The gold is the side that the model was told to take, so the statistics are shares of statements that
    keep to it.
    """
    present = files_present(folder, tuple(_file(row[0]) for row in SYSTEMS.values()), "statements")
    of_file = {_file(row[0]): system for system, row in SYSTEMS.items()}
    items, groups, topics = [], {}, {}
    for name in present:
        for number, statement in enumerate(read_statements([suite_file(folder, name)]), start=1):
            side = SIDES[statement.stance]
            item = statement.model_copy(update={"id": f"{Path(name).stem}/{side}/{number}"})
            items.append(item)
            groups[item.id], topics[item.id] = of_file[name], item.topic
    return SuiteData(tuple(items), {METRIC: {item.id: 1.0 for item in items}}, topics, groups)


def controllability(side: str, verdicts: SuiteVerdicts) -> float:
    """Return the share of statements whose arguments are all on their side, for one ``side`` (``positive``
    or ``negative``) or both (empty); NaN without statements.
    """
    good = [
        float(verdict >= 1)
        for name, verdict in zip(verdicts.ids, verdicts.verdicts, strict=True)
        if side in ("", name.split("/")[1])
    ]
    return math.fsum(good) / len(good) if good else math.nan


def distance(verdicts: SuiteVerdicts) -> float:
    """Return the mean absolute difference of :func:`controllability` from the printed shares by GPT-4, over
    models and sides; sides without statements are left out."""
    distances = [
        abs(share - printed)
        for system, part in by_group(verdicts).items()
        for side, printed in zip(SIDES.values(), SYSTEMS[system][1:3], strict=True)
        if not math.isnan(share := controllability(side, part))
    ]
    return math.fsum(distances) / len(distances) if distances else math.nan


def _statistics(system: str, folder: str) -> tuple[SuiteStatistic, ...]:
    return tuple(
        share(
            f"{folder.lower()}_{side}" if side else folder.lower(),
            f"share of the statements of {system}{f', {side} side,' if side else ''} that argue for nothing but their "
            f"side (CC, {side or 'overall'})",
            partial(controllability, side),
            group=system,
        )
        for side in (*SIDES.values(), "")
    )


def printed_overall(system: str, data: SuiteData) -> float:
    """Return the overall share of a model computed from the printed shares of both sides (240 statements
    each).
    """
    _, positive, negative, _ = SYSTEMS[system]
    return (round(positive * 240) + round(negative * 240)) / 480


_NOT_RELEASED = "the statements are released, GPT-4's verdicts on them are not"
_FROM = ("tianyi-lab/DEBATunE", "8ca0e6cfd07fd7654393d576e1f3b4b784ea8172")
SUITE = Suite(
    name="debatune",
    title="DEBATunE, controversy controllability",
    question="Is all that a statement argues on the side that it was to take?",
    source=(
        "Li et al., Can LLMs Speak For Diverse People? Tuning LLMs via Debate to Generate Controllable Controversial "
        "Statements, Findings of ACL 2024, https://arxiv.org/abs/2402.10614"
    ),
    license="the repository names none: ask before passing the statements on",
    files=tuple(
        SuiteFile(
            _file(folder),
            *_FROM,
            f"inference_results_of_exsisting_models/{folder}/debate_test_arg_2048.json",
            optional=True,
        )
        for folder, *_ in SYSTEMS.values()
    ),
    public_since="2024-02",
    task="rating",
    read=read,
    metrics=(METRIC,),
    judging={"format": "controllability"},
    statistics=(
        share(
            "distance_from_gpt4",
            "mean distance of the shares of good statements, by model and side, from those by GPT-4 (Table 1)",
            distance,
            lower_is_better=True,
        ),
        *(statistic for system, (folder, *_) in SYSTEMS.items() for statistic in _statistics(system, folder)),
    ),
    published=tuple(
        PublishedFigure(
            "GPT-4",
            f"{folder.lower()}{side}",
            value,
            3,
            "Table 1",
            recompute=partial(printed_overall, system) if not side else None,
            note=_NOT_RELEASED if side else "it follows from the printed ones of both sides",
        )
        for system, (folder, *row) in SYSTEMS.items()
        for side, value in zip(("_positive", "_negative", ""), row, strict=True)
    ),
    whole={"items": 4_320, "clusters": 80},
    about="debates and arguments",
)
