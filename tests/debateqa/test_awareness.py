"""Dispute awareness: prompts, verdicts, and agreement with labels."""

import json
import math

import pytest

import conqret
from conqret.debateqa.human_alignment import against_labels
from conqret.debateqa.score_table import AWARENESS, ScoreRow
from conqret.errors import DeclarationError, UnknownNameError
from conqret.prompts import Library

ZOOS = "Should zoos be closed?"
ANSWERS = [
    ("a", ZOOS, "People are divided over zoos: some call them prisons."),
    ("b", ZOOS, "Yes. Animals belong in the wild."),
]


@pytest.fixture
def score(tmp_path):
    """Scores answers with their questions."""

    def scored(cases, **more):
        for name, column, place in (("questions", "question", 1), ("answers", "generation", 2)):
            lines = (json.dumps({"id": case[0], column: case[place]}) + "\n" for case in cases)
            (tmp_path / f"{name}.jsonl").write_text("".join(lines))
        files = tmp_path / "answers.jsonl", tmp_path / "questions.jsonl"
        found = conqret.score_awareness(*files, output=tmp_path / "out", **more)
        return list(found.table.iter_rows(named=True))

    return scored


@pytest.mark.parametrize("shots", ["few-shot", "table-13"])
def test_the_offline_baseline_looks_for_words_of_dispute(score, shots):
    rows = score(ANSWERS, shots=shots)
    assert [(row["id"], row["value"], row["detail"]) for row in rows] == [("a", 1.0, ""), ("b", 0.0, "")]
    assert {row["instrument"] for row in rows} == {f"offline, {shots}"}
    with pytest.raises(UnknownNameError):
        score(ANSWERS, shots="one-shot")


def test_against_labels():
    said = dict(zip("abcdef", [1, 1, 1, 0, 0, None], strict=True))
    truth = [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    labels = {("", one): label for one, label in zip("abcdef", truth, strict=True)}
    rows = [ScoreRow("s", one, AWARENESS, "i", value) for one, value in said.items()]
    fit = against_labels(rows, labels)
    # tp 2, fp 1, tn 1, fn 1 by hand
    assert (fit.n, fit.unscored) == (5, 1)
    assert fit.accuracy.value == pytest.approx(3 / 5)
    assert fit.f1.value == pytest.approx(2 / 3)
    assert fit.auroc.value == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert fit.mcc.value == pytest.approx((2 * 1 - 1 * 1) / (3 * 3 * 2 * 2) ** 0.5)
    with pytest.raises(DeclarationError, match="no scored answer"):
        against_labels(rows, {})


def test_a_local_model_can_only_say_0_or_1(score, tmp_path):
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    from conqret.local.scorer import ConditionalPerplexity
    from tests.llm.local_models import save_model

    folder = save_model(tmp_path / "small", window=8192)
    rows = score(ANSWERS, model=f"local/{folder}", shots="zero-shot")
    scorer = ConditionalPerplexity(str(folder), wrapping=5)
    for (_, question, answer), row in zip(ANSWERS, rows, strict=True):
        prompt = Library()["dispute-awareness/zero-shot"].render({"question": question, "answer": answer})
        no, yes = scorer.score([(f"{prompt.system}\n\n{prompt.user}\n\ndebated = ", ["0", "1"])])
        expected = 1 / (1 + math.exp(no.log_likelihood - yes.log_likelihood))
        assert row["value"] == float(expected > 0.5)
        assert row["detail"] == f"P(1) {expected:.4f}"
        assert row["instrument"].startswith("small, zero-shot (")


def test_an_own_prompt_stands_in_the_measuring_models_name(score, tmp_path):
    mine = tmp_path / "mine" / "dispute-awareness"
    mine.mkdir(parents=True)
    text = Library().source("dispute-awareness/zero-shot.j2")
    (mine / "zero-shot.j2").write_text(text.replace("Decide one thing", "Decide this"))
    (name,) = {row["instrument"] for row in score(ANSWERS, shots="zero-shot", prompts=tmp_path / "mine")}
    assert name.startswith("offline, zero-shot, own prompt ")
    with pytest.raises(DeclarationError, match="other"):
        score(ANSWERS, shots="zero-shot")
