"""What a judge says of how sure it is: any format, asked for with an option only."""

import pytest
from pydantic import ValidationError

from conqret import Item, judge
from conqret.errors import DeclarationError
from conqret.judging.instrument import filled
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case
from conqret.judging.scales import confidences
from conqret.judging.setup import PROBE, set_up
from conqret.llm.client_options import ClientOptions

ASKING = [name for name in JUDGES if JUDGES[name].judge_prompts]
WRITTEN = [name for name in ASKING if all(ask.reading is None for ask in JUDGES[name].judge_prompts)]
ASKED = JudgeOptions(confidence=True)


@pytest.mark.parametrize("name", WRITTEN)
def test_any_format_can_be_asked(name):
    setup = set_up(name, ClientOptions("offline"), ASKED)
    plain = set_up(name, ClientOptions("offline"), JudgeOptions())
    assert setup.fingerprint != plain.fingerprint
    case = Case(PROBE)
    for ask, other in zip(setup.judge_prompts, plain.judge_prompts, strict=True):
        was, now = (
            filled(one.library[ask.prompt], question, case)
            for one, question in ((plain, other), (setup, ask))
        )
        assert now.system.startswith(was.system + "\n\nLast, give your confidence")
        assert now.user == was.user
        fields = list(ask.answer(case).model_fields)
        assert fields == [*other.answer(case).model_fields, "confidence"]  # and so a model writes it last
        given = ask.baseline(case)
        value = ask.answer(case).model_validate(given, context=ask.context(case))
        assert value.confidence == 50
        for wrong in (101, -1, True, None):
            with pytest.raises(ValidationError):
                ask.answer(case).model_validate({**given, "confidence": wrong}, context=ask.context(case))


def test_what_is_said_stands_beside_each_score():
    found = judge(PROBE, format="rag-fine-grained", confidence=True)[0]
    assert all(confidences(measure)["stated"] == 0.5 for measure in found.measures.values())
    some = judge(PROBE, format="listwise", confidence=True, metrics=["clarity"], samples=2)[0]
    assert set(confidences(some.measures["clarity"])) == {"stated", "samples"}
    both = judge(PROBE, format="direct", confidence=True, metrics=["preference"])[0]
    assert set(confidences(both.measures["preference"])) == {"stated", "orders"}
    assert "stated" not in confidences(judge(PROBE, format="direct")[0].measures["preference"])


def test_what_is_never_written_states_nothing():
    with pytest.raises(DeclarationError, match="likelihood has none"):
        judge(Item(id="a", topic="t", argument="a"), format="likelihood", confidence=True)
    with pytest.raises(DeclarationError, match="leave --confidence out"):
        judge(PROBE, judge=lambda item: 0.5, confidence=True)
