"""A typed judgment of each of many rows, as a run: what the checks of benchmarks and of questions have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self, Unpack

from pydantic import Field

from conqret.errors import number
from conqret.io.safe_files import Content, InFolder
from conqret.judging.asked_run import Run, RunPrompt
from conqret.judging.judge_settings import AskedSettings, as_path, client_options
from conqret.judging.responses import Typed
from conqret.llm.request import Answer, Request, messages
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Sessions
from conqret.runs.study_run import AskedFolder, AskedRecord, ResponseRow, StudyOutcome, lost


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """One question to the model: the prompt, the type of the answer, and about how many tokens an answer has."""

    prompt: str
    response: type[Typed]
    tokens: int
    about: str


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: its id, the variables of the prompt (plain data), and the offline answer."""

    id: str
    variables: Mapping[str, Any]
    baseline: Callable[[], Any] = field(repr=False)


class VerdictRow(ResponseRow):
    """The answer on one subject as plain data; empty where there is none."""

    answer: Mapping[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """The row of an answer."""
        return (
            super().of(id, answer) if answer.value is None else cls(id=id, answer=answer.value.model_dump())
        )


class VerdictRecord(AskedRecord):
    """What ``run.json`` says of such judgments."""

    kind: str = "verdicts"


@dataclass(frozen=True)
class VerdictFolder(AskedFolder[VerdictRecord, VerdictRow]):
    """The folder of such judgments, with what a command may make of them."""

    COMMAND: ClassVar[str] = "conqret debateqa questions or conqret debateqa curate --check"

    kept_file = InFolder("kept.jsonl")
    """The rows that pass."""
    table_file = InFolder("verdicts.csv")
    """All of them."""
    pairs_file = InFolder("pairs.csv")
    """Similar questions, of which at least one was removed."""


def ask_verdicts(
    verdict: CheckVerdict,
    subjects: Sequence[Subject],
    *,
    source: str | Path = "rows",
    name: str = "verdicts",
    output: str | Path | None = None,
    sessions: Sessions | None = None,
    conclude: Callable[[tuple[VerdictRow, ...], VerdictFolder], tuple[Any, Mapping[Path, Content]]]
    | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[VerdictRow, Any]:
    """A judgment of every subject.

    Args:
        verdict: what is asked of each.
        subjects: what is judged.
        source, name: by what the folder is called where there is no ``output``: ``runs/SOURCE-NAME-MODEL``.
        output: the run's folder; the same call goes on there.
        sessions: open sessions to ask with, of whoever asks this among other things.
        conclude: makes of all rows a summary, and further files of the folder.
        settings: who is asked, and how.

    Raises:
        DeclarationError: a setting or the folder is wrong. No model is asked then.
        Counted: it is a dry run.
    """
    judge = client_options(settings.get("model"), settings)
    folder = VerdictFolder(as_path(output) or default_folder(stem(Path(source)), name, judge.model))

    def concluded(rows: tuple[VerdictRow, ...]) -> tuple[Any, Mapping[Path, Content]]:
        summary, files = (None, {}) if conclude is None else conclude(rows, folder)
        counts = {"judgments": len(rows), "unanswered": lost(rows)}
        return summary, {**files, folder.summary_file: json.dumps(counts, indent=1)}

    with Run(
        folder, [judge], {verdict.prompt: RunPrompt(verdict.response, "judge", verdict.tokens)}, settings,
        asked=((subject.id, dict(subject.variables)) for subject in subjects), total=len(subjects),
        asks=verdict.about, about=f"{number(len(subjects), 'judgment')} by", sessions=sessions,
    ) as run:  # fmt: skip
        prompt = run.library[verdict.prompt]
        run.ask_all(
            Request(
                ask=verdict.prompt,
                item=subject.id,
                messages=messages(prompt.render(subject.variables)),
                response=verdict.response,
                baseline=subject.baseline,
            )
            for subject in subjects
        )
        return run.finish(concluded)
