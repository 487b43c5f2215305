"""Judging debates as a run: recorded, resumable, its answers in a table for ``conqret debate table`` and ``anova``.

Beside ``run.json`` and ``recordings.sqlite`` the folder holds ``rows.jsonl`` (the answers as they came, with their
explanations), ``answers.jsonl`` (a row for each judgment on the slider), ``floors.jsonl`` (the same of the judges that
understand nothing) and ``summary.json`` (what came of both).
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from conqret._optional import require
from conqret.debate.floors import SEED, floors
from conqret.debate.judging import PROMPT, Asking, Judged, Slid, ask_all
from conqret.debate.outcomes import Outcomes, Standing, outcomes, standings
from conqret.io.atomic import replacing
from conqret.io.slider_answers import SliderAnswer
from conqret.llm.client import Client
from conqret.llm.keys import schema_digest
from conqret.runs.folder import SUMMARY, RunFolder, RunRecord
from conqret.runs.rows import RowStore
from conqret.runs.session import Session, SessionCounts

ROWS, ANSWERS, FLOORS = "rows.jsonl", "answers.jsonl", "floors.jsonl"


class JudgedRecord(RunRecord):
    """What ``run.json`` says of judged debates: all that decides what is asked."""

    SAME: ClassVar[Mapping[str, str]] = {
        "model": "model",
        "identity": "model settings",
        "prompt": "prompt",
        "answer_schema": "answer schema",
        "asked": "questions, design or instructions",
    }

    kind: str = "debate-judge"
    model: str
    baseline: bool
    identity: dict[str, Any]
    prompt: str
    answer_schema: str
    asked: str

    @classmethod
    def of(cls, asked: Sequence[Asking], session: Session) -> JudgedRecord:
        """The record of asking for these judgments."""
        shown = json.dumps([(one.key, one.question.record()) for one in asked])
        return cls(
            model=session.options.model,
            baseline=session.options.backend.baseline,
            identity=dict(session.options.identity),
            prompt=session.library[PROMPT].digest,
            answer_schema=schema_digest(Slid),
            asked=hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        )

    def __str__(self) -> str:
        return f"debates judged by {self.model}"


@dataclass(frozen=True)
class JudgedFolder(RunFolder[JudgedRecord]):
    """The files of judged debates under one folder."""

    KIND: ClassVar[str] = "debate-judge"
    COMMAND: ClassVar[str] = "conqret debate judge"
    RECORD: ClassVar[type[RunRecord]] = JudgedRecord
    MAKES: ClassVar[tuple[str, ...]] = (ROWS, ANSWERS, FLOORS, SUMMARY)

    @property
    def answers_file(self) -> Path:
        """The judgments on the slider."""
        return self.path / ANSWERS

    @property
    def floors_file(self) -> Path:
        """Those of the judges that understand nothing."""
        return self.path / FLOORS

    def rows(self) -> RowStore[Judged]:
        """What became of each asking; those without an answer are asked again."""
        return RowStore(
            self.path / ROWS, Judged, lambda one: one.key, finished=lambda one: one.slider is not None
        )


@dataclass(frozen=True, slots=True)
class JudgedOutcome:
    """A finished run: what came of it, the model beside the floors, how many judgments have no answer (by reason),
    what this session did, and which answers a replay lacked."""

    came: Outcomes
    beside: tuple[Standing, ...]
    unanswered: Mapping[str, int]
    session: SessionCounts
    missing: tuple[str, ...]


def judge_debates(
    asked: Sequence[Asking],
    session: Session,
    folder: JudgedFolder,
    *,
    overwrite: bool = False,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_answer: Callable[[Judged], None] = lambda found: None,
) -> JudgedOutcome:
    """Ask for every judgment that the folder does not hold, and write the tables of answers.

    Raises:
        DeclarationError: the folder holds something else or another run, another process is writing it, or the
            recordings are none. No model is asked then.
        MissingDependencyError: numpy is not installed.
    """
    require("numpy", extra="stats")
    import numpy as np

    session.options.backend.check_can_ask("which option of a debate is right")
    session.run(lambda client: session.ready(folder))
    with session, folder.claimed(JudgedRecord.of(asked, session), overwrite=overwrite):
        session.keep_in(folder.recordings_file)
        before = session.counts
        with folder.rows() as rows:
            kept = len(rows)
            on_start(session.client, kept)
            session.run(lambda client: ask_all(asked, session, client, rows, on_answer))
            rows.arrange(one.key for one in asked)
        model = session.options.model
        answers = tuple(one.answer(model, found) for one, found in zip(asked, rows.rows(), strict=True))
        others = tuple(
            one.answer(name, Judged(key=one.key, slider=slider)) for name, one, slider in floors(asked)
        )
        came = outcomes(answers, np.random.default_rng(SEED))
        beside = standings((*answers, *others), np.random.default_rng(SEED))
        summary = {**asdict(came), "beside": [asdict(one) for one in beside]}
        with (
            replacing(folder.answers_file) as first,
            replacing(folder.floors_file) as second,
            replacing(folder.summary_file) as third,
        ):
            first.write(_lines(answers))
            second.write(_lines(others))
            third.write(json.dumps(summary, indent=1, ensure_ascii=False).encode())
        return JudgedOutcome(
            came,
            beside,
            Counter(one.reason for one in answers if one.slider is None),
            session.counts.since(before, kept=kept),
            tuple(map(str, session.client.missing)),
        )


def _lines(answers: Iterable[SliderAnswer]) -> bytes:
    return "".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in answers).encode()
