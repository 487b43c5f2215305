"""Who gets what, and that what was answered stays: once, whatever happens."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.database import CorruptLabelsError
from conqret.labels.screens import ScreenTurn
from tests.labels.studies import begun


def next_of(ledger: Ledger, name: str) -> ScreenTurn:
    turn = ledger.next(ledger.annotator(name))
    assert turn is not None
    return turn


def rate(ledger: Ledger, name: str, value: str = "4", comment: str = "") -> ScreenTurn:
    turn = next_of(ledger, name)
    ledger.answer(ledger.annotator(name), turn, {"overall_quality": value}, comment, turn.revision)
    return turn


def test_fifty_people_at_a_time_get_no_screen_too_often(tmp_path: Path) -> None:
    names = [f"person {n}" for n in range(50)]
    ledger = begun(tmp_path, 40, names, overlap=3)

    def work(name: str) -> None:
        person = ledger.annotator(name)
        while (turn := ledger.next(person)) is not None:
            ledger.answer(person, turn, {"overall_quality": "3"}, "", turn.revision)

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(record.screen.item for record in ledger.finished_answers()) == Counter(
        {f"item-{n}": 3 for n in range(40)}
    )


def test_who_is_dropped_is_in_no_export_and_others_get_the_screens(tmp_path: Path) -> None:
    ledger = begun(tmp_path, 4, ("anna", "ben"), overlap=1)
    for _ in range(4):
        rate(ledger, "anna")
    assert ledger.next(ledger.annotator("ben")) is None
    ledger.set_state(ledger.annotator("anna"), "dropped", "answered all in a minute")
    assert list(ledger.finished_answers()) == []
    rate(ledger, "ben")
    ledger.set_state(ledger.annotator("anna"), "active")
    assert Counter(record.annotator.name for record in ledger.finished_answers()) == {"anna": 3, "ben": 1}
    assert ("dropped", "anna: answered all in a minute") in [event[1:] for event in ledger.events()]


def test_what_was_given_and_not_answered_goes_to_others(tmp_path: Path) -> None:
    ledger = begun(tmp_path, 1, ("anna", "ben"), overlap=1)
    turn = next_of(ledger, "anna")
    assert ledger.next(ledger.annotator("ben")) is None
    assert ledger.reassign(ledger.annotator("anna")) == 1
    rate(ledger, "ben")
    with pytest.raises(DeclarationError, match="another annotator"):
        ledger.answer(ledger.annotator("anna"), turn, {"overall_quality": "1"}, "", 0)
    assert [record.annotator.name for record in ledger.finished_answers()] == ["ben"]


def test_who_wants_to_be_forgotten_is_in_no_byte_of_the_folder(tmp_path: Path) -> None:
    ledger = begun(tmp_path, 3, ("annabella", "ben"), overlap=1)
    rate(ledger, "annabella", comment="a remark of hers")
    ledger.set_state(ledger.annotator("annabella"), "paused", "asked to")
    assert ledger.forget(ledger.annotator("annabella")) == 1
    for state in ("active", "dropped"):
        with pytest.raises(DeclarationError, match="deleted on request"):
            ledger.set_state(ledger.annotator("p01"), state)
    ledger.close()
    everything = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"annabella" not in everything
    assert b"a remark of hers" not in everything
    again = Ledger(tmp_path)
    assert [person.name for person in again.annotators()] == ["deleted p01", "ben"]
    for _ in range(3):
        rate(again, "ben")


def test_another_study_is_refused_and_the_same_goes_on(tmp_path: Path) -> None:
    rate(begun(tmp_path), "anna")
    assert begun(tmp_path, people=("anna", "ben", "carl", "dora")).wanted()[0] == 1
    with pytest.raises(DeclarationError, match="another study: items differ"):
        begun(tmp_path, 5)
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "labels.sqlite").write_text("no database at all, but a text" * 100)
    with pytest.raises(CorruptLabelsError, match="file is not a database"):
        Ledger(tmp_path / "text")
    with pytest.raises(DeclarationError, match="contains no labels"):
        Ledger(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("people", "overlap", "says"),
    [
        (("anna", "anna"), 1, "two annotators"),
        (("a\x1bb",), 1, "printable"),
        (("P02", "ben"), 1, "pseudonym"),
    ],
)
def test_what_cannot_be_a_study(tmp_path: Path, people: tuple[str, ...], overlap: int, says: str) -> None:
    with pytest.raises(DeclarationError, match=says):
        begun(tmp_path, people=people, overlap=overlap)


def test_a_clock_that_is_set_makes_no_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = begun(tmp_path, 2, ("anna",), overlap=1)
    next_of(ledger, "anna")
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3_600)
    rate(ledger, "anna")
    turn = next_of(ledger, "anna")
    ledger.start(ledger.annotator("anna"), turn)
    ledger.close()
    monkeypatch.setattr(time, "time", lambda: real() - 7_200)
    again = Ledger(tmp_path)  # the server is started again meanwhile
    rate(again, "anna")
    assert all(0 <= one.seconds < 10 for one in again.finished_answers())
    assert len(list(again.finished_answers())) == 2


KILLED = """
import sys
from pathlib import Path
from conqret.labels.answer_ledger import Ledger
ledger = Ledger(Path(sys.argv[1]))
anna = ledger.annotator("anna")
while (turn := ledger.next(anna)) is not None:
    ledger.answer(anna, turn, {"overall_quality": "5"}, "", turn.revision)
    print(turn.screen.item, flush=True)
"""


def test_killed_at_any_moment_what_was_confirmed_is_there(tmp_path: Path) -> None:
    begun(tmp_path, 200, ("anna",), overlap=1).close()
    confirmed = []
    for lines in (1, 17):
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        confirmed += [process.stdout.readline().strip() for _ in range(lines)]
        os.kill(process.pid, signal.SIGKILL)
        confirmed += process.stdout.read().split()
        process.wait()
    kept = Counter(one.screen.item for one in Ledger(tmp_path).finished_answers())
    assert set(confirmed) <= set(kept)
    assert set(kept.values()) == {1}


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(("anna", "ben", "carl")),
            st.sampled_from(("next", "answer", "answer", "back", "drop", "undo", "reassign")),
        ),
        max_size=40,
    )
)
def test_whatever_is_done_the_room_is_what_is_not_taken(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str]]
) -> None:
    ledger = begun(tmp_path_factory.mktemp("study"), 5, overlap=2)
    for name, what in steps:
        person = ledger.annotator(name)
        turn = ledger.next(person)
        if what == "answer" and turn is not None:
            ledger.answer(person, turn, {"overall_quality": "3"}, "", turn.revision)
        elif what == "back" and (last := ledger.before(person, 10**9)) is not None:
            found = ledger.turn(person, last)
            assert found is not None
            ledger.draft(person, found, {}, found.revision)
        elif what in ("drop", "undo"):
            ledger.set_state(person, "dropped" if what == "drop" else "active")
        elif what == "reassign":
            ledger.reassign(person)
    rooms = ledger._database.rows("SELECT number, room FROM screens")
    for row in rooms:
        taken = ledger._database.rows(
            "SELECT COUNT(*) AS n FROM turns WHERE screen = ? AND state IN ('given', 'done')",
            (row["number"],),
        )
        assert row["room"] == 2 - taken[0]["n"] >= 0
    ledger.close()
