"""Dagstuhl-15512 ArgQuality: fifteen dimensions of the quality of short arguments, by three experts and by novices."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.checks import cell_text, identifier, one_of
from conqret.io.csv_files import csv_rows
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.io.schema import Field
from conqret.judging.dimensions import DIMENSIONS
from conqret.stats.agreement import alphas, krippendorff_alpha
from conqret.suites.suite import PublishedFigure, Suite, SuiteData, SuiteFile, SuiteVerdicts, printed
from conqret.suites.suite_files import (
    files_present,
    is_there,
    published,
    published_rows,
    published_text,
    suite_file,
)
from conqret.suites.suite_statistics import correlation, mean_labels, spearman_rho

EXPERTS = "dagstuhl-15512-argquality-corpus-annotated.csv"
NOVICES = "novice-annotations-unaggregated.zip"
NAMES = tuple(dict.fromkeys(("overall_quality", *(dimension.name for dimension in DIMENSIONS))))
TEXT = published(
    id=("#id", identifier),
    topic=("issue", cell_text),
    text=("argument", published_text),
    is_argument=Field(("argumentative",), one_of({"y": True, "n": False}, "y-or-n value"), False),
)
EXPERTS_AND_CROWD = "Crowd / Expert"
TABLE_5 = {
    EXPERTS_AND_CROWD: ".27 .49 .42 .18 .13 .41 .45 .42 .54 .53 .33 .54 .44 -.17 .36 .43",
    "Pointwise PaLM 2": ".13 .59 .47 .47 .2 .42 .17 .47 .53 .51 .43 .43 .58 .46 .42 .29",
    "Pointwise GPT-3.5": "-.15 .43 .41 -.4 -.22 .62 .48 .39 .57 .43 .21 .42 .64 -.27 .25 .02",
    "Listwise GPT-3.5": ".13 .19 .22 .05 .15 .13 .25 .28 .36 .07 .2 .3 .18 -.02 .18 .16",
    "Listwise + SC GPT-3.5": ".33 .44 .35 .28 .36 .3 .31 .42 .47 .26 .36 .4 .35 .16 .34 .35",
    "Listwise + SC GPT-4o": ".47 .45 .52 .57 .47 .54 .50 .38 .56 .42 .47 .56 .31 .53 .48 .48",
}
"""ConQRet, Table 5, by judge: fourteen dimensions, the printed average without overall quality, and
overall quality.
"""


def read(folder: Path) -> SuiteData:
    """Read the texts that an expert calls an argument, with the mean of the experts' ratings (1 to 3) as
    gold. Without the experts' file, only the novices' labels are read (``raw``).

    Raises:
        DeclarationError: a file is missing or empty.
        ItemsError: rows are faulty; all are listed.
        LabelsError: labels are faulty.
    """
    files_present(folder, (EXPERTS, NOVICES), "labels")
    raw = {"novices": read_labels(suite_file(folder, NOVICES))} if is_there(folder, NOVICES) else {}
    if not is_there(folder, EXPERTS):
        return SuiteData(raw=raw)
    path = suite_file(folder, EXPERTS)
    texts: dict[str, Item] = {}
    for row in published_rows(folder, EXPERTS, TEXT, partial(csv_rows, published_in="windows-1252")):
        if row["is_argument"]:
            texts.setdefault(row["id"], Item(id=row["id"], topic=row["topic"], argument=row["text"]))
    annotations: dict[str, dict[str, dict[str, float]]] = {name: {} for name in NAMES}
    labels = read_labels(path, layout="dagstuhl")
    for label in labels.labels:
        if label.value is not None and label.dimension in annotations and label.unit.item in texts:
            annotations[label.dimension].setdefault(label.unit.item, {})[label.annotator] = label.value
    rated = [name for name in NAMES if annotations[name]]
    if not rated:
        raise DeclarationError(f"{path} contains no ratings of {', '.join(NAMES[:3])} …")
    items = tuple(item for name, item in texts.items() if name in annotations["overall_quality"])
    return SuiteData(
        items,
        {name: mean_labels(annotations[name]) for name in rated},
        {item.id: item.topic for item in items},
        annotations={name: annotations[name] for name in rated},
        raw=raw,
    )


def alpha_with_experts(verdicts: SuiteVerdicts) -> float:
    """Return Krippendorff's alpha (interval) between the judge, rescaled to 1 to 3, and the experts' mean;
    NaN where it is not defined.
    """
    (alpha,) = alphas(np.array([[verdicts.gold, 1 + 2 * verdicts.verdicts]]), "interval")
    return alpha.value if alpha.defined else math.nan


def novice_alpha(dimensions: Iterable[str], data: SuiteData) -> float:
    """Return Krippendorff's alpha (ordinal) of the novices over all labels of the dimensions (none: all of them), as if
    each dimension of a unit were a unit of its own. NaN without labels of novices."""
    labels: LabelSet | None = data.raw.get("novices")
    if labels is None:
        return math.nan
    tables = [labels.table(name, labels.units) for name in dimensions or labels.dimensions]
    novices = dict.fromkeys(novice for names, _ in tables for novice in names)
    row_of = {novice: row for row, novice in enumerate(novices)}
    whole = np.full((len(row_of), len(labels.units) * len(tables)), np.nan)
    for number, (names, table) in enumerate(tables):
        columns = slice(number * len(labels.units), (number + 1) * len(labels.units))
        whole[[row_of[novice] for novice in names], columns] = table
    return krippendorff_alpha(whole, "ordinal")


def printed_average(judge: str, data: SuiteData) -> float:
    """Return the mean of a judge's first fourteen figures in ``TABLE_5``; ``data`` is not read."""
    return math.fsum(_TABLE[judge][:14]) / 14


_TABLE = {judge: [float(cell) for cell in row.split()] for judge, row in TABLE_5.items()}
_overall = partial(
    printed,
    statistics=("alpha",),
    digits=2,
    where="ConQRet, Table 5, overall quality",
    note="the ratings were not released",
)
SUITE = Suite(
    name="dagstuhl",
    title="Dagstuhl-15512 ArgQuality",
    question="How good is a short argument in fifteen dimensions, by experts?",
    source=(
        "Wachsmuth et al., Computational Argumentation Quality Assessment in Natural Language, EACL 2017, "
        "https://aclanthology.org/E17-1017/; novices: Mirzakhmedova et al. 2024; judges: ConQRet, Table 5"
    ),
    license="the corpus is given out by its authors; the novices' labels are under the MIT license",
    files=(
        SuiteFile(
            EXPERTS, optional=True, note="the corpus of Wachsmuth et al. 2017 (dagstuhl-15512-argquality)"
        ),
        SuiteFile(
            NOVICES, optional=True, note="the repository nelliemirz/llms-as-argument-quality-annotators"
        ),
    ),
    public_since="2017-04",
    task="rating",
    read=read,
    metrics=NAMES,
    judging={"format": "listwise"},
    statistics=(
        correlation(
            "alpha",
            "Krippendorff's alpha (interval) of the judge and the mean of three experts, overall quality",
            alpha_with_experts,
        ),
        *(
            correlation(f"alpha_{name}", f"the same for {name.replace('_', ' ')}", alpha_with_experts, name)
            for name in NAMES[1:]
        ),
        correlation(
            "spearman",
            "Spearman's rank correlation with the mean of three experts, overall quality",
            spearman_rho,
        ),
    ),
    published=(
        *_overall({EXPERTS_AND_CROWD: _TABLE[EXPERTS_AND_CROWD][15:]}, judge=False, human=True),
        *_overall({judge: row[15:] for judge, row in _TABLE.items() if judge != EXPERTS_AND_CROWD}),
        *printed(
            {judge: row[14:15] for judge, row in _TABLE.items()},
            ["mean alpha of fourteen dimensions"],
            2,
            "ConQRet, Table 5, average",
            recompute=printed_average,
            judge=False,
            note="it follows from the printed figures of the dimensions",
        ),
        *(
            PublishedFigure(
                f"108 novices, {what}",
                "Krippendorff's alpha (ordinal)",
                value,
                3,
                "the released labels, each novice a coder of their own",
                recompute=partial(novice_alpha, dimensions),
                judge=False,
            )
            for what, dimensions, value in (
                ("local acceptability", ("local_acceptability",), 0.300),
                ("clarity", ("clarity",), 0.131),
                ("all dimensions together", (), 0.209),
            )
        ),
    ),
    folder="argquality_novices",
    about="debates and arguments",
)
