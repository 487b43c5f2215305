"""Questions as a run: rows kept as they come, what failed asked again, another question refused."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel

from conqret.data import Reason
from conqret.io.safe_files import Content
from conqret.llm.request import Answer
from conqret.runs.engine import run
from conqret.runs.session import Session
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome, StudyPlan
from conqret.runs.trials import Trial


class Number(BaseModel):
    number: int


class Row(ResponseRow):
    number: int | None = None


class Record(AskedRecord):
    SAME: ClassVar[Mapping[str, str]] = {**AskedRecord.SAME, "asked": "numbers"}

    kind: str = "numbers"


@dataclass(frozen=True)
class Folder(AskedFolder[Record, Row]):
    COMMAND: ClassVar[str] = "conqret numbers"


@dataclass(frozen=True)
class Numbers(StudyPlan[Row, int]):
    names: Sequence[str]
    work: Callable[[Mapping[str, Row]], Coroutine[Any, Any, Row]]

    def record(self) -> Record:
        assert isinstance(self.models, Session)
        return Record.of(self.models, {"perspective-detection": Number}, self.names)

    def trials(self) -> list[Trial[Row]]:
        return [Trial(name, self.work) for name in self.names]

    def conclude(self, rows: tuple[Row, ...]) -> tuple[int, Mapping[Path, Content]]:
        return len(rows), {}


@pytest.fixture
def session() -> Iterator[Session]:
    with Session("offline") as opened:
        yield opened


def ask(
    folder: Folder, names: Sequence[str], session: Session, good: bool = True, **options: bool
) -> tuple[StudyOutcome[Row, int], list[str], int]:
    done: list[str] = []
    before: list[int] = []

    async def work(earlier: Mapping[str, Row]) -> Row:
        value = Number(number=len(done)) if good or done else None
        return Row.of(names[len(done)], Answer(value, (), detail="" if value else "it broke"))

    found = run(
        Numbers(session, folder, names, work), **options,
        on_start=lambda client, kept: before.append(kept), on_row=lambda row: done.append(row.id),
    )  # fmt: skip
    return found, done, before[0]


def test_what_has_no_answer_is_asked_again_and_the_rest_is_kept(tmp_path: Path, session: Session) -> None:
    folder = Folder(tmp_path / "run")
    first, done, kept = ask(folder, "abc", session, good=False)
    assert (done, kept) == (["a", "b", "c"], 0)
    assert first.rows[0] == Row(id="a", reason=Reason.INVALID_ANSWER, detail="it broke")
    assert [row.answered for row in first.rows] == [False, True, True]
    assert (first.summary, first.lost) == (3, {"invalid_answer": 1})
    again, done, kept = ask(folder, "abc", session)
    assert (done, kept, again.session.kept) == (["a"], 2, 2)
    assert again.lost == {}
    assert [(row.id, row.number) for row in again.rows] == [("a", 0), ("b", 1), ("c", 2)]
    assert ask(folder, "abc", session)[1] == []


def test_the_record_is_of_prompt_schema_and_what_is_shown(session: Session) -> None:
    one = Record.of(session, {"perspective-detection": Number}, ["\ud800"])
    assert one.differences(Record.of(session, {"perspective-detection": Number}, ["\ud800"])) == []
    other = Record.of(session, {"perspective-detection": Row}, ["b"])
    assert one.differences(other) == ["answer schema", "numbers"]
    assert one.differences(Record.of(session, {"debate-judge": Number}, ["\ud800"])) == [
        "prompt",
        "answer schema",
    ]
