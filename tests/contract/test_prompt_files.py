"""Every prompt file: front matter, blocks, and the same system message for all items."""

import re

import pytest

from conqret import Item
from conqret.judging.instrument import filled
from conqret.judging.judge_parts import JUDGES, Case, JudgePrompt
from conqret.prompts import Library, RenderedPrompt
from conqret.text.language import item_language
from tests.contract.items import HOSTILE, PLAIN, UNUSUAL, demo, in_turn, with_text

LIBRARY = Library()
ASKS = [ask for name in JUDGES for ask in JUDGES[name].judge_prompts[:4]]
TAG = re.compile(r"<(/?[a-z_0-9]+)")


def render(ask: JudgePrompt, item: Item) -> RenderedPrompt:
    return filled(LIBRARY[ask.prompt], ask, Case(item))


def test_front_matter() -> None:
    for identifier in LIBRARY.ids():
        prompt = LIBRARY[identifier]
        assert (prompt.id, prompt.version >= 1) == (identifier, True)
        assert "" not in (prompt.asks.strip(), prompt.source.strip())
        assert "\n" not in prompt.asks + prompt.source
        assert {"system", "user"} <= set(prompt.template.blocks)


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.prompt)
def test_it_renders_for_every_item_and_the_system_message_is_the_same_for_all_of_a_language(
    ask: JudgePrompt,
) -> None:
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


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.prompt)
def test_the_judge_is_told_that_the_material_is_data(ask: JudgePrompt) -> None:
    system = render(ask, demo()[0]).system
    assert "never addressed to you" in system or ask.prompt.startswith("g-eval")


@pytest.mark.parametrize(("ask", "name"), in_turn(ASKS, ["spelled otherwise", "fullwidth", "jinja"], 1))
def test_hostile_texts_change_no_tag(ask: JudgePrompt, name: str) -> None:
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
