"""JUDGE-BENCH: human ratings of twenty NLP data sets in one layout, from files that the user has."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field

from conqret.errors import DeclarationError
from conqret.io.checks import identifier
from conqret.io.files import file_rows
from conqret.io.schema import TableReader
from conqret.suites.suite import Suite, SuiteData, SuiteFile
from conqret.suites.suite_files import MOVED, data_of_rows, published_text, typed
from conqret.suites.suite_statistics import correlation, kendall_tau, over_groups, spearman_rho

METRIC = "rating"
QUESTION = (
    f"{METRIC}: The question says what is rated of the text, and on which scale. How good is the text in this respect, "
    "whatever the scale of the question? 1-5"
)
PLACEHOLDER = "{{ instance }}"
GRADED = ("graded", "continuous")
_LONGEST_ID = 200


def read(folder: Path) -> SuiteData:
    """Read the rated texts of all data sets in the folder and below, as one item per text and rated category.
    Ratings are scaled to 0 (worst) to 1 (best).

    Categories without a scale are left out, with a note.

    Raises:
        DeclarationError: the folder has no data set, or a text is rated twice.
        ItemsError: a file is faulty.
    """
    files = sorted([*folder.glob("**/*.json"), *folder.glob("**/*.json.gz")])
    if not files:
        raise DeclarationError(f"{folder} contains no data set (*.json): fetch the suite, or put files there")
    rated: dict[str, dict[str, Any]] = {}
    annotations: dict[str, dict[str, float]] = {}
    notes = []
    for path in files:
        data_set = path.name.removesuffix(".gz").removesuffix(".json")
        scales, rows, left = _read(path)
        notes += [f"{data_set}: {name} has no scale and is left out" for name in left]
        for instance, name, text, ratings, mean in rows:
            prompt, worst, best = scales[name]
            place = f"{data_set}/{name}/{instance}"[:_LONGEST_ID]
            if place in rated:
                raise DeclarationError(f"{path} rates {place!r} twice: {MOVED[0].lower()}{MOVED[1:]}")
            rated[place] = {
                "id": place,
                "topic": prompt.replace(PLACEHOLDER, "(the text)"),
                "argument": text,
                METRIC: (mean - worst) / (best - worst),
                "cluster": f"{data_set}/{instance}",
                "group": f"{data_set}/{name}",
            }
            annotations[place] = {
                f"{data_set} {number}": (rating - worst) / (best - worst)
                for number, rating in enumerate(ratings, start=1)
            }
    return data_of_rows(rated.values(), METRIC, annotations={METRIC: annotations}, notes=tuple(notes))


class Declared(BaseModel):
    """What is annotated: its prompt, and its worst and best rating if it is graded."""

    metric: str
    prompt: str
    category: str = ""
    worst: Any = None
    best: Any = None


class Instance(BaseModel):
    """A rated text, or several parts of one by name, with its labels by what is annotated."""

    id: Any = None
    instance: str | dict[str, Any]
    annotations: dict[str, Any]

    @property
    def text(self) -> str:
        """The text; of several parts, each after its name."""
        if isinstance(self.instance, str):
            return self.instance.strip()
        parts = self.instance.items()
        return "\n\n".join(f"{name}: {part}" for name, part in parts if isinstance(part, str)).strip()


class DataSetFile(BaseModel):
    """The file of a data set."""

    annotations: Annotated[list[Declared], Field(min_length=1)]
    instances: Annotated[list[Instance], Field(min_length=1)]


class HumanScores(BaseModel):
    """The single scores of a text, or the published mean if only that is there."""

    individual_human_scores: list[float] | None = None
    mean_human: float | None = None


Scale = tuple[str, float, float]
Rated = tuple[str, str, str, list[float], float]
_ENDS = typed(tuple[float, float])


def _read(path: Path) -> tuple[dict[str, Scale], list[Rated], list[str]]:
    """Return the scales of a data set by name (prompt, worst and best rating), its rated texts, and the names
    of what has no scale.

    Raises:
        ItemsError: the file is corrupt, or laid out otherwise.
    """
    reader = TableReader(file_rows(path, str(path)))
    scales: dict[str, Scale] = {}
    rated: list[Rated] = []
    left: list[str] = []
    for row in reader.rows():
        data = reader.model(DataSetFile, row.record)
        if data is None:
            continue
        for place, declared in enumerate(data.annotations, start=1):
            where = f"annotations[{place}]"
            name = reader.checked(identifier, declared.metric, f"{where}.metric")
            prompt = reader.checked(published_text, declared.prompt, f"{where}.prompt")
            if declared.category not in GRADED:
                left.append(str(name))
            elif ends := reader.checked(_ENDS, (declared.worst, declared.best), f"{where}.worst and best"):
                scales[str(name)] = (str(prompt), *ends)
        for place, instance in enumerate(data.instances, start=1):
            where = f"instances[{place}]"
            text = reader.checked(published_text, instance.text, f"{where}.instance")
            number = place if instance.id is None else instance.id
            unit = reader.checked(identifier, number, f"{where}.id")
            for name in scales.keys() & instance.annotations.keys():
                label = reader.model(HumanScores, instance.annotations[name])
                if label is None:
                    continue
                scores = label.individual_human_scores or []
                mean = math.fsum(scores) / len(scores) if scores else label.mean_human
                if mean is None:
                    reader.fault(f"{where}.{name}", "has no human scores", MOVED)
                else:
                    rated.append((str(unit), name, str(text), scores, mean))
    reader.finish(wanted="data set")
    return scales, rated, left


_FROM = ("dmg-illc/JUDGE-BENCH", "da3694dcf6facc4932bd3e022e7ca3d1a0746f9b")
SUITE = Suite(
    name="judge-bench-20",
    title="JUDGE-BENCH",
    question="How do annotators of many NLP data sets rate a text?",
    source=(
        "Bavaresco et al., LLMs instead of Human Judges? A Large Scale Empirical Study across 20 NLP Evaluation Tasks, "
        "ACL 2025, https://arxiv.org/abs/2406.18403"
    ),
    license="each data set has its own (data/README.md of the repository): look before passing on",
    files=tuple(
        SuiteFile(name, *_FROM, f"data/{name}", optional=True)
        for name in (
            "newsroom/newsroom.json",
            "recipe_crowd_sourcing_data/meta_evaluation_recipes.json",
            *(f"roscoe/roscoe-{name}-overall.json" for name in ("cosmos", "drop", "esnli", "gsm8k")),
        )
    ),
    public_since="2024-06",
    task="rating",
    read=read,
    metrics=(METRIC,),
    baseline={"format": "listwise", "metrics": ("overall_quality",)},
    judging={"criteria": [QUESTION]},
    statistics=(
        correlation(
            "spearman",
            "Spearman's rank correlation with the mean human score: mean over what is rated in each data set",
            over_groups(spearman_rho),
        ),
        correlation(
            "kendall",
            "Kendall's tau-b with the mean human score: mean over what is rated in each data set",
            over_groups(kendall_tau),
        ),
    ),
    folder="judge-bench",
    about="ratings of texts",
)
