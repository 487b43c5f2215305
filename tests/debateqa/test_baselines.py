"""The baselines of Perspective Diversity: figures by hand, what is missing, and what is kept."""

import json
import math

import pytest

import conqret
from conqret.data import Reason
from conqret.debateqa.baseline_metrics import (
    BASELINES,
    Models,
    baseline_rows,
    prepared,
    rouge_l,
    selected,
)
from conqret.debateqa.baseline_metrics import bleu as sentence_bleu
from conqret.debateqa.model_metrics import QUESTIONS, WEIGHTED
from conqret.debateqa.scoring import AnswerCase, KeptValues, Likeness
from conqret.errors import DeclarationError
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, TokenLogprobs

ZOOS = "Should zoos be closed?"
CASE = AnswerCase(
    "a", ZOOS, "Zoos save rare animals.", ("Zoos save rare animals.", "Cages are cruel to bears.")
)


@pytest.fixture
def bleu():
    pytest.importorskip("sacrebleu", reason="the extra baselines is not installed: sacrebleu is missing")
    return sentence_bleu()


@pytest.fixture
def rouge():
    pytest.importorskip("rouge_score", reason="the extra baselines is not installed: rouge-score is missing")
    return rouge_l()


def test_bleu_by_hand(bleu):
    # 5 of 6 words (the reference has one "the"), 3 of 5 pairs, 2 of 4 triples, 1 of 3 of four; equal lengths
    hand = 100 * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** 0.25
    case = AnswerCase("a", "", "the cat sat on the mat", ("the cat sat on a mat", "the cat sat on the mat"))
    (found,) = bleu.compare([case])
    assert found.value == pytest.approx((hand + 100) / 2)
    (same,) = bleu.compare(
        [AnswerCase("a", "", "It is so.", ("It is so.",))]
    )  # no n-gram of order 4 is no fault
    assert same.value == pytest.approx(100)
    assert same.value <= 100
    assert "eff:yes" in bleu.instrument
    assert "nrefs:1" in bleu.instrument


def test_rouge_l_by_hand(rouge):
    # the answer's 4 words stand in this order among the 7 of the partial answer: P = 1, R = 4/7
    whole = AnswerCase("a", "", "Zoos save rare animals", ("zoos do save some rare animal, today",))
    other = AnswerCase(
        "b", "", "Zoos save rare animals", ("zoos do save some rare animal, today", "cages are cruel")
    )
    first, second = rouge.compare([whole, other])
    assert first.value == pytest.approx(8 / 11)
    assert second.value == pytest.approx(4 / 11)
    assert "F-measure" in rouge.instrument


def test_what_a_metric_needs_of_the_questions():
    bare = [AnswerCase("a", "", "Yes.")]
    with pytest.raises(DeclarationError, match="has a partial answer, which bleu"):
        prepared(selected(["bleu", "acknowledge"]), bare, Models())
    with pytest.raises(DeclarationError, match="has a text, which g-eval"):
        prepared(selected(["g-eval"]), bare, Models())
    with pytest.raises(DeclarationError, match="budget"):
        prepared(selected(["g-eval"]), [CASE], Models(), ClientOptions("nobody/knows", budget_usd=1.0))
    assert prepared(selected(["acknowledge"]), bare, Models()) == {}


class Counting:
    """Compares by the number of partial answers, and remembers what it was asked."""

    instrument, fingerprint = "counting", "one"

    def __init__(self):
        self.asked = []

    def compare(self, cases):
        self.asked += [case.id for case in cases]
        return [
            Likeness(None, "it broke") if case.answer == "breaks" else Likeness(float(len(case.partial)))
            for case in cases
        ]


def similar(cases, measure, kept=None):
    return baseline_rows(selected(["bleu"]), cases, "mine", similarities={"bleu": measure}, kept=kept)


def test_what_cannot_be_compared_has_no_value_and_a_reason():
    cases = [
        CASE,
        AnswerCase("b", ZOOS, " \n", ("x",)),
        AnswerCase("c", ZOOS, "Yes."),
        AnswerCase("d", ZOOS, "Yes.", ("x", "")),
    ]
    measure = Counting()
    rows = similar([*cases, AnswerCase("e", ZOOS, "breaks", ("x",))], measure)
    assert [(row.id, row.value, row.reason) for row in rows] == [
        ("a", 2.0, ""),
        ("b", None, "the answer is empty"),
        ("c", None, "the question has no partial answers"),
        ("d", None, "a partial answer of the question is empty"),
        ("e", None, "it broke"),
    ]
    assert measure.asked == ["a", "e"]
    assert (rows[0].system, rows[0].metric, rows[0].instrument, rows[0].n) == ("mine", "bleu", "counting", 2)


def test_values_from_before_are_not_computed_again(tmp_path):
    path = tmp_path / "out" / "values.jsonl"
    cases = [AnswerCase(str(i), ZOOS, f"Answer {i}.", ("x",) * (i + 1)) for i in range(40)]
    broken = AnswerCase("broken", ZOOS, "breaks", ("x",))
    with KeptValues(path) as kept:
        assert not path.exists()
        first = similar([*cases[:25], broken], Counting(), kept)
    with path.open("ab") as file:
        file.write(b'{"key": "torn')
    measure = Counting()
    with KeptValues(path) as kept:
        assert len(kept) == 25
        rows = similar([*cases, broken], measure, kept)
    assert measure.asked == [*map(str, range(25, 40)), "broken"]
    assert rows[:25] == first[:25]
    assert [row.value for row in rows[:40]] == [i + 1.0 for i in range(40)]
    changed = Counting()
    changed.fingerprint = "two"
    with KeptValues(path) as kept:
        similar(cases[:3], changed, kept)
    assert changed.asked == ["0", "1", "2"]
    path.write_text('{"other": 1}\n')
    with pytest.raises(DeclarationError, match=r"values\.jsonl:1 is not a value"):
        KeptValues(path)


def test_acknowledge_reads_the_first_words():
    texts = ["As an AI language model, I hold no view.", "It is debated.", ""]
    cases = [AnswerCase(str(i), ZOOS, text) for i, text in enumerate(texts)]
    rows = baseline_rows(selected(["acknowledge"]), cases, "mine", similarities={})
    assert [(row.value, row.reason) for row in rows] == [(1.0, ""), (0.0, ""), (None, "the answer is empty")]


LIST = """Here are some views:

1. **Rescue**: Zoos breed rare animals and bring them back.
   - Cranes were brought back by breeding in zoos.
2. **Cruelty**: Bears pace in cages and suffer from boredom.
3. **Rescue again**: Zoos breed rare animals, and bring them back.

In the end it is up to you."""


@pytest.fixture
def ask(tmp_path):
    """Scores answers by a metric that a model is asked for."""

    def scored(name, cases, model="offline"):
        for file, column in (("questions", "question"), ("answers", "answer")):
            lines = (json.dumps({"id": case.id, column: getattr(case, column)}) + "\n" for case in cases)
            (tmp_path / f"{file}.jsonl").write_text("".join(lines))
        files = tmp_path / "answers.jsonl", tmp_path / "questions.jsonl"
        found = conqret.score_baselines(*files, metrics=[name], model=model, output=tmp_path / name)
        return list(found.table.iter_rows(named=True))

    return scored


@pytest.mark.parametrize("name", QUESTIONS)
def test_offline_judges_are_named_as_a_baseline_and_repeat_themselves(ask, name):
    cases = [
        AnswerCase("rich", ZOOS, "It is debated.\n" + LIST),
        AnswerCase("poor", ZOOS, "Yes, close them."),
    ]
    rich, poor = ask(name, cases)
    assert [rich, poor] == ask(name, cases)
    assert rich["value"] > poor["value"] >= 1
    assert rich["value"] <= (10 if name == "num-of-povs" else 5)
    assert rich["instrument"] == "offline, a lexical baseline, prompt v2"
    assert BASELINES[name] == "asked"


@pytest.fixture
def scripted(monkeypatch):
    """A model that answers what is written down."""

    def answering(answer):
        requests = []

        async def request(self, request):
            requests.append(request)
            return answer(request)

        monkeypatch.setattr(Client, "request", request)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        return requests

    return answering


def test_g_eval_weighs_the_rating_by_its_log_probabilities(ask, scripted):
    tokens = (
        ('{"reasoning": "Fair.", "rating": ', {}),
        ("4", {"4": math.log(0.6), "5": math.log(0.2), "x": -1}),
    )
    logprobs = tuple(TokenLogprobs(token, alternatives) for token, alternatives in (*tokens, ("}", {})))
    value = {"reasoning": "Fair.", "rating": 4}

    def answer(request):
        with_logprobs = logprobs if request.item == "a" else None
        return Answer(request.response.model_validate(value), (), with_logprobs)

    requests = scripted(answer)
    first, second = ask("g-eval", [CASE, AnswerCase("b", ZOOS, "No.")], "openai/scripted")
    assert first["value"] == pytest.approx((4 * 0.6 + 5 * 0.2) / 0.8)
    assert first["detail"] == WEIGHTED
    assert (second["value"], second["detail"]) == (4.0, "")
    assert second["instrument"] == "openai/scripted, prompt v2"
    assert all(request.logprobs and request.temperature == 0 for request in requests)


def test_without_a_valid_answer_there_is_no_value(ask, scripted):
    requests = scripted(lambda request: Answer(None, (), reason=Reason.REFUSAL, detail="I will not."))
    cases = [CASE, AnswerCase("b", ZOOS, ""), AnswerCase("c", " ", "Yes.")]
    rows = ask("num-of-povs", cases, "openai/scripted")
    wanted = [(None, "refusal"), (None, "the answer is empty"), (None, "the question has no text")]
    assert [(row["value"], row["reason"]) for row in rows] == wanted
    assert len(requests) == 1
