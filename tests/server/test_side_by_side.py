"""The comparison with other libraries: what its table says of runs, and what its server sends."""

import importlib
import json
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def part(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return lambda name: importlib.import_module(f"side_by_side.{name}")


@pytest.fixture
def trial(part):
    def make(library, kind, items=3, **fields):
        counts = {"calls": 2 * items, "embeddings": 0, "characters": 300 * items}
        scores = {str(place): [0.5, 1.0] for place in range(items)}
        made = {
            "scores": scores,
            "counts": counts,
            "version": "1.2",
            "seconds": items / 4,
            "cpu": items / 100,
        }
        return part("trials").Trial(library, kind, **made | fields)

    return make


def _cells(tables):
    """The rows of both tables, each library's cells by the heads of their columns."""
    found: dict[str, dict[str, str]] = {}
    for table in tables.strip().split("\n\n"):
        head, _, *rows = ([one.strip() for one in line.strip("|").split("|")] for line in table.splitlines())
        for row in rows:
            found.setdefault(row[0], {}).update(zip(head, row, strict=True))
    return list(found.values())


def test_a_row_says_what_a_further_item_takes_and_what_became_of_faults_and_kills(part, trial):
    bad = {"0": [0.5, 1.0], "1": [None, 1.0], "2": [0.0, 1.0]}
    killed = {"calls": 9, "before": 3, "under_way": 2, "again": 1}
    runs = [
        *(trial("conqret", kind, size) for kind, size in (("one", 1), ("plain", 3))),
        trial("ragas", "one", 1),
        trial("ragas", "plain", 3, seconds=4.25),
        trial("ragas", "faults", scores=bad, counts={"calls": 8, "faults": 2}),
        trial("ragas", "killed", counts=killed),
    ]
    own, other = _cells(part("page").table(runs, ["conqret", "ragas"]))
    speed = "items a second over all, beside conqret's"
    assert (own[speed], other[speed]) == ("1.00", "0.18")
    assert (own["CPU, ms a further call"], own["CPU, ms a further item"]) == ("5.0", "10")
    assert (other["calls an item"], other["prompt characters an item"]) == ("2", "300")
    assert other["with faults: questions that met one"] == "2 of 8"
    assert other["both scores, of 3 items"] == "2"
    assert other["of these, not the score without faults"] == "1"
    assert other["after kill -9: asked again, of those asked before (under way)"] == "1 of 3 (2)"
    assert own["both scores, of 3 items"] == "–"


def test_a_library_that_gives_nothing_is_in_the_table_with_the_reason(part, trial):
    runs = [
        *(trial("conqret", kind, size) for kind, size in (("one", 1), ("plain", 3))),
        trial("ragas", "installed", scores={}, fault="no such release"),
        trial("deepeval", "plain", scores={}, fault="ModuleNotFoundError: no openai"),
        *(trial("trulens", kind, size) for kind, size in (("one", 1), ("plain", 3))),
        trial("trulens", "faults", scores={}, fault="stopped after 900 s", counts={"calls": 8, "faults": 2}),
    ]
    rows = _cells(part("page").table(runs, ["conqret", "ragas", "deepeval", "trulens"]))
    assert [row["calls an item"] for row in rows[1:3]] == [
        "cannot be installed: no such release",
        "cannot be run: ModuleNotFoundError: no openai",
    ]
    assert "none: stopped after 900 s" in rows[3].values()


def test_every_library_has_a_driver_and_a_note(part):
    page, names = part("page"), list(part("environments").libraries())
    assert set(page.NOTES) == set(names)
    assert all(page._asked(name) for name in names)


def test_an_answer_that_is_cut_is_incomplete_in_responses_too(part):
    server = part("server")
    body = {"model": "m", "input": [{"role": "user", "content": "?"}], "text": {"format": {"schema": {}}}}
    assert server._as_chat(body)["response_format"]["json_schema"] == {"schema": {}}
    peer = server.PeerServer(server.FaultPlan(), 0.0)
    schema = {"type": "object", "properties": {"score": {"type": "integer"}}}
    asked = server._as_chat({**body, "text": {"format": {"schema": schema}}})
    answer = peer._body(asked, "0" * 64, None)
    assert json.loads(answer["output"][0]["content"][0]["text"]) == {"score": server.SCORE}
    cut = peer._body(asked, "0" * 64, "truncated")
    assert (answer["status"], cut["status"]) == ("completed", "incomplete")
