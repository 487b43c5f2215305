"""The pages on which people write counter-arguments."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from conqret.annotation.counter_arguments import planned_writing, writing_study, written
from conqret.errors import DeclarationError
from conqret.io.two_turn import read_two_turn
from tests.annotation.debates import DEBATES, begun_writing, made
from tests.cli.conftest import Cli
from tests.web.test_annotating import Study

pytest.importorskip("starlette")
WRITERS = ("ann", "bob")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(begun_writing(tmp_path), tmp_path)


@pytest.mark.parametrize(("count", "passages", "writers"), [(4, 2, 2), (7, 1, 2), (9, 3, 3), (1, 1, 5)])
def test_both_arguments_of_each_question_are_answered_by_two_people(
    count: int, passages: int, writers: int
) -> None:
    screens = planned_writing(made(count, passages), writers)
    assert Counter((one.item, one.against) for one in screens) == Counter(
        (f"q{n}", against) for n in range(count) for against in (1, 2)
    )
    by_question = {(one.item, one.person) for one in screens}
    assert len(by_question) == 2 * count
    for person in range(1, writers + 1):
        for passage in range(passages):
            own = [
                one.against
                for one in screens
                if one.person == person and int(one.item[1:]) % passages == passage
            ]
            assert own == sorted(own)
            assert abs(own.count(1) - own.count(2)) <= 1


async def test_from_a_draft_to_debates_that_are_read(study: Study, cli: Cli, tmp_path: Path) -> None:
    questions = {one.id: one for one in read_two_turn(DEBATES)}
    for name in WRITERS:
        writer = study.browser()
        where = await writer.begin(study.link(name))
        while where.startswith("/screen/"):
            turn = study.ledger.turn(study.ledger.person(name), int(where.rpartition("/")[2]))
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
    assert cli("annotate", "export", tmp_path, "-o", tmp_path / "debates.jsonl").code == 0
    read = read_two_turn(tmp_path / "debates.jsonl")
    assert read == tuple(whole)
    for one in read:
        assert [side.counter.text for side in one.sides if side.counter] == [
            f"It fails (#1), says {WRITERS[int(one.writers[n][1:]) - 1]}." for n in (1, 0)
        ]
        assert one.sides[0].counter is not None
        assert one.sides[0].counter.snippets == (one.passage[:30].strip(),)
    assert {one.writers for one in read} == {("p01", "p02"), ("p02", "p01")}


async def test_drafts_are_kept_and_in_no_export_and_snippets_are_removed(
    study: Study, cli: Cli, tmp_path: Path
) -> None:
    ann = study.browser()
    where = await ann.begin(study.link("ann"))
    assert (await ann.send(where, text="", keep="1")).status_code == 422
    await ann.get(where)
    await ann.send(where, text="half", snippet="the", add="1")
    old = ann.page
    await ann.send(where, text="half a", remove="1")
    assert "(#1) the " not in ann.page.split('id="answer"')[1]
    ann.page = old
    assert (await ann.send(where, text="another", draft="1")).status_code == 409
    again = study.browser()
    assert await again.begin(study.link("ann")) == where
    assert "half a</textarea>" in again.page
    assert list(study.ledger.given()) == []
    assert json.loads(study.ledger.turn(study.ledger.person("ann"), 1).answers["snippets"]) == []  # type: ignore[union-attr]
    done = cli("annotate", "export", tmp_path, "-o", tmp_path / "debates.jsonl")
    assert (done.code, "both of its counter-arguments" in done.err) == (2, True)


def test_who_cannot_write_on_what() -> None:
    with pytest.raises(DeclarationError, match="two people write"):
        writing_study(made(2), ["ann"])
    with pytest.raises(DeclarationError, match="two people are called"):
        writing_study(made(2), ["ann", "ann"])
