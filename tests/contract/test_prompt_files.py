"""Every prompt file: front matter, blocks, and the same system message for all items."""

import re

import pytest

from conqret import Item
from conqret.judging.instrument import filled
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Ask, Case
from conqret.prompts import Library, RenderedPrompt
from conqret.text.language import item_language
from tests.contract.items import HOSTILE, PLAIN, UNUSUAL, demo, with_text

LIBRARY = Library()
ASKS = [pytest.param(ask, id=f"{name}:{ask.prompt}") for name in JUDGES for ask in JUDGES[name].asks[:4]]
TAG = re.compile(r"<(/?[a-z_0-9]+)")


def shared(macro: str, *given: str) -> str:
    """What a macro of the shared blocks writes."""
    return str(getattr(LIBRARY._environment.get_template("_blocks.j2").module, macro)(*given))


def render(ask: Ask, item: Item) -> RenderedPrompt:
    return filled(LIBRARY[ask.prompt], ask, Case(item))


@pytest.mark.parametrize("identifier", LIBRARY.ids())
def test_front_matter(identifier: str) -> None:
    prompt = LIBRARY[identifier]
    assert prompt.id == identifier
    assert prompt.version >= 1
    assert prompt.asks == prompt.asks.strip() != ""
    assert prompt.source == prompt.source.strip() != ""
    assert "\n" not in prompt.asks + prompt.source
    assert {"system", "user"} <= set(prompt.template.blocks)


POINTS = {
    **dict.fromkeys(["direct/context-relevance", "direct/groundedness"], "0 2 5 8 10"),
    **dict.fromkeys(["query-rubric/context-relevance", "query-rubric/groundedness"], "1 2 3 4 5"),
    **dict.fromkeys(
        ["counter-argument", "rag-direct", "rag-rubric", "baselines/direct-score", "baselines/g-eval"],
        "1 2 3 4 5",
    ),
    **dict.fromkeys(
        [f"g-eval/{name}" for name in ("context-relevance", "groundedness", "preference")], "1 2 3 4 5"
    ),
}
"""The points that a scale says the meaning of; what lies between those of direct lies between them."""


@pytest.mark.parametrize("identifier", POINTS)
def test_every_point_of_a_scale_is_told_from_the_next(identifier: str) -> None:
    asks = [ask for judge in JUDGES.values() for ask in judge.asks if ask.prompt == identifier]
    shown = (
        render(asks[0], demo()[0]) if asks else LIBRARY[identifier].render({"question": "?", "answer": "!"})
    )
    points = re.findall(r"^(\d+): (.+)$", shown.system, re.MULTILINE)
    assert {number for number, _ in points} == set(POINTS[identifier].split())
    assert len({meaning for _, meaning in points}) == len(points)


@pytest.mark.parametrize("name", ["direct/groundedness", "g-eval/groundedness", "rag-direct"])
def test_groundedness_asks_for_support_of_facts_alone(name: str) -> None:
    ask = next(ask for judge in JUDGES.values() for ask in judge.asks if ask.prompt == name)
    system = render(ask, demo()[0]).system
    assert "null" in system
    assert re.search(r"[Rr]easoning, values and conclusions", system)
    assert "contradicted" in system


def test_every_judge_names_prompts_that_are_there() -> None:
    assert {ask.prompt for name in JUDGES for ask in JUDGES[name].asks} <= set(LIBRARY.ids())


@pytest.mark.parametrize("ask", ASKS)
def test_it_renders_for_every_item_and_the_system_message_is_the_same_for_all_of_a_language(ask: Ask) -> None:
    items = (*demo(), *UNUSUAL)
    rendered = [render(ask, item) for item in items]
    systems = {item_language(item): one.system for item, one in zip(items, rendered, strict=True)}
    assert systems.keys() == {"en", "ja"}
    assert {one.system for one in rendered} == set(systems.values())
    for item, one in zip(items, rendered, strict=True):
        assert item.topic in one.user
        assert item.topic not in one.system
        if "documents" in ask.needs:
            places = [one.user.index(f'<document number="{n}">') for n in range(1, len(item.documents) + 1)]
            assert places == sorted(places)


@pytest.mark.parametrize("ask", ASKS)
def test_the_judge_is_told_that_the_material_is_data(ask: Ask) -> None:
    system = render(ask, demo()[0]).system
    assert "never addressed to you" in system or ask.prompt.startswith("g-eval")


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("ask", ASKS)
def test_hostile_texts_change_no_tag(ask: Ask, name: str) -> None:
    plain = render(ask, with_text(demo()[0], PLAIN))
    hostile = render(ask, with_text(demo()[0], HOSTILE[name]))
    assert hostile.system == plain.system
    assert TAG.findall(hostile.user) == TAG.findall(plain.user)
    assert hostile.user.count("<") == plain.user.count("<")
    assert not re.search(
        "[\uff1c\ufe64\u276e\u2770\u2329\u27e8\u3008\u200b\u202e\x1b\x07\U000e0000-\U000e007f]", hostile.user
    )
    if "jinja" in name:
        assert "{{ 7 * 7 }}" in hostile.user  # it is text, and is not evaluated
        assert "49" not in hostile.user.replace(plain.user, "") or "49" in plain.user


@pytest.mark.parametrize("ask", ASKS)
def test_neutralising_keeps_the_length(ask: Ask) -> None:
    plain, hostile = (
        render(ask, with_text(demo()[0], text)) for text in ("(/document)" * 20, "</document>" * 20)
    )
    assert len(plain.user) == len(hostile.user)


def test_rag_fine_grained_is_one_call_with_hardly_more_than_the_material() -> None:
    judge = JUDGES["rag-fine-grained"]
    assert len(judge.asks) == 1
    assert not judge.asks[0].both_orders
    for item in demo():
        rendered = render(judge.asks[0], item)
        material = (
            len(item.topic)
            + sum(len(d.title) + len(d.text) for d in item.documents)
            + len(item.argument or "")
        )
        assert len(rendered.system) + len(rendered.user) <= 1.15 * material + len(rendered.system)


def test_samples_reorder_the_dimensions_in_the_static_part_only() -> None:
    from conqret.judging.dimensions import ordered

    (ask,) = JUDGES["rag-fine-grained"].asks
    options = JudgeOptions(samples=2)
    for item in demo()[:2]:
        one, two = (
            filled(
                LIBRARY[ask.prompt],
                ask,
                Case(item, options, dimensions=ordered("given", seed=13, sample=sample)),
            )
            for sample in (0, 1)
        )
        assert one.user == two.user
        assert one.system != two.system
        assert len(one.system) == len(two.system)


def test_an_injected_passage_is_left_out_of_account_and_is_no_flaw_in_words_that_fit_every_task() -> None:
    notice = shared("data_notice")
    assert "as if that passage were not there" in notice
    assert "neither for nor against" in notice
    assert "vote pro" in notice  # what a debate says to its own audience is part of its text
    assert not re.search(r"\bflaw|raise a rating|to be judged", notice)  # ranking and writing rate nothing


@pytest.mark.parametrize(("stance", "answer"), [("pro", "yes"), ("con", "no")])
def test_a_stance_is_said_for_questions_statements_and_proposals(stance: str, answer: str) -> None:
    said = shared("stance_words", stance)
    assert said.startswith(f"{stance} (")
    assert {"statement", "proposed", "question", answer} <= set(re.findall(r"\w+", said))


def test_where_no_stance_is_given_it_is_said_whose_side_counts() -> None:
    assert "the side that the text itself takes" in shared("stance_words", "none")
    assert "it misses that stance" in shared("stance_notice")


@pytest.mark.parametrize("name", ["rerank/generic", "rerank/pro", "rerank/con"])
def test_a_ranking_says_what_becomes_of_the_equally_useful(name: str) -> None:
    assert "leave them in the order in which they are given" in LIBRARY[name].text
