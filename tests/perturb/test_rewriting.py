"""Sentences rewritten by a model: asked once, checked, nested, recorded."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from conqret.data import Item, Reason
from conqret.llm.request import Answer, Request
from conqret.perturb import PERTURBATIONS, records
from conqret.perturb.rewriting import Rewrites, rewrite_items
from conqret.runs.session import Session
from conqret.text.sentences import sentences

HALLUCINATE = PERTURBATIONS["hallucinate"]


class Model:
    """Rewrites every listed sentence, or fails."""

    def __init__(self, reason: Reason | None = None) -> None:
        self.asked: list[Request[Any]] = []
        self.reason = reason

    async def request(self, request: Request[Any]) -> Answer[Any]:
        self.asked.append(request)
        if self.reason is not None:
            return Answer(None, (), reason=self.reason, detail="no luck")
        wanted: dict[int, str] = request.context["sentences"]
        answer = {
            "rewrites": [
                {"sentence": n, "rewritten": "Nobody says so, " + text} for n, text in wanted.items()
            ]
        }
        return Answer(request.response.model_validate(answer, context=request.context), ())


async def test_one_request_an_item_serves_all_levels(small: Item) -> None:
    model = Model()
    materials, failed = await rewrite_items([small], HALLUCINATE, (0, 1, 3), model)
    assert failed == []
    (request,) = model.asked
    assert set(request.context["sentences"]) == {2, 3, 4}
    assert "Costs fell by 12 million [3]." in request.messages[1].content
    one, three = (HALLUCINATE.apply(small, level, materials=materials) for level in (1, 3))
    assert [change.kind for change in records(three)[0].changes] == ["model"] * 3
    assert set(records(one)[0].changes) < set(records(three)[0].changes)
    assert sentences(three.argument or "")[0].text == "Trams work."


async def test_the_model_is_asked_for_the_highest_level_in_reach(small: Item) -> None:
    model = Model()
    materials, failed = await rewrite_items([small], HALLUCINATE, (0, 2, 20), model)
    assert failed == []
    assert len(model.asked[0].context["sentences"]) == 2
    assert len(records(HALLUCINATE.apply(small, 2, materials=materials))[0].changes) == 2
    _, failed = await rewrite_items([small], HALLUCINATE, (0, 20), model)
    assert ["3 sentences cite, and 20 are to change" in one.reason for one in failed] == [True]
    assert len(model.asked) == 1


async def test_no_answer_leaves_the_item_out_with_the_reason(small: Item) -> None:
    materials, failed = await rewrite_items([small], HALLUCINATE, (0, 2), Model(Reason.REFUSAL))
    assert [(one.item, one.reason) for one in failed] == [("small", "item small: refusal: no luck")]
    assert materials.rewrites == {}


@pytest.mark.parametrize(
    ("rewrites", "said"),
    [
        ([], "sentence 2 missing"),
        ([(2, "It fell [1].")] * 2, "more than once"),
        ([(2, "It fell [1]."), (3, "So [2].")], "not among those asked for"),
        ([(2, "It rose [1].")], "sentence 2 is unchanged"),
        ([(2, "It fell [2].")], "must keep its citations"),
        ([(2, "It fell. It did [1].")], "must stay one sentence"),
    ],
)
def test_an_answer_that_changes_anything_else_is_invalid(rewrites: list[tuple[int, str]], said: str) -> None:
    answer = {"rewrites": [{"sentence": n, "rewritten": text} for n, text in rewrites]}
    with pytest.raises(ValidationError, match=said):
        Rewrites.model_validate(answer, context={"sentences": {2: "It rose [1]."}})


def rewritten(items, perturbation, levels, **where):
    """What the offline model makes of items."""
    session = Session("offline", **where)
    return session.run(lambda client: rewrite_items(items, perturbation, levels, client))


@pytest.mark.parametrize("name", ["hallucinate", "hallucinate-share", "reverse", "paraphrase"])
def test_the_offline_model_gives_what_the_rules_give(name: str, demo: list[Item], tmp_path: Path) -> None:
    perturbation = PERTURBATIONS[name]
    level = perturbation.levels[-1]
    store = tmp_path / "answers.sqlite"
    for _ in range(2):
        materials, failed = rewritten(demo[:3], perturbation, perturbation.levels, recordings=store)
        if name != "paraphrase":
            assert failed == []
            for item in demo[:3]:
                by_model = perturbation.apply(item, level, materials=materials)
                assert by_model.argument == perturbation.apply(item, level).argument
