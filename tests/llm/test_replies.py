"""Reading answers: typed values, or faults in plain words that echo no document."""

import json
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from conqret.data import Reason
from conqret.debate.debatune.transcript import Statement
from conqret.llm.replies import Rejection, describe, rating_distribution, read_reply
from conqret.llm.request import Completion, Plain, TokenLogprobs
from tests.llm.samples import Verdict


class Choice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    side: Literal["pro", "con"]


GOOD = '{"documents": [{"number": 1, "explanation": "e", "rating": 4}], "overall": 2}'

OTHER = GOOD.replace('"overall": 2', '"overall": 0')


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f'I considered {{"overall": 0}} first.\n{GOOD}',
        f"{GOOD}\n```",
        f"<think>maybe {{</think>\n```\n{GOOD}\n```",
        f"My verdict: {GOOD}\n\nSources: [1], [2]; {{placeholders}} were left out.",
        f"{GOOD} or {GOOD}",
        f"[{GOOD}]",
        f"First {OTHER} but no.\n</think>\n{GOOD}",
        f"\n<think>\n{OTHER} </think> wait {OTHER}\n</think>\n\n{GOOD}",
        f"<seed:think>{OTHER}</seed:think>{GOOD}",
        f"◁think▷{OTHER}◁/think▷{GOOD}",
        f"<|begin_of_thought|>{OTHER}<|end_of_thought|><|begin_of_solution|>{GOOD}<|end_of_solution|>",
        f"<|START_THINKING|>{OTHER}<|END_THINKING|><|START_RESPONSE|>{GOOD}<|END_RESPONSE|>",
        f"<|channel|>analysis<|message|>{OTHER}<|end|><|start|>assistant<|channel|>final "
        f"<|constrain|>json<|message|>{GOOD}<|return|>",
        f"analysisMaybe {OTHER}assistantfinal{GOOD}",
        " ".join("see [1]" for _ in range(230)) + f"</thinking>{GOOD}",
        GOOD.replace('"e"', '"it writes <think> and </think>, and {\\"overall\\": 0}"'),
        "```json\n" + GOOD.replace('"e"', '"it writes <think>"') + "\n```",
    ],
)
def test_json_is_found(text):
    value = read_reply(Completion(text), Verdict, {})
    assert not isinstance(value, Rejection)
    assert value.overall == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"<think>\nFirst {OTHER} but wait, the second", "no answer came: the model's thoughts do not end"),
        (f"<|channel|>analysis<|message|>maybe {OTHER}", "no answer came"),
        (f"analysisMaybe {OTHER}", "no answer came"),
        (f"{GOOD}\n<think>or {OTHER}</think>", "the answer was empty"),
        (f"{GOOD}\nHad it been unclear: {OTHER}", "two valid objects that differ"),
        (f'{{"verdict": {GOOD}, "sure"', "no complete JSON object was found in the answer: it breaks off"),
        (f'{{"verdict": {GOOD}, "sure": "50\\%"}}', "the answer is not valid JSON"),
    ],
)
def test_a_draft_or_one_of_two_answers_is_no_answer(text, fault):
    reply = read_reply(Completion(text), Verdict, {})
    assert isinstance(reply, Rejection)
    assert reply.fault.startswith(fault)


@pytest.mark.parametrize(
    ("reasoning", "fault"),
    [
        (f"First {OTHER}.\n</think>\n{GOOD}", ""),
        (f"First {OTHER} but wait", "the answer was empty: the server sent only the model's reasoning"),
    ],
)
def test_an_answer_that_a_server_takes_for_reasoning_is_read(reasoning, fault):
    reply = read_reply(Completion("", reasoning=reasoning), Verdict, {})
    assert (reply.fault if isinstance(reply, Rejection) else "") == fault
    plain = read_reply(Completion("", reasoning=reasoning), Plain, {})
    assert isinstance(plain, Rejection)


SENTENCE = "Zoos should close because animals suffer [1]."


@pytest.mark.parametrize(
    "text",
    [
        f" {SENTENCE}\n",
        f"\n<think>\nhm [1]\n</think>\n\n{SENTENCE}",
        f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{SENTENCE}<|return|>",
        f"analysisHm.assistantfinal{SENTENCE}",
        f"<think>Hm.</think>\n<answer>\n{SENTENCE}\n</answer>",
    ],
)
def test_a_written_text_loses_its_thoughts(text):
    assert read_reply(Completion(text), Plain, {}) == Plain(text=SENTENCE)


def test_a_written_text_inside_an_object_loses_its_thoughts_too():
    drafted = json.dumps({"statement": f"<think>Hm.</think>\n{SENTENCE}"})
    assert read_reply(Completion(drafted), Statement, {}) == Statement(statement=SENTENCE)
    assert isinstance(read_reply(Completion('{"statement": "<think>Hm."}'), Statement, {}), Rejection)
    assert Statement.model_json_schema()["properties"]["statement"] == {
        "title": "Statement",
        "type": "string",
    }


@pytest.mark.parametrize("text", ["<think>Zoos should", "<think>Hm.</think>", ""])
def test_thoughts_alone_are_no_written_text(text):
    assert isinstance(read_reply(Completion(text), Plain, {}), Rejection)
    cut = read_reply(Completion(text, finish_reason="length"), Plain, {})
    assert isinstance(cut, Rejection)
    assert cut.reason is Reason.TRUNCATED


@pytest.mark.parametrize(
    ("completion", "reason"),
    [
        (Completion(GOOD, finish_reason="length"), Reason.TRUNCATED),
        (Completion(GOOD, refusal="no"), Reason.REFUSAL),
        (Completion("", finish_reason="content_filter"), Reason.REFUSAL),
        (Completion("I cannot assist with rating these documents."), Reason.REFUSAL),
        (Completion("I’m sorry, but I can't help with that."), Reason.REFUSAL),
        (Completion("The documents can't all be relevant: 4"), Reason.INVALID_JSON),
        (Completion(""), Reason.INVALID_JSON),
        (Completion(GOOD[:-1] + " and so on"), Reason.INVALID_JSON),
        (Completion(GOOD.replace('"overall": 2', '"overall": 5, "overall": 0')), Reason.INVALID_ANSWER),
        (Completion(GOOD.replace('"rating": 4', '"rating": 4, "rating": 4')), Reason.INVALID_ANSWER),
        (Completion(GOOD.replace('"overall": 2', '"overall": NaN')), Reason.INVALID_ANSWER),
        (Completion("{" * 100_000), Reason.INVALID_JSON),
    ],
)
def test_what_is_no_answer_has_its_reason(completion, reason):
    reply = read_reply(completion, Verdict, {})
    assert isinstance(reply, Rejection)
    assert reply.reason is reason
    assert reply.fault


def test_faults_are_short_and_name_their_place():
    long = "document text " * 5000
    documents = [{"number": n, "explanation": "e", "rating": 9} for n in range(20)]
    with pytest.raises(ValidationError) as caught:
        Verdict.model_validate({"documents": documents, "overall": long})
    text = describe(caught.value)
    assert "documents[0].rating: a number of at most 5 is wanted here (it was 9)" in text
    assert "and 13 more of the kind" in text
    assert len(text) < 2000


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("The documents are relevant: 4 of 5.", "no complete JSON object was found in the answer"),
        (f"```json\n{GOOD[:40]}", "no complete JSON object was found in the answer: it breaks off"),
        (GOOD.replace(":", "", 1), "the answer is not valid JSON: expected `:` at line 1"),
        ("[1]", "the whole answer: one JSON object is wanted here"),
        ('{"documents": []}', "overall: this is missing, and it has to be there"),
        (GOOD.replace("4", "4.5"), "documents[0].rating: a whole number is wanted here (it was 4.5)"),
        (GOOD.replace('"e"', "null"), "documents[0].explanation: a text is wanted here"),
    ],
)
def test_a_fault_says_where_and_what_was_wanted(text, fault):
    reply = read_reply(Completion(text), Verdict, {})
    assert isinstance(reply, Rejection)
    assert reply.fault.startswith(fault)


def test_what_is_not_asked_for_and_what_may_be_chosen_are_named():
    with pytest.raises(ValidationError) as caught:
        Choice.model_validate({"side": "left", "a" * 500: 1})
    first, second = describe(caught.value).splitlines()
    assert first == "side: one of these is wanted here: 'pro' or 'con' (it was 'left')"
    assert second.endswith("nothing of this name is asked for: leave it out (it was 1)")
    assert len(second) < 200


def tokens(*parts: str | dict[str, float]) -> list[TokenLogprobs]:
    return [
        TokenLogprobs(p, {p: 0.0}) if isinstance(p, str) else TokenLogprobs(next(iter(p)), p) for p in parts
    ]


@pytest.mark.parametrize("lead", [['{"rating":'], ['{"rating"', ":", " "], ['{"', "rating", '":']])
def test_the_distribution_of_a_rating(lead):
    given = tokens(*lead, {"4": -0.5, " 5": -1.5, "3": -2.0, "four": -3.0}, "}")
    shares = rating_distribution(given, "rating", [1, 2, 3, 4, 5])
    assert shares is not None
    assert sum(shares.values()) == pytest.approx(1)
    assert shares[4] == pytest.approx(0.62853, abs=1e-4)  # 1 / (1 + e^-1 + e^-1.5)
    assert shares[1] == 0


def test_no_distribution_rather_than_a_guess():
    assert rating_distribution(None, "rating", [1]) is None
    assert rating_distribution(tokens('{"rating": ', {"9": 0.0}, "}"), "rating", [1, 2]) is None
    assert rating_distribution(tokens('{"rating": ', {"1": 0.0}, "0}"), "rating", [1, 10]) is None
    several = tokens('{"rating": 4}', ' not {"rating": ', {"1": 0.0}, "}")
    assert rating_distribution(several, "rating", [1, 4]) is None
    drafted = tokens('{"rating": 1}', '</think>{"rating": ', {"4": 0.0}, "}")
    assert rating_distribution(drafted, "rating", [1, 4]) == {1: 0.0, 4: 1.0}
