"""Every command that executes a plan can hand its questions in as batches; the run is the one that asks at once. (That
of workers of a cluster is in tests/llm/test_ray.py.)"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from conqret.io.trec import ScoredDoc, write_run
from tests.cli.conftest import Cli
from tests.cli.test_curate import corpus as corpus
from tests.cli.test_debate_hold import TOPICS, said
from tests.generation.corpora import write_corpus
from tests.server.answers import fill, schema_of
from tests.server.app import FaultServer
from tests.server.batches import BatchServer

FIXTURES = Path(__file__).parents[2] / "fixtures"

HOW = {"session", "trace", "created", "calls", "usage", "cost", "cost_usd"}
"""What says how and when something was asked."""


class Case(NamedTuple):
    """A command: its arguments in a folder, what the model answers, how many batches it takes one after the other, and
    how many questions are asked in all."""

    arguments: Callable[[Path], tuple[object, ...]]
    answer: Callable[[Mapping[str, Any]], Any]
    batches: int
    asked: int


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def filled(body: Mapping[str, Any]) -> Any:
    """Whatever fits the schema; it depends on the messages alone."""
    schema = schema_of(body)
    return "Views differ." if schema is None else fill(schema, random.Random(json.dumps(body["messages"])))


def curated(body: Mapping[str, Any]) -> Any:
    views = [{"point_of_view": f"View {n}.", "documents": [n]} for n in (1, 2, 3)]
    found = {
        "queries": ["homework helps"],
        "ranking": [1, 2, 3],
        "points_of_view": views,
        "explanation": "It is so.",
    }
    return {name: found[name] for name in schema_of(body)["properties"]}  # type: ignore[index]


def argued(body: Mapping[str, Any]) -> Any:
    premises = [{"text": "It was so in 2019.", "citations": [1]}]
    return {"conclusions": [{"conclusion": "It helps.", "premises": premises}], "left_out": []}


def of_corpus(folder: Path) -> tuple[object, ...]:
    write_corpus(folder / "corpus")
    write_run(folder / "pro.res", [ScoredDoc("buses", f"buses-{n}", 9.0 - n) for n in (1, 2, 3)])
    return "generate", "arguments", folder / "corpus", "--run", folder / "pro.res", "--stance", "pro"


def of_arguments(folder: Path) -> tuple[object, ...]:
    rows = [{"id": f"i{n}", "topic": f"Topic {n // 2}?", "argument": f"So it is {n}."} for n in range(6)]
    return "tournament", written(folder / "items.jsonl", rows), "--comparisons", "2"


def of_items(folder: Path) -> tuple[object, ...]:
    argument = "So it is {} [1]. It was so before."
    rows = [
        {"id": f"i{n}", "topic": f"Topic {n}?", "documents": ["One. Two."], "argument": argument.format(n)}
        for n in range(6)
    ]
    probed = "--probe injection --format direct --metric groundedness".split()
    return ("bias", written(folder / "items.jsonl", rows), *probed)


CASES = {
    "generate": Case(of_corpus, argued, 1, 1),
    "hold": Case(
        lambda folder: ("debate", "hold", written(folder / "t.jsonl", TOPICS), "--arguments", 2), said, 6, 20
    ),
    "tournament": Case(of_arguments, filled, 2, 6),
    "bias": Case(of_items, filled, 1, 24),
    "suite": Case(
        lambda folder: ("judges", "test", "judgebench", "--from", FIXTURES.parent / "tests/fixtures/suites"),
        filled,
        1,
        10,
    ),
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def contents(folder: Path) -> dict[str, Any]:
    """The rows and results of a run, without what says when and how."""
    found: dict[str, Any] = {
        file.name: pl.read_parquet(file).to_dicts() for file in folder.glob("scores.parquet")
    }
    for file in sorted([*folder.rglob("*.jsonl"), *folder.rglob("*.json")]):
        if file.name != "run.json" and "batches" not in file.name:
            lines = (
                file.read_text(encoding="utf-8").splitlines()
                if file.suffix == ".jsonl"
                else [file.read_text()]
            )
            found[file.name] = [_bare(json.loads(line)) for line in lines]
    return found


def _bare(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: _bare(entry) for name, entry in data.items() if name not in HOW}
    return [_bare(entry) for entry in data] if isinstance(data, list) else data


def at_once(cli: Cli, case: Case, arguments: tuple[object, ...], out: Path) -> dict[str, Any]:
    """What the run comes to that asks at once."""
    with FaultServer(answer=case.answer) as server:
        done = cli(*arguments, "--model", "openai/m", "--api-base", server.url, "-o", out)
        assert done.code == 0, done.err
        assert len(server.requests) == case.asked
    return contents(out)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_batches_are_handed_in_and_collected_until_all_is_there(cli: Cli, case: Case, tmp_path: Path) -> None:
    arguments, out = case.arguments(tmp_path), tmp_path / "batched"
    with BatchServer(answer=case.answer) as server:
        call = (*arguments, "--model", "openai/m", "--api-base", server.url, "-o", out, "--batch")
        server.status = "completed"
        for _ in range(case.batches):
            done = cli(*call, "--json")
            assert done.code == 0, done.err
            assert json.loads(done.out)["outstanding"] > 0
        done = cli(*call)
        assert done.code == 0, done.err
        assert "wait for a batch" not in done.err
        assert server.requests == []
        assert len(server.batches) == case.batches
        assert sum(map(len, server.batches.values())) == case.asked
    assert contents(out) == at_once(cli, case, arguments, tmp_path / "at-once")


def test_steps_of_a_question_are_batches_one_after_the_other(cli: Cli, corpus: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text("".join((FIXTURES / "questions.jsonl").open().readlines()[4:6]))
    command = ("debateqa", "curate", questions, "--corpus", corpus)
    case = Case(lambda folder: command, curated, 4, 2 * (1 + 1 + 1 + 3))
    test_batches_are_handed_in_and_collected_until_all_is_there(cli, case, tmp_path)
