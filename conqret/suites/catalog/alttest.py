"""The alternative annotator test on ten data sets: whether a judge can replace one of the annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from conqret.errors import Fault, ItemsError
from conqret.io.checks import identifier
from conqret.io.files import file_rows
from conqret.io.schema import TableReader
from conqret.stats.agreement import Level, alternative_annotator_test
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteVerdicts
from conqret.suites.suite_files import MOVED, files_present, suite_file, typed
from conqret.suites.suite_statistics import annotator_table, over_groups, share

METRIC = "annotation"
HUMAN, MODELS = "human_annotations.json", "llm_annotations.json"


@dataclass(frozen=True)
class DataSet:
    """One data set of the alternative annotator test.

    ``level`` is the measurement level of its labels, and ``epsilon`` the discount for the cheaper judge.
    ``printed`` holds each model's winning rate and advantage probability from the authors' notebook.
    """

    level: Level
    epsilon: float
    printed: Mapping[str, tuple[float, float]]


MODEL_NAMES = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")


def _row(figures: str, names: tuple[str, ...] = MODEL_NAMES) -> dict[str, tuple[float, float]]:
    """The figures of each model, ``rate/probability``."""
    pairs = [tuple(map(float, cell.split("/"))) for cell in figures.split()]
    return {name: (rate, advantage) for name, (rate, advantage) in zip(names, pairs, strict=True)}


DATA_SETS = {
    "wax": DataSet("nominal", 0.1, _row(".38/.69 .50/.74 .50/.73 0/.57 0/.59 0/.50")),
    "lgbteen": DataSet("nominal", 0.2, _row(".25/.71 0/.67 .75/.77 0/.72 .75/.76 .25/.75")),
    "mtbench": DataSet("nominal", 0.2, _row("0/.72 0/.76 0/.77 0/.69 0/.74 0/.68")),
    "framing": DataSet("nominal", 0.15, _row("1/.83 1/.91 1/.92 .50/.80 1/.87 .25/.80")),
    "cebab_aspects": DataSet("nominal", 0.1, _row(".70/.91 .90/.94 .90/.93 .60/.89 .50/.90 .10/.81")),
    "summeval": DataSet("interval", 0.2, _row("0/.46 0/.44 0/.48 0/.58 0/.54 0/.62")),
    "10k_prompts": DataSet("interval", 0.15, _row(".31/.67 .08/.63 .69/.76 .15/.67 .92/.80 .15/.67")),
    "cebab_stars": DataSet("interval", 0.1, _row(".60/.82 .80/.87 .90/.90 .60/.85 .90/.89 .50/.83")),
    "lesion": DataSet(
        "interval",
        0.15,
        _row(".17/.71 1/.81 0/.62 .67/.73", ("gemini_flash", "gemini_pro", "gpt-4o", "gpt-4o-mini")),
    ),
}
"""The data sets whose labels are categories or numbers. The tenth, KiLoGram, has free texts, which the
paper compares by embeddings; the notebook prints no rates for it.
"""


def read(folder: Path) -> SuiteData:
    """Read the annotations of the data sets that the folder has; the models' annotations become logs. The id of an item
    is DATA_SET/ITEM, and its group and cluster are the data set. Texts are numbered as classes."""
    names = tuple(f"{name}/{HUMAN}" for name in DATA_SETS)
    annotations: dict[str, dict[str, float]] = {}
    logs: dict[str, dict[str, dict[str, float]]] = {}
    groups: dict[str, str] = {}
    for name in (Path(place).parent.name for place in files_present(folder, names, "annotations")):
        texts = DATA_SETS[name].level == "nominal"
        human = _read(suite_file(folder, f"{name}/{HUMAN}"), texts=texts)
        models = _read(suite_file(folder, f"{name}/{MODELS}"), texts=texts)
        code = _codes(human, models) if texts else None
        for annotator, labels in human.items():
            for item, label in labels.items():
                place = f"{name}/{item}"
                groups[place] = name
                annotations.setdefault(place, {})[f"{name}/{annotator}"] = _number(label, code)
        for model, labels in models.items():
            logs.setdefault(model, {}).setdefault(METRIC, {}).update(
                {f"{name}/{item}": _number(label, code) for item, label in labels.items()}
            )
    return SuiteData(clusters=groups, groups=groups, annotations={METRIC: annotations}, logs=logs)


def _read(path: Path, *, texts: bool) -> dict[str, dict[str, str | float]]:
    """Return the labels of a file by annotator and item; missing labels are left out.

    Raises:
        ItemsError: the file is corrupt, or laid out otherwise.
    """
    reader = TableReader(file_rows(path, str(path)))
    labels_of = typed(dict[str, str | None] if texts else dict[str, float | None])
    read: dict[str, dict[str, str | float]] = {}
    for row in reader.rows():
        for name, value in row.record.items():
            reader.checked(identifier, name, "the name of an annotator")
            labels = reader.checked(labels_of, value, str(name)) or {}
            read[str(name)] = {item: label for item, label in labels.items() if label is not None}
    reader.finish(ItemsError)
    if not read:
        raise ItemsError([Fault(str(path), 0, "", "names no annotator", MOVED)])
    return read


def _codes(*groups: Mapping[str, Mapping[str, str | float]]) -> dict[str, float]:
    """A number for each category."""
    words = {str(label) for group in groups for labels in group.values() for label in labels.values()}
    return {word: float(place) for place, word in enumerate(sorted(words))}


def _number(label: str | float, code: Mapping[str, float] | None) -> float:
    return float(label) if code is None else code[str(label)]


def test_of(field: str, verdicts: SuiteVerdicts) -> float:
    """Return the ``winning_rate`` or the ``advantage`` probability (``field``) of verdicts, which must all be on one
    data set (that of the first). NaN if it has fewer than two annotators or the test is not defined."""
    annotators, table = annotator_table(dict(zip(verdicts.ids, verdicts.annotations, strict=True)))
    if len(annotators) < 2:
        return math.nan
    data_set = DATA_SETS[verdicts.groups[0]]
    outcome = alternative_annotator_test(
        verdicts.verdicts, table, annotators, data_set.level, epsilon=data_set.epsilon
    )
    value = getattr(outcome, field)
    return math.nan if value is None else float(value)


_FIELDS = {
    "advantage": "probability that the judge fits the other annotators at least as well as one annotator does, by "
    "which judges are compared",
    "winning_rate": "share of annotators over whom the judge has the advantage (Benjamini-Yekutieli at .05): from .5 "
    "on it may stand in for one",
}
_FROM = ("nitaytech/AltTest", "cc1d1f40fefa847ac7c45959e49132110f2932a2")
SUITE = Suite(
    name="alttest",
    title="Alternative annotator test, ten data sets",
    question="May a judge stand in for one of the annotators?",
    source=(
        "Calderon, Reichart and Dror, The Alternative Annotator Test for LLM-as-a-Judge, ACL 2025, "
        "https://aclanthology.org/2025.acl-long.782/"
    ),
    license="the repository names none, and the data sets have licenses of their own: ask before passing on",
    files=tuple(
        SuiteFile(f"{name}/{file}", *_FROM, f"data/{name}/{file}", optional=True)
        for name in DATA_SETS
        for file in (HUMAN, MODELS)
    ),
    public_since="2025-01",
    task="label",
    read=read,
    metrics=(METRIC,),
    statistics=(
        *(
            share(field, f"{definition}; mean over the data sets", over_groups(partial(test_of, field)))
            for field, definition in _FIELDS.items()
        ),
        *(
            share(
                f"{field}_{name}",
                f"{definition}; in the data set {name}, epsilon {data_set.epsilon:g}",
                partial(test_of, field),
                group=name,
            )
            for field, definition in _FIELDS.items()
            for name, data_set in DATA_SETS.items()
        ),
    ),
    published=tuple(
        PublishedFigure(
            model, f"{field}_{name}", figure, 2, "alt_test_example.ipynb in the repository", model
        )
        for name, data_set in DATA_SETS.items()
        for model, (rate, advantage) in data_set.printed.items()
        for field, figure in (("winning_rate", rate), ("advantage", advantage))
    ),
    whole={"items": 14_115, "clusters": 9, "logs": 6},
    about="annotation",
)
