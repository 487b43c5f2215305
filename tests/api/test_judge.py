"""``judge`` and ``ajudge``: lists, files and frames in, judgments or frames out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conqret import DeclarationError, Judgments, ajudge, judge
from conqret.errors import UnknownNameError
from conqret.io import item_record
from tests.contract.items import DEMO, demo
from tests.judging.runs import said, write_items
from tests.server import FaultPlan, FaultServer

ITEMS = demo()[:3]


def test_items_dictionaries_an_iterator_and_a_file_give_the_same(tmp_path: Path) -> None:
    expected = said(judge(ITEMS))
    assert said(judge([item_record(item) for item in ITEMS])) == expected
    assert said(judge(item for item in ITEMS)) == expected
    path = write_items(tmp_path / "items.jsonl", ITEMS)
    assert said(judge(path)) == said(judge(str(path))) == expected


def test_judgments_are_a_sequence_with_numbers() -> None:
    result = judge(DEMO, format="direct", metrics=["groundedness"])
    assert isinstance(result, Judgments)
    assert len(result) == 24
    assert result[0].item == demo()[0].id
    assert [judgment.item for judgment in result[1:3]] == [item.id for item in demo()[1:3]]
    assert result.summary.scored == 24
    assert result.failures == ()
    assert result[demo()[3].id] == result[3]
    with pytest.raises(UnknownNameError, match="no judged item"):
        result["nobody"]
    assert set(result.scores()["metric"]) == {"groundedness"}


def rows() -> list[dict[str, Any]]:
    return [
        {
            "id": item.id,
            "topic": item.topic,
            "argument": item.argument,
            "documents": [d.text for d in item.documents],
        }
        for item in ITEMS
    ]


def test_a_polars_frame_comes_back_with_scores_and_explanations() -> None:
    data_frame = pl.DataFrame(rows())
    frame = judge(data_frame, format="direct", metrics=["groundedness"])
    assert isinstance(frame, pl.DataFrame)
    added = ("status", "reason", "groundedness", "groundedness_explanation")
    assert frame.columns == [*data_frame.columns, *added]
    assert frame.select(data_frame.columns).equals(data_frame)
    assert frame["groundedness"].is_between(0, 1).all()


def test_a_pandas_frame_keeps_its_columns_and_its_index() -> None:
    pd = pytest.importorskip("pandas")
    given = pd.DataFrame(rows(), index=["c", "a", "b"]).assign(status="mine")
    frame = judge(given, format="direct")
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.index) == ["c", "a", "b"]
    assert (list(frame["status"]), list(frame["judge_status"])) == (["mine"] * 3, ["scored"] * 3)
    assert frame["groundedness"].between(0, 1).all()
    assert list(given.columns) == [*rows()[0], "status"]


def test_every_row_of_a_long_table_gets_its_items_scores() -> None:
    names = ("qid", "query", "qanswer", "docno", "text")
    long = pl.DataFrame(
        [
            dict(zip(names, (item.id, item.topic, item.argument, one.id, one.text), strict=True))
            for item in ITEMS
            for one in item.documents
        ]
    )
    frame = judge(long, format="direct", metrics=["groundedness"])
    expected = {
        one.item: one.values["groundedness"]
        for one in judge(ITEMS, format="direct", metrics=["groundedness"])
    }
    assert frame.select(long.columns).equals(long)
    assert frame["groundedness"].to_list() == pytest.approx([expected[qid] for qid in long["qid"]])


def test_as_frames_pages_and_folders(tmp_path: Path) -> None:
    result = judge(ITEMS, format="direct", metrics=["groundedness"])
    wide = result.to_polars()
    assert wide["id"].to_list() == [item.id for item in ITEMS]
    assert wide["groundedness"].to_list() == [judgment.values["groundedness"] for judgment in result]
    assert list(result.to_pandas()["id"]) == wide["id"].to_list()
    page = result.report(tmp_path / "page.html")
    assert ITEMS[0].topic in page.read_text(encoding="utf-8")
    folder = result.save(tmp_path / "run")
    assert said(folder.judgments()) == said(result)
    assert folder.summary().metrics == result.summary.metrics
    assert judge(ITEMS, format="direct", metrics=["groundedness"], output=tmp_path / "run").session.kept == 3


async def test_inside_a_running_event_loop() -> None:
    assert said(judge(ITEMS)) == said(await ajudge(ITEMS))
    with pytest.raises(DeclarationError):
        judge(ITEMS, format="nonsense")


def test_what_the_world_does_is_no_exception() -> None:
    with FaultServer(FaultPlan(always="bad_json")) as server:
        result = judge(ITEMS, format="direct", model="openai/judge", api_base=server.url, api_key="sk-none")
    assert len(result.failures) == 3
    assert {judgment.reason for judgment in result} == {"invalid_json"}
    assert result.summary.metrics["groundedness"].mean is None


def test_an_unknown_setting_of_the_client_is_named() -> None:
    with pytest.raises(DeclarationError, match="did you mean 'max_concurrency'"):
        judge(ITEMS, max_concurency=4)
