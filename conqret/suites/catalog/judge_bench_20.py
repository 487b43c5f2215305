"""JUDGE-BENCH: human ratings of twenty NLP data sets in one layout, from files that the user has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.io.checks import identifier
from conqret.io.files import file_rows
from conqret.io.rows import quoted
from conqret.io.schema import TableReader
from conqret.suites.suite import Suite, SuiteData, SuiteFile
from conqret.suites.suite_files import MOVED, data_of_rows, published_text
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
    """Read the rated texts of all data sets in the folder and below, as one item per text and rating.

    Categories without a scale are left out, with a note.

    Raises:
        DeclarationError: the folder has no data set.
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


Scale = tuple[str, float, float]
Rated = tuple[str, str, str, list[float], float]


def _read(path: Path) -> tuple[dict[str, Scale], list[Rated], list[str]]:
    """The scales of a data set by name, its rated texts, and the names of what has no scale.

    Raises:
        ItemsError: the file is corrupt, or laid out otherwise.
    """
    reader = TableReader(file_rows(path, str(path)))
    scales: dict[str, Scale] = {}
    rated: list[Rated] = []
    left: list[str] = []
    for row in reader.rows():
        for number, declared in enumerate(_objects(row.record, "annotations", reader), start=1):
            name, scale = _scale(declared, f"annotations[{number}]", reader)
            if scale is not None:
                scales[name] = scale
            elif name:
                left.append(name)
        for number, instance in enumerate(_objects(row.record, "instances", reader), start=1):
            where = f"instances[{number}]"
            text, labels = _text(instance.get("instance")), instance.get("annotations")
            if text:
                text = reader.checked(published_text, text, f"{where}.instance") or ""
            if not text or not isinstance(labels, Mapping):
                reader.fault(where, "has no text (instance) or no annotations", MOVED)
                continue
            for name in scales.keys() & labels.keys():
                label = labels[name]
                mean = _mean(label)
                if mean is None:
                    reader.fault(
                        f"{where}.{name}", f"is {quoted(label)}, and human scores are expected", MOVED
                    )
                else:
                    place = reader.checked(identifier, instance.get("id", number), f"{where}.id")
                    rated.append((str(place), name, text, mean[0], mean[1]))
    reader.finish(wanted="data set")
    return scales, rated, left


def _objects(record: Mapping[str, object], name: str, reader: TableReader) -> list[Mapping[str, Any]]:
    value = record.get(name)
    if isinstance(value, list) and value and all(isinstance(entry, Mapping) for entry in value):
        return value
    reader.fault(name, "is missing, or no list of objects", MOVED)
    return []


def _scale(declared: Mapping[str, Any], where: str, reader: TableReader) -> tuple[str, Scale | None]:
    """Return the name of what is annotated, and its prompt with the worst and the best rating (None if it is not
    graded). Faults are recorded, and then the name is empty."""
    name = reader.checked(identifier, declared.get("metric"), f"{where}.metric")
    prompt = reader.checked(published_text, declared.get("prompt"), f"{where}.prompt")
    if name is None or prompt is None:
        return "", None
    ends = [declared.get("worst"), declared.get("best")]
    if declared.get("category") not in GRADED:
        return name, None
    if not all(_is_number(end) for end in ends) or ends[0] == ends[1]:
        reader.fault(f"{where}.worst", f"and best are {quoted(ends)}, and two numbers are expected", MOVED)
        return "", None
    return name, (prompt, float(ends[0]), float(ends[1]))  # type: ignore[arg-type]


def _text(instance: object) -> str:
    """The text of an instance; of one with several parts, each after its name."""
    if isinstance(instance, str):
        return instance.strip()
    if isinstance(instance, Mapping):
        return "\n\n".join(
            f"{name}: {part}" for name, part in instance.items() if isinstance(part, str)
        ).strip()
    return ""


def _mean(label: object) -> tuple[list[float], float] | None:
    """Return the single scores of a label and their mean; no scores and the published mean if only that is there; None
    if there is neither, or a score is no number."""
    if not isinstance(label, Mapping):
        return None
    scores = label.get("individual_human_scores") or []
    if not isinstance(scores, list) or not all(_is_number(score) for score in scores):
        return None
    if scores:
        return [float(score) for score in scores], math.fsum(scores) / len(scores)
    mean = label.get("mean_human")
    return ([], float(mean)) if _is_number(mean) else None  # type: ignore[arg-type]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


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
