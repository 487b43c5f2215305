"""The pages on which people judge debates, asked as a browser asks them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from conqret.debate.two_turn.judge_answers import POINTS
from conqret.debate.two_turn.two_turn_files import Side, SideArgument, read_two_turn
from conqret.labels.survey import read_survey
from tests.cli.conftest import Cli
from tests.labels.debates import BOTH, DEBATES, begun_debate, made
from tests.web.test_annotating import Browser, Study

pytest.importorskip("starlette")


async def begun(study: Study, name: str = "ann") -> tuple[Browser, str]:
    browser = study.browser()
    return browser, await browser.begin(study.link(name))


async def test_before_the_timer_there_are_the_question_and_its_options_alone(tmp_path: Path) -> None:
    study = Study(begun_debate(tmp_path, ["ann"]), tmp_path)
    questions = {one.id: one for one in read_two_turn(DEBATES)}
    ann, where = await begun(study)
    met = set()
    while where.startswith("/screen/"):
        turn = study.ledger.turn(study.ledger.annotator("ann"), int(where.rpartition("/")[2]))
        assert turn is not None
        assert turn.screen.judging is not None
        question = questions[turn.screen.item]
        later = turn.screen.part == "2"
        snippet = question.sides[0].argument.snippets[0]
        assert all(side.option in ann.page for side in question.sides)
        assert 'type="range"' not in ann.page
        assert not any(
            text in ann.page for text in (snippet, question.passage[:40], question.sides[0].argument.text)
        )
        await ann.send(where, start="1")
        argued = turn.screen.judging.condition == "PSA"
        met.add((argued, later))
        assert 'type="range"' in ann.page
        assert 'href="#aa1"' in ann.page
        assert (question.sides[1].argument.text in ann.page) is argued
        counter = question.sides[1].counter
        assert counter is not None
        assert (counter.text in ann.page) is (argued and later)
        answer = await ann.send(where, slider="1")
        if "<title>What it earned" in ann.page:
            answer = await ann.get("/next")
        where = answer.url.path
    assert met == {(argued, later) for argued in (False, True) for later in (False, True)}
    assert "You are done" in ann.page


async def test_nothing_is_gone_back_to(tmp_path: Path) -> None:
    study = Study(begun_debate(tmp_path, ["ann"], "pilot"), tmp_path)
    ann, where = await begun(study)
    await ann.send(where, start="1")
    old = ann.page
    second = (await ann.send(where, slider="2")).url.path
    assert second != where
    assert (await ann.get(where)).url.path == second
    for fields in ({"slider": "-3"}, {"withdraw": "1"}, {"start": "1"}):
        ann.page = old
        assert (await ann.send(where, **fields)).url.path == second
    assert [dict(one.answers) for one in study.ledger.finished_answers()] == [{"slider": "2"}]
    await ann.get(second)
    assert (await ann.send(second, slider="1")).status_code == 422
    await ann.get(second)
    await ann.send(second, start="1")
    for wrong in ("", "4", "1.5", "'"):
        page = ann.page
        assert (await ann.send(second, slider=wrong)).status_code == 422
        ann.page = page
    assert len(list(study.ledger.finished_answers())) == 1


async def test_what_an_answer_earns_is_told_before_and_after(tmp_path: Path) -> None:
    study = Study(begun_debate(tmp_path, ["ann"], "main", BOTH), tmp_path)
    ann = study.browser()
    await ann.get(study.link("ann"))
    assert "+$0.60" in ann.page
    assert "at least 58% sure" in ann.page  # 0.30 p - 0.05 (1 - p) = 0.15 at 4/7
    where = (await ann.send("/begin")).url.path
    seen = []
    while where.startswith("/screen/"):
        seen.append("encourage" if "far better to abstain" in ann.page else "simple")
        await ann.send(where, start="1")
        answer = await ann.send(where, slider="0")
        if "<title>What it earned" in ann.page:
            total = "$0.40" if seen[-1] == "encourage" else "$0.30"
            assert f"This question earned you {total}" in ann.page
            assert "All your answers so far earned you" in ann.page
            assert "I abstain</td>" in ann.page
            answer = await ann.get("/next")
        where = answer.url.path
    assert seen == ["simple"] * 4 + ["encourage"] * 4
    assert "right for 0 of 4 questions, and you abstained at 4" in ann.page
    assert "earned you <b>$1.40</b>" in ann.page
    told = [float(one) for one in re.findall(r">\$(\d\.\d\d)</td>", ann.page)]
    assert (sorted(told[:-1]), told[-1]) == ([0.3, 0.3, 0.4, 0.4], 1.4)


async def test_hostile_texts_do_nothing_and_odd_snippets_have_no_place(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script>{{ 7 * 7 }}\u202e\"'><img src=x onerror=y>"
    side = Side(
        bad, SideArgument(bad, (bad, "not in there", "the ship", "ship is here")), SideArgument(bad, (bad,))
    )
    question = replace(made(1)[0], question=bad, passage=f"Here the ship is here. {bad}", sides=(side, side))
    study = Study(begun_debate(tmp_path, ["ann"], questions=[question] * 1), tmp_path)
    ann, where = await begun(study)
    pages = [ann.page]
    for _ in range(2):
        await ann.send(where, start="1")
        pages.append(ann.page)
        where = (await ann.send(where, slider=POINTS[0])).url.path
        pages.append(ann.page)
    for shown in pages:
        assert "<script>alert" not in shown
        assert "<img" not in shown
        assert "\u202e" not in shown
    assert "(#2) not in there" in pages[1]
    assert 'href="#aa2"' not in pages[1]
    anchors = re.findall(r'href="#([ac][ab]\d)"', pages[1])
    assert anchors
    assert all(f'id="{name}"' in pages[1] for name in anchors)


async def judged_to_the_end(study: Study, name: str) -> Browser:
    judge, where = await begun(study, name)
    while where.startswith("/screen/"):
        await judge.send(where, start="1")
        answer = await judge.send(where, slider="1")
        if "<title>What it earned" in judge.page:
            answer = await judge.get("/next")
        where = answer.url.path
    return judge


async def test_in_the_pilot_no_bonus_is_shown_before_all_judges_are_done(tmp_path: Path) -> None:
    study = Study(begun_debate(tmp_path, ["ann", "bob", "cem"], "pilot"), tmp_path)
    ann = await judged_to_the_end(study, "ann")
    bob = await judged_to_the_end(study, "bob")
    for judge in (ann, bob):
        assert "when all judges are done" in judge.page
        assert "earned you" not in judge.page
    study.ledger.set_state(study.ledger.annotator("cem"), "paused")
    assert "earned you" not in (await ann.get("/next")).text
    study.ledger.set_state(study.ledger.annotator("cem"), "dropped")  # is not waited for
    assert "earned you" in (await ann.get("/next")).text
    assert "To the last page" in (await bob.get(study.link("bob"))).text


async def test_the_survey_is_in_the_export_and_counted_and_can_be_changed(tmp_path: Path, cli: Cli) -> None:
    study = Study(begun_debate(tmp_path, ["ann", "bob", "cem"]), tmp_path)
    assert "third judgment" not in (await judged_to_the_end(study, "cem")).page
    for name in ("ann", "bob"):
        judge = await judged_to_the_end(study, name)
        for text in ("", "<b>a</b>\nb"):
            answers = {"q:first_judgment": text, "q:abstaining": "never", "q:other": "x"}
            assert (await judge.send("/survey", **answers)).status_code == 200
        assert "Your answers are saved" in judge.page
        assert "&lt;b&gt;a&lt;/b&gt;" in judge.page
        judge.page = ""
        assert (await judge.send("/survey", **{"q:abstaining": "not from a page"})).status_code == 403
    study.ledger.forget(study.ledger.annotator("bob"))
    file = tmp_path / "answers.csv"
    assert cli("labels", "export", tmp_path, "-o", file).code == 0
    assert [(row.annotator, row.question, row.answer) for row in read_survey(file)] == [
        ("p01", "first_judgment", "<b>a</b>\nb"),
        ("p01", "abstaining", "never"),
    ]
    outcomes = cli("debate", "two-turn", "outcomes", file, "--json")
    assert json.loads(outcomes.out)["survey"] == {"first_judgment": 1, "abstaining": 1}
