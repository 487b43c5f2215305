"""The pages on which people write counter-arguments."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from conqret.debate.two_turn.debate_judge import DebateJudgment, DebateRequest
from conqret.debate.two_turn.slider_answers import SliderAnswer
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion, read_two_turn
from conqret.debate.two_turn.writer_scores import check_judged, feedback, score_writers
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.study_access import Setting
from conqret.labels.study_screens import items_of, planned_screens
from conqret.labels.written_arguments import Draft, planned_writing, written
from tests.cli.conftest import Cli
from tests.labels.debates import DEBATES, begun_writing, made
from tests.web.test_annotating import Study

pytest.importorskip("starlette")
WRITERS = ("ann", "bob")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(begun_writing(tmp_path), tmp_path)


@pytest.mark.parametrize(("count", "passages", "writers"), [(4, 2, 2), (9, 3, 3)])
def test_both_arguments_of_each_question_are_answered_by_two_people(
    count: int, passages: int, writers: int
) -> None:
    screens = planned_writing(made(count, passages), writers)
    assert Counter((screen.item, screen.against) for screen in screens) == Counter(
        (f"q{n}", against) for n in range(count) for against in (1, 2)
    )
    assert len({(screen.item, screen.person) for screen in screens}) == 2 * count
    for person in range(1, writers + 1):
        for passage in range(passages):
            own = [
                screen.against
                for screen in screens
                if screen.person == person and int(screen.item[1:]) % passages == passage
            ]
            assert own == sorted(own)
            assert abs(own.count(1) - own.count(2)) <= 1


async def test_from_a_draft_to_debates_that_are_read(study: Study, cli: Cli, tmp_path: Path) -> None:
    questions = {one.id: one for one in read_two_turn(DEBATES)}
    for name in WRITERS:
        writer = study.browser()
        where = await writer.begin(study.link(name))
        while where.startswith("/screen/"):
            turn = study.ledger.turn(study.ledger.annotator(name), int(where.rpartition("/")[2]))
            assert turn is not None
            question = questions[turn.screen.item]
            assert f"Write against {'AB'[turn.screen.against - 1]}" in writer.page
            quoted = question.passage[:30].replace(" ", "  ")
            await writer.send(where, text="It fails", snippet=quoted, add="1")
            assert "(#1)" in writer.page
            await writer.send(where, text="It fails", snippet="never written", add="1")
            assert "not in the text" in writer.page
            await writer.send(where, text="It fails (#2).", keep="1")
            assert "cites #2" in writer.page
            await writer.get(where)
            where = (await writer.send(where, text=f"It fails (#1), says {name}.", keep="1")).url.path
    whole, lacking = written(study.ledger)
    assert not lacking
    study.ledger.close()
    assert cli("labels", "export", tmp_path, "-o", tmp_path / "debates.jsonl").code == 0
    read = read_two_turn(tmp_path / "debates.jsonl")
    assert read == tuple(whole)
    for debate in read:
        assert [side.counter.text for side in debate.sides if side.counter] == [
            f"It fails (#1), says {WRITERS[int(debate.writers[n][1:]) - 1]}." for n in (1, 0)
        ]
        assert debate.sides[0].counter is not None
        assert debate.sides[0].counter.snippets == (debate.passage[:30].strip(),)
    assert {debate.writers for debate in read} == {("p01", "p02"), ("p02", "p01")}


async def test_drafts_are_kept_and_in_no_export_and_snippets_are_removed(
    study: Study, cli: Cli, tmp_path: Path
) -> None:
    ann = study.browser()
    where = await ann.begin(study.link("ann"))
    for nothing in ("", "(#" + "9" * 4_900 + ")", "(#0)"):
        assert (await ann.send(where, text=nothing, keep="1")).status_code == 422
        await ann.get(where)
    await ann.send(where, text="half", snippet="the", add="1")
    old = ann.page
    await ann.send(where, text="half a", remove="9" * 5_000)
    assert "(#1) the " in ann.page.split('id="answer"')[1]
    await ann.send(where, text="half a", remove="1")
    assert "(#1) the " not in ann.page.split('id="answer"')[1]
    ann.page = old
    assert (await ann.send(where, text="another", draft="1")).status_code == 409
    again = study.browser()
    assert await again.begin(study.link("ann")) == where
    assert "half a</textarea>" in again.page
    assert list(study.ledger.finished_answers()) == []
    done = cli("labels", "export", tmp_path, "-o", tmp_path / "debates.jsonl")
    assert (done.code, "both of its counter-arguments" in done.err) == (2, True)


async def test_writers_practise_and_go_on_when_it_was_read(cli: Cli, tmp_path: Path) -> None:
    practice = [
        replace(one, id=f"practice-{one.id}", sides=(one.sides[0], replace(one.sides[1], option="no")))
        for one in made(2)
    ]
    found = Study(begun_writing(tmp_path / "study", WRITERS, practice), tmp_path / "study")
    ann = found.browser()
    await ann.get(found.link("ann"))
    assert "First come 4 counter-arguments on another text" in ann.page
    where = (await ann.send("/begin")).url.path
    sides = []
    for nth in range(4):
        assert f"Practice: {nth} of 4 written" in ann.page
        sides.append("Write against A" in ann.page)
        where = (await ann.send(where, text=f"No, it is not ({nth}).", keep="1")).url.path
    assert sides == [True, True, False, False]
    assert "Your practice is being reviewed" in ann.page
    assert [(annotator.state, annotator.practised) for annotator in found.ledger.annotators()] == [
        ("waiting", "to be read"),
        ("active", ""),
    ]
    assert written(found.ledger) == ([], [one.id for one in read_two_turn(DEBATES)])
    file = tmp_path / "practice.jsonl"
    done = cli("labels", "export", tmp_path / "study", "--practice", "-o", file)
    assert (done.code, "--rubric" in done.out) == (0, True)
    read = read_two_turn(file)
    assert [(debate.id, debate.writers) for debate in read] == [
        (f"practice-q{n}-p01", ("p01", "p01")) for n in range(2)
    ]
    graded = planned_screens(items_of(file, "counter-argument"), "counter-argument").screens
    assert len(graded) == 4
    assert any("No, it is not (0)." in passage.text for passage in graded[0].passages)
    assert cli("labels", "manage", tmp_path / "study", "resume", "ann").code == 0
    await ann.get("/next")
    assert "0 of 4 written" in ann.page
    assert "Practice" not in ann.page


def written_by_all(ledger: Ledger) -> list[TwoTurnQuestion]:
    """The debates, once everybody has written everything."""
    for person in ledger.annotators():
        while (turn := ledger.next(person)) is not None:
            draft = Draft(f"No, says {person.name} of {turn.screen.part}.")
            ledger.answer(person, turn, draft.answers(), "", turn.revision)
    return written(ledger)[0]


def judged_by(judges: int, debates: Sequence[TwoTurnQuestion]) -> list[SliderAnswer]:
    """Answers of so many judges, all over the slider; some are not given, and the first judgments count nothing."""
    answers: list[SliderAnswer] = []
    for debate, condition, turn, nth in itertools.product(debates, ("PS", "PSA"), (1, 2), range(judges)):
        asking = DebateRequest(debate, condition, turn, "simple", swapped=nth % 2 == 1)
        slider = (len(answers) * 5) % 8 - 3
        given = replace(
            asking.answer(f"p{nth + 1:02}", DebateJudgment(id=debate.id, slider=min(slider, 3))), reason=""
        )
        answers.append(given if slider < 4 else replace(given, slider=None, reason="late"))
    return answers


async def test_a_writer_is_told_how_judges_took_each_text_and_what_it_earned(
    study: Study, tmp_path: Path
) -> None:
    ledger = study.ledger
    answers = judged_by(3, written_by_all(ledger))
    check_judged(ledger, answers)
    paid = {
        score_writer.writer: score_writer.right.dollars + score_writer.wrong.dollars
        for score_writer in score_writers(answers)
    }
    for person in ledger.annotators():
        taken = feedback(ledger, person, answers)
        assert len(taken) == 4
        assert float(sum(place.dollars for place in taken)) == pytest.approx(paid[person.pseudonym], abs=1e-9)
        for place in taken:
            assert place.dollars == Fraction("0.20" if place.right else "0.75") * place.followed
            assert 0 <= place.followed <= place.judges <= 3
        assert {place.right for place in taken} == {True, False}
    bob = Study(ledger, tmp_path, Setting(judged=answers)).browser()
    first = await bob.get(study.link("bob"))
    last = await bob.send("/begin")
    for page in (first, last):
        assert "How your counter-arguments did" in page.text
        assert f"${paid['p02']:.2f}" in page.text
    assert last.url.path == "/next"
    assert "You have written 4 counter-arguments" in last.text
    assert "counter-arguments did" not in (await study.browser().get(study.link("bob"))).text


def test_answers_on_other_debates_tell_nobody_anything(study: Study) -> None:
    others = [replace(one, writers=("p08", "p09")) for one in written_by_all(study.ledger)]
    with pytest.raises(DeclarationError, match="judge no text of this study"):
        check_judged(study.ledger, judged_by(1, others))
    with pytest.raises(DeclarationError, match="names the writer"):
        check_judged(study.ledger, judged_by(1, read_two_turn(DEBATES)))
