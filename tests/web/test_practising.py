"""The pages on which people practise: they are told what is right, and who goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conqret.debate.two_turn.judge_answers import as_slider_answers
from tests.labels.debates import begun_debate, made
from tests.labels.test_practice import begun_with_practice
from tests.web.test_annotating import Browser, Study

pytest.importorskip("starlette")


async def practise(browser: Browser, where: str, values: str) -> str:
    """Answer so; where it leads in the end."""
    for value in values:
        await browser.send(where, **{"q:overall_quality": value, "comment": "my reason"})
        assert "The agreed answers" in browser.page
        where = (await browser.get("/next")).url.path
    return where


async def test_after_each_screen_one_is_told_what_is_right_and_why(tmp_path: Path) -> None:
    study = Study(begun_with_practice(tmp_path), tmp_path)
    anna = study.browser()
    await anna.get(study.link("anna"))
    assert "First come 5 screens to practise" in anna.page
    assert "At most 3 screens" in anna.page
    assert "80% of them right" in anna.page
    where = (await anna.send("/begin")).url.path
    assert "Practice: 0 of 5" in anna.page
    form = anna.page
    await anna.send(where, **{"q:overall_quality": "2"})
    assert "You said: <b>2</b>" in anna.page
    assert "Agreed answer: <b>4</b>" in anna.page
    assert "It gives one reason." in anna.page
    anna.page = form  # back, and another answer
    await anna.send(where, **{"q:overall_quality": "4"})
    assert "You said: <b>2</b>" in anna.page
    where = await practise(anna, (await anna.get("/next")).url.path, "444")
    await anna.send(where, **{"q:overall_quality": "4"})
    assert "which is the agreed answer" in anna.page
    await anna.get("/next")
    assert "0 of 3 screens answered" in anna.page
    assert "Practice:" not in anna.page


async def test_who_does_not_pass_is_thanked_and_gets_nothing_more(tmp_path: Path) -> None:
    study = Study(begun_with_practice(tmp_path), tmp_path)
    ben = study.browser()
    await practise(ben, await ben.begin(study.link("ben")), "11144")
    assert "Thank you" in ben.page
    assert "You had 2 of 5 right" in ben.page
    for address in ("/next", "/screen/1", "/screen/6"):
        assert (await ben.get(address)).status_code == 403
    await ben.get(study.link("ben"))
    assert (await ben.send("/begin")).status_code == 403
    study.ledger.set_state(study.ledger.annotator("ben"), "active")
    assert (await ben.get("/next")).status_code == 200


async def test_judges_practise_on_other_questions_and_are_told_the_right_option(tmp_path: Path) -> None:
    practice = [replace(one, id=f"practice-{one.id}") for one in made(2)]
    ledger = begun_debate(tmp_path, ["ann", "bob"], "pilot", practice=practice, passing=1.0)
    study = Study(ledger, tmp_path)
    for name, toward_right in (("ann", True), ("bob", False)):
        browser = study.browser()
        where = await browser.begin(study.link(name))
        told = 0
        while (turn := ledger.begun(ledger.annotator(name))) is not None and turn.screen.practice:
            shown = turn.screen.judging
            assert shown is not None
            question = next(question for question in practice if question.id == turn.screen.item)
            on_the_right = (question.right == 2) is not shown.swapped
            await browser.send(where, start="1")
            await browser.send(where, slider="2" if on_the_right is toward_right else "-2")
            if "The right answer is" in browser.page:
                told += 1
                assert f"<b>{'B' if on_the_right else 'A'}: yes</b>" in browser.page
                assert ("earned you" if toward_right else "cost you") in browser.page
                await browser.get("/next")
            where = str(browser.where)
        assert told == 2
    assert [annotator.practised for annotator in ledger.annotators()] == ["2 of 2", "0 of 2"]
    assert [annotator.state for annotator in ledger.annotators()] == ["active", "not passed"]
    assert "You had 0 of 2 right" in browser.page
    assert "practice" not in as_slider_answers(ledger)
    assert ledger.wanted()[0] == 0
