"""Questions as a run: rows kept as they come, what failed asked again, another question refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel

from conqret.data import Reason
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import Run
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome


class Number(BaseModel):
    number: int


class Row(ResponseRow):
    number: int | None = None


class Record(RequestRecord):
    SAME: ClassVar[Mapping[str, str]] = {**RequestRecord.SAME, "asked": "numbers"}

    kind: str = "numbers"


@dataclass(frozen=True)
class Folder(RequestFolder[Record, Row]):
    COMMAND: ClassVar[str] = "conqret numbers"


class Seen:
    """Looks on: the ids of the rows that are made, and how many were there before."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.kept = 0

    def start(self, run: Any, kept: int) -> None:
        self.kept = kept

    def advance(self, row: Row) -> None:
        self.done.append(row.id)


def ask(
    folder: Folder, names: Sequence[str], good: bool = True
) -> tuple[StudyOutcome[Row, int], list[str], int]:
    seen = Seen()

    async def row(run: Run[Row], name: str) -> Row:
        async def made() -> Row:
            value = Number(number=len(seen.done)) if good or seen.done else None
            return Row.from_answer(name, Answer(value, (), detail="" if value else "it broke"))

        return await run.row(name, made)

    prompts = {"perspective-detection": RunPrompt(Number, "count", 1)}
    with Run(
        folder, [ClientOptions("offline")], prompts, {"watch": seen}, contents=names, total=len(names)
    ) as run:
        run.request_all(row(run, name) for name in names)
        return run.finish(lambda rows: (len(rows), {})), seen.done, seen.kept


def test_what_has_no_answer_is_asked_again_and_the_rest_is_kept(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "run")
    first, done, kept = ask(folder, "abc", good=False)
    assert (done, kept) == (["a", "b", "c"], 0)
    assert first.rows[0] == Row(id="a", reason=Reason.INVALID_ANSWER, detail="it broke")
    assert [row.answered for row in first.rows] == [False, True, True]
    assert (first.summary, first.lost) == (3, {"invalid_answer": 1})
    again, done, kept = ask(folder, "abc")
    assert (done, kept, again.session.kept) == (["a"], 2, 2)
    assert again.lost == {}
    assert [(row.id, row.number) for row in again.rows] == [("a", 0), ("b", 1), ("c", 2)]
    assert ask(folder, "abc")[1] == []
