"""Partial answers that people reject are removed (DebateQA, section 3.3 and A.4), and those that say what another says.

Three annotators say of each whether it is grounded in its documents, answers the question from one perspective, and
offends no ethics. Who says no to any of these rejects it; what two of them reject goes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conqret.data.digest import gathered
from conqret.debateqa.curation.benchmark_folder import MadeBenchmark, read_made
from conqret.debateqa.curation.review import read_review
from conqret.errors import DeclarationError, check_positive, strict_options
from conqret.io.label_set import LabelSet
from conqret.io.labels import Labels, read_labels
from conqret.labels.sheet_tasks import PARTIAL_ANSWER_SHEET

LEAST = 2
"""Annotators who reject what is removed: two of three (A.4)."""


class Removal(BaseModel, frozen=True):
    """What is removed of a benchmark: how many partial answers there were, how many go because people reject them
    (``rejected``) or because they say what another says (``duplicates``), how many nobody labelled, how often each
    question of the sheet was answered with no, which questions lose all, and how many partial answers are left."""

    answers: int
    rejected: int
    duplicates: int
    unlabelled: int
    noes: dict[str, int]
    lost: tuple[str, ...]
    kept: int
    questions: int


@strict_options
def remove_partial_answers(
    benchmark: str | Path,
    *,
    labels: Labels | None = None,
    duplicates: str | Path | None = None,
    least: int = LEAST,
) -> tuple[list[dict[str, object]], Removal]:
    """Remove the partial answers that two of three annotators reject (DebateQA, A.4), and those that repeat another.

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        labels: human labels: filled-in sheets of ``conqret labels sample --task partial-answer``.
        duplicates: the sheet of ``conqret debateqa curate --check distinctiveness``, filled in.
        least: how many annotators must reject a partial answer for it to be removed.

    Returns:
        The lines of the benchmark that is left, and what was removed.

    Raises:
        DeclarationError: as :func:`remove`, neither labels nor duplicates are given, or a sheet is not filled in.
    """
    if labels is None and duplicates is None:
        raise DeclarationError(
            "nothing is given to do with a benchmark: give --check, or --labels, --duplicates or both to remove by"
        )
    made = read_made(benchmark)
    scale = "{}:{}".format(*PARTIAL_ANSWER_SHEET.scale)
    known = labels if labels is None or isinstance(labels, LabelSet) else read_labels(labels, scales=[scale])
    alike = {} if duplicates is None else read_review(Path(duplicates), "duplicate")
    if duplicates is not None and not alike:
        raise DeclarationError(f"{duplicates} is not filled in: write yes or no into its column duplicate")
    return remove(made, known, alike, least=least)


def remove(
    made: MadeBenchmark, labels: LabelSet | None, duplicates: Mapping[str, bool], *, least: int = LEAST
) -> tuple[list[dict[str, Any]], Removal]:
    """The lines of the benchmark that is left, and what was removed.

    ``duplicates`` says of pairs of partial answers (``first=second``) whether they say the same; the second then goes.

    Raises:
        DeclarationError: ``least`` is below 1, or a label or a pair is of a partial answer that the benchmark lacks.
    """
    check_positive({"--least": least})
    names = [
        question.name(place) for question in made.questions for place in range(len(question.partial_answers))
    ]
    labels_read = labels.labels if labels is not None else ()
    pairs = [label.rpartition("=")[2] for label, same in duplicates.items() if same]
    strangers = sorted({*(label.unit.item for label in labels_read), *pairs} - {*names})
    if strangers:
        raise DeclarationError(
            f"the benchmark has no partial answer {strangers[0]!r} ({len(strangers)} unknown ids): give labels "
            "of the benchmark from which their annotation form was made"
        )
    noes = [
        label for label in labels_read
        if label.value is not None and label.value == (labels.scale(label.dimension).low if labels else None)
    ]  # fmt: skip
    people = gathered((label.unit.item, label.annotator) for label in noes)
    rejected = {name for name, names in people.items() if len(set(names)) >= least}
    alike = set(pairs) - rejected
    labelled = {label.unit.item for label in labels_read if label.value is not None}
    lines, lost = [], []
    for question in made.questions:
        left = [
            partial_answer for place, partial_answer in enumerate(question.partial_answers)
            if question.name(place) not in rejected | alike
        ]  # fmt: skip
        if left:
            lines.append(question.record(left))
        else:
            lost.append(question.id)
    return lines, Removal(
        answers=len(names),
        rejected=len(rejected),
        duplicates=len(alike),
        unlabelled=len(set(names) - labelled) if labels else 0,
        noes={
            name: sum(rejection.dimension == name for rejection in noes)
            for name in (labels.dimensions if labels else ())
        },
        lost=tuple(lost),
        kept=len(names) - len(rejected) - len(alike),
        questions=len(lines),
    )
