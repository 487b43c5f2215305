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


def as_table(given: Iterable[ScreenResponse], *, marks: Mapping[str, str] | None = None) -> str:
    """The long table as CSV, which ``conqret validate`` and ``conqret labels agreement`` read."""
    more = marks or {}
    return csv_text((*COLUMNS, *more), ((*row, *more.values()) for row in _rows(given)))


FINAL_COLUMNS = ("item", "part", "dimension", "value", "annotator", "topic", "comment", "how", "by", SCALE)
"""Of the table of final labels: ``how`` each came about, and the pseudonym of ``by`` whom, where somebody decided."""


def as_finals(
    found: Iterable[LabelVerdict], people: Iterable[Person], *, marks: Mapping[str, str] | None = None
) -> str:
    """One label a row, under the annotator ``final``, as CSV; what nobody has decided is left out."""
    names = {person.name: person.pseudonym for person in people}
    more, rows = marks or {}, []
    for one in found:
        by = one.by and names.setdefault(
            one.by, f"a{1 + sum(name.startswith('a') for name in names.values()):02}"
        )
        if one.value is not None:
            screen = one.screen
            said = (one.value, FINAL, screen.topic, one.comment, one.how, by, _scales(screen)[one.question])
            rows.append((screen.item, screen.part, one.question, *said, *more.values()))
    return csv_text((*FINAL_COLUMNS, *more), rows)


def as_pair_labels(found: Iterable[LabelVerdict]) -> str:
    """What ``conqret perspectives detect --labels`` reads: a yes or no for each pair, as far as people could say."""
    rows = ((one.screen.item, one.value) for one in found if one.value in ("yes", "no"))
    return csv_text(("id", "label"), rows)


def as_comparisons(given: Iterable[ScreenResponse]) -> str:
    """What ``conqret debateqa score correlate --preferences`` reads: a row for each preference of each person."""
    rows = [
        (*one.screen.compared, value, one.person.pseudonym, one.screen.item)
        for one in given
        if one.screen.compared
        for value in one.screen.written(one.answers).values()
        if value != CANNOT_JUDGE
    ]
    return csv_text(("first", "second", "preference", "annotator", "item"), rows)


def _rows(given: Iterable[ScreenResponse]) -> Iterator[tuple[object, ...]]:
    for one in given:
        screen, scales = one.screen, _scales(one.screen)
        for name, value in screen.written(one.answers).items():
            yield (
                screen.item, screen.part, name, value, one.person.pseudonym, screen.topic, one.comment, one.at,
                f"{one.seconds:.1f}", scales[name],
            )  # fmt: skip


def _scales(screen: Screen) -> dict[str, str]:
    """The scale of each question of a screen, as a label file says it; empty where the answers are words."""
    scales = {question.name: scale_of(question) for question in screen.questions}
    return {
        name: "" if scale.words else written_scale(scale.low, scale.high) for name, scale in scales.items()
    }


def as_label_studio(given: Iterable[ScreenResponse], *, marks: Mapping[str, str] | None = None) -> str:
    """The JSON export of Label Studio, a task for each item, or for each part of it that was asked of."""
    tasks: dict[int, dict[str, object]] = {}
    for one in given:
        screen = one.screen
        scales = set(_scales(screen).values())
        scale = {SCALE: scales.pop()} if len(scales) == 1 and "" not in scales else {}
        data = {"item": screen.item, "part": screen.part, "topic": screen.topic, **(marks or {}), **scale}
        task = tasks.setdefault(one.place, {"data": data, "annotations": []})
        task["annotations"].append(  # type: ignore[attr-defined]
            {
                "completed_by": {"email": one.person.pseudonym},
                "created_at": one.at,
                "lead_time": one.seconds,
                "result": [
                    {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [value]}}
                    for name, value in screen.written(one.answers).items()
                ],
            }
        )
    return json.dumps(list(tasks.values()), indent=1, ensure_ascii=False) + "\n"


EXPORTS = {"csv": as_table, "label-studio": as_label_studio}
"""The forms of an export, by name."""
