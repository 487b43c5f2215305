"""BeRDS, perspective detection: whether a document contains a perspective on a question, by human labels."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from conqret.errors import DeclarationError, Fault, ItemsError
from conqret.io.pairs import read_pairs
from conqret.perspectives.detection import GRADES, YES_FROM
from conqret.perspectives.threshold import BOTH
from conqret.stats.classification import average_precision, f1
from conqret.suites.suite import Suite, SuiteData, SuiteFile, SuiteVerdicts, printed
from conqret.suites.suite_files import MOVED, suite_file
from conqret.suites.suite_statistics import share, value_of

METRIC = "contains"
PAIRS = "perspective_detection.tsv"
ALWAYS = "yes to every pair"


def read(folder: Path) -> SuiteData:
    """Read the pairs of document and perspective, with questions as clusters.

    Raises:
        ItemsError: a pair has no label.
        DeclarationError: the file is missing, or a pair has no question.
    """
    path = suite_file(folder, PAIRS)
    pairs = read_pairs(path, "label")
    unlabelled = [pair.id for pair in pairs if pair.label is None]
    if unlabelled:
        raise ItemsError([Fault(str(path), 0, "label", f"is missing of the pair {unlabelled[0]}", MOVED)])
    if not all(pair.question for pair in pairs):
        raise DeclarationError(f"{path} has pairs without a question: {MOVED[0].lower()}{MOVED[1:]}")
    return SuiteData(
        pairs,
        {METRIC: {pair.id: float(pair.label is True) for pair in pairs}},
        {pair.id: pair.question for pair in pairs},
        logs={ALWAYS: {METRIC: {pair.id: 1.0 for pair in pairs}}},
        rules=(ALWAYS,),
    )


def detection_f1(verdicts: SuiteVerdicts) -> float:
    """Return the F1 (0 to 1) of the label yes, which is a grade of at least
    :data:`conqret.perspectives.detection.YES_FROM`; NaN where it is not defined.
    """
    yes = verdicts.verdicts >= YES_FROM / (len(GRADES) - 1) - 1e-9
    return value_of(f1(verdicts.gold, yes, categories=BOTH))


def precision_over_ranks(verdicts: SuiteVerdicts) -> float:
    """Return the average precision (0 to 1) of the grades, which needs no threshold; NaN without a
    positive pair.
    """
    return value_of(average_precision(verdicts.gold, verdicts.verdicts))


_f1 = partial(
    printed,
    statistics=("f1",),
    digits=1,
    where="section 5.2",
    times=100,
    note="of all 542 pairs; the predictions were not released",
)
SUITE = Suite(
    name="berds",
    title="BeRDS, perspective detection",
    question="Does a document contain a given perspective on a question?",
    source=(
        "Chen and Choi, Open-World Evaluation for Retrieving Diverse Perspectives, NAACL 2025, "
        "https://arxiv.org/abs/2409.18110"
    ),
    license="the repository names none: ask before passing the documents on",
    files=(
        SuiteFile(
            PAIRS,
            "timchen0618/berds",
            "63a39ef638b9a7851700961394c32c8d9a44d8a9",
            "perspective_detection/data/pers_det.test.tsv",
        ),
    ),
    public_since="2024-09",
    task="detection",
    read=read,
    metrics=(METRIC,),
    statistics=(
        share(
            "f1",
            "F1 of the class yes: a grade of 3 or 4 (scale 0 to 4), by which the document speaks for the "
            "perspective at least in part",
            detection_f1,
        ),
        share(
            "average_precision",
            "average precision of the grades over all pairs: no threshold is chosen",
            precision_over_ranks,
        ),
    ),
    published=(
        *_f1({"GPT-4, one example in the prompt": [67.8]}),
        *_f1({"a second annotator": [65.8]}, judge=False, human=True),
        *_f1({"Mistral-7B, fine-tuned": [62.2], "NLI model T5-11B": [38.5]}),
        *_f1({"random answers": [16.9]}, judge=False),
    ),
    whole={"items": 542, "clusters": 30},
    about="debates and arguments",
)
