"""The figures of a benchmark: relevance, distinctiveness, comprehensiveness, domains, and what people remove."""

import numpy as np
import pytest

from conqret.debateqa.curation.benchmark_checks import review_pairs
from conqret.debateqa.curation.benchmark_figures import (
    CuratedAnswer,
    CuratedBenchmark,
    CuratedQuestion,
    alike_views,
    near_chunks,
    read_review,
    relevance,
    remove,
)
from conqret.errors import DeclarationError
from conqret.io.label_set import Label, LabelScale, LabelSet, Unit


def question(name, views, documents=("d1",)):
    answers = tuple(
        CuratedAnswer(point_of_view=view, explanation=f"As {view}", documents=("d1",)) for view in views
    )
    return CuratedQuestion(
        id=name, question=f"Is {name}?", partial_answers=answers, documents=documents, licence="CC0"
    )


MADE = CuratedBenchmark(
    (question("q", ["up", "right", "left"], ("d1", "d2")), question("r", ["up", "up too"])),
    {"d1": "north", "d2": "east"},
)
ARROWS = {
    "up": (0, 1),
    "up too": (0.1, 1),
    "right": (1, 0),
    "left": (-1, 0),
    "north": (0, 1),
    "east": (1, 0),
    "Is q?": (0.6, 0.8),
    "Is r?": (1, 0),
}


def arrows(texts):
    return np.array([ARROWS[text] for text in texts], dtype=float)


def test_relevance_is_the_mean_of_questions_of_the_mean_of_their_chunks():
    near = near_chunks(MADE, arrows)
    assert [(one.question, one.document, one.similarity) for one in near] == [
        ("q", "d1", pytest.approx(0.8)),
        ("q", "d2", pytest.approx(0.6)),
        ("r", "d1", 0.0),
    ]
    found = relevance(near)
    assert found.by_question == {"r": 0.0, "q": pytest.approx(0.7)}
    assert found.mean.value == pytest.approx(0.35)
    assert (found.chunks, found.documents) == (3, 3)


def test_a_filled_sheet_is_read_and_gaps_are_left_out(tmp_path):
    review = review_pairs(MADE, alike_views(MADE, arrows))
    assert review.rows[0][:4] == ("r#1=r#2", "Is r?", "up", "up too")
    sheet = tmp_path / "s.csv"
    sheet.write_text("id,duplicate\nr#1=r#2,yes\nx,\n")
    assert read_review(sheet, "duplicate") == {"r#1=r#2": True}


def labelled(*rows):
    labels = tuple(
        Label(Unit(item), dimension, who, value, None if value is not None else "missing")
        for item, who, dimension, value in rows
    )
    scale = LabelScale("nominal", 0.0, 1.0)
    return LabelSet("s.csv", "table", labels, dict.fromkeys(("grounded", "ethical"), scale))


def test_what_two_of_three_reject_goes_and_a_question_without_any_goes_too():
    labels = labelled(
        ("q#1", "a", "grounded", 0.0),
        ("q#1", "b", "ethical", 0.0),
        ("q#1", "c", "grounded", 1.0),
        ("q#2", "a", "grounded", 0.0),
        ("q#2", "a", "ethical", 0.0),
        ("q#2", "b", "grounded", 1.0),
        ("r#1", "a", "grounded", 0.0),
        ("r#1", "b", "grounded", 0.0),
        ("r#2", "a", "ethical", None),
    )
    lines, found = remove(MADE, labels, {"r#1=r#2": True, "q#1=q#3": False})
    assert [line["id"] for line in lines] == ["q"]
    assert [one["point_of_view"] for one in lines[0]["partial_answers"]] == ["right", "left"]
    assert lines[0]["licence"] == "CC0"
    assert (found.rejected, found.duplicates, found.kept, found.lost) == (2, 1, 2, ("r",))
    assert (found.noes, found.unlabelled) == ({"grounded": 4, "ethical": 2}, 2)
    with pytest.raises(DeclarationError, match=r"no partial answer 'z#1'"):
        remove(MADE, labelled(("z#1", "a", "grounded", 0.0)), {})
