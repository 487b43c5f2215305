"""The labels as files that conqret and Label Studio read, with pseudonyms for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from conqret.io.label_sheets import FOR_ESTIMATION, NOT, PROBABILITY, SCALE, csv_text, written_scale
from conqret.labels.collected_labels import scale_of
from conqret.labels.label_study import Study
from conqret.labels.label_verdicts import LabelVerdict
from conqret.labels.records import Person, ScreenResponse
from conqret.labels.screens import CANNOT_JUDGE, Screen

COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "at", "seconds", SCALE)
"""Of the long table: a row for each answer to a question; ``at`` is when it was given last, in UTC, ``seconds`` how
long after the screen was shown first, ``scale`` from where to where the question is answered in numbers."""


def marks_of(study: Study, *, undecided: int = 0) -> dict[str, str]:
    """What is said of each label of a study beside the label: how its item came to be chosen. Final labels are no
    sample while some are ``undecided``: they are those on which people agree."""
    if not study.estimates or undecided:
        return {FOR_ESTIMATION: NOT}
    return {} if study.probability is None else {PROBABILITY: f"{study.probability:.6g}"}


FINAL = "final"
"""The annotator of a final label."""


def as_table(records: Iterable[ScreenResponse], *, marks: Mapping[str, str] | None = None) -> str:
    """The long table as CSV, which ``conqret validate`` and ``conqret labels agreement`` read."""
    more = marks or {}
    return csv_text((*COLUMNS, *more), ((*row, *more.values()) for row in _rows(records)))


FINAL_COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "how", "by", SCALE)
"""Of the table of final labels: ``how`` each came about, and the pseudonym of ``by`` whom, where somebody decided."""


def as_finals(
    label_verdicts: Iterable[LabelVerdict],
    people: Iterable[Person],
    *,
    marks: Mapping[str, str] | None = None,
) -> str:
    """One label a row, under the annotator ``final``, as CSV; what nobody has decided is left out."""
    names = {person.name: person.pseudonym for person in people}
    more, rows = marks or {}, []
    for verdict in label_verdicts:
        by = verdict.by and names.setdefault(
            verdict.by, f"a{1 + sum(name.startswith('a') for name in names.values()):02}"
        )
        if verdict.value is not None:
            screen = verdict.screen
            columns = (
                verdict.value,
                FINAL,
                screen.topic,
                verdict.comment,
                verdict.how,
                by,
                _scales(screen)[verdict.question],
            )
            rows.append((screen.item, screen.part, verdict.question, *columns, *more.values()))
    return csv_text((*FINAL_COLUMNS, *more), rows)


def as_pair_labels(label_verdicts: Iterable[LabelVerdict]) -> str:
    """What ``conqret perspectives detect --labels`` reads: a yes or no for each pair, as far as people could say."""
    rows = (
        (verdict.screen.item, verdict.value) for verdict in label_verdicts if verdict.value in ("yes", "no")
    )
    return csv_text(("id", "label"), rows)


def as_comparisons(records: Iterable[ScreenResponse]) -> str:
    """What ``conqret debateqa score correlate --preferences`` reads: a row for each preference of each person."""
    rows = [
        (*record.screen.compared, value, record.person.pseudonym, record.screen.item)
        for record in records
        if record.screen.compared
        for value in record.screen.written(record.answers).values()
        if value != CANNOT_JUDGE
    ]
    return csv_text(("first", "second", "preference", "annotator", "item"), rows)


def _rows(records: Iterable[ScreenResponse]) -> Iterator[tuple[object, ...]]:
    for record in records:
        screen, scales = record.screen, _scales(record.screen)
        for name, value in screen.written(record.answers).items():
            yield (
                screen.item, screen.part, name, value, record.person.pseudonym, screen.topic, record.comment, record.at,
                f"{record.seconds:.1f}", scales[name],
            )  # fmt: skip


def _scales(screen: Screen) -> dict[str, str]:
    """The scale of each question of a screen, as a label file says it; empty where the answers are words."""
    scales = {question.name: scale_of(question) for question in screen.questions}
    return {
        name: "" if scale.words else written_scale(scale.low, scale.high) for name, scale in scales.items()
    }


def as_label_studio(records: Iterable[ScreenResponse], *, marks: Mapping[str, str] | None = None) -> str:
    """The JSON export of Label Studio, a task for each item, or for each part of it that was asked of."""
    tasks: dict[int, dict[str, object]] = {}
    for record in records:
        screen = record.screen
        scales = set(_scales(screen).values())
        scale = {SCALE: scales.pop()} if len(scales) == 1 and "" not in scales else {}
        data = {"item": screen.item, "part": screen.part, "topic": screen.topic, **(marks or {}), **scale}
        task = tasks.setdefault(record.place, {"data": data, "annotations": []})
        task["annotations"].append(  # type: ignore[attr-defined]
            {
                "completed_by": {"email": record.person.pseudonym},
                "created_at": record.at,
                "lead_time": record.seconds,
                "result": [
                    {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [value]}}
                    for name, value in screen.written(record.answers).items()
                ],
            }
        )
    return json.dumps(list(tasks.values()), indent=1, ensure_ascii=False) + "\n"


EXPORTS = {"csv": as_table, "label-studio": as_label_studio}
"""The forms of an export, by name."""
