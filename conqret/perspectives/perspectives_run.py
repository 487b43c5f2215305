"""A benchmark of perspectives in the making: each row is written, then checked, and what fails is left out (BeRDS, 4).

Next to ``run.json`` and the recordings the folder holds ``rows.jsonl``, ``perspectives.jsonl`` (what is kept, as
:func:`conqret.perspectives.perspective_files.read_perspectives` reads it), ``left_out.csv`` (the rest, with why) and
``inspect.csv`` (:data:`INSPECTED` of each subset, for annotators to mark errors: Table 19).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Unpack

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.checks import Filled, Text
from conqret.io.pairs import ANSWERS
from conqret.io.safe_files import Content, InFolder, csv_text
from conqret.io.schema import in_columns, read_table
from conqret.llm.client_options import client_options
from conqret.llm.request import Answer, Request, messages
from conqret.perspectives.perspective_files import (
    PerspectiveQuestion,
    PerspectiveSource,
    QuestionPerspective,
    perspective_lines,
    read_perspective_sources,
)
from conqret.perspectives.perspective_writing import (
    CHECK,
    MAX_STATEMENTS,
    WRITING_VARIANTS,
    WRONG,
    Checked,
    WritingVariant,
    WrittenQuestion,
    check_request,
    variant_of,
)
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome, lost
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

INSPECTED = 20
"""Questions of each subset that annotators look at (BeRDS, B.4)."""
SEED = 13
"""Draws them, as everywhere in conqret."""
WRITTEN_TOKENS, CHECKED_TOKENS = 120, 60
"""An answer in tokens: a sentence, a question and two statements; a sentence, two truth values and some numbers."""

OWN_EXPERIENCE = "it asks about own experience"
DROPPED = "the question stays, without these"
"""Why statements of a question that is kept are left out: they are
:data:`~conqret.perspectives.perspective_writing.WRONG`."""


class MadeRow(ResponseRow):
    """The question and perspectives that were made from one source.

    ``dropped`` are the perspectives that were removed as wrong. ``faults`` are the reasons why the question
    is left out (empty where it is kept).
    """

    question: str = ""
    perspectives: tuple[QuestionPerspective, ...] = ()
    dropped: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    explanation: str = ""


@dataclass(frozen=True)
class MadeFolder(RequestFolder[RequestRecord, MadeRow], kind="perspectives"):
    """The files of a run that makes a benchmark of questions with perspectives."""

    COMMAND: ClassVar[str] = "conqret perspectives make"

    perspectives_file = InFolder("perspectives.jsonl")
    """What is kept."""
    left_out_file = InFolder("left_out.csv")
    """What is not, and why."""
    inspect_file = InFolder("inspect.csv")
    """What annotators look at."""


class SubsetCounts(Frozen):
    """The numbers of one subset: its rows, the kept questions, and their kept and dropped perspectives.

    ``faults`` counts the left-out questions by reason, and ``unanswered`` the rows without a valid response.
    """

    subset: str
    rows: int
    kept: int
    perspectives: int
    dropped: int
    faults: dict[str, int]
    unanswered: int


class MadeSummary(Frozen):
    """The numbers of all subsets, and of rows without a valid response by reason."""

    model: str
    subsets: tuple[SubsetCounts, ...]
    unanswered: dict[str, int]


@strict_options
def make_perspectives(
    rows: str | Path,
    *,
    source: Literal["opinionqa", "kialo", "arguana", "open"],
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[MadeRow, MadeSummary]:
    """Make questions with contradicting perspectives, which a model writes and then checks (BeRDS, section
    4).

    Args:
        rows: the rows from which perspectives are made.
        source: the kind of rows: surveys, statements or answers, arguments with counterarguments, or
            questions.
        output: the run's folder, by default ``runs/ROWS-make-MODEL``; the same call continues a stopped
            run.
        settings: which model is called, and how:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The question and perspectives of each row, and the numbers of each subset.

    Raises:
        DeclarationError: the call, the rows or the folder are wrong. No model is called then.
    """
    file, model = Path(rows), client_options(settings.get("model"), settings)
    sources = read_perspective_sources(file, source)
    folder = MadeFolder(as_path(output) or default_folder(stem(file), "make", model.model))
    prompts = {CHECK: RunPrompt(Checked, "check", CHECKED_TOKENS)}
    for variant in map(variant_of, sources):
        for step in (variant, WRITING_VARIANTS[variant.then]) if variant.then else (variant,):
            prompts[step.prompt] = RunPrompt(step.response, "make", WRITTEN_TOKENS)

    def concluded(rows: tuple[MadeRow, ...]) -> tuple[MadeSummary, Mapping[Path, Content]]:
        kept = [
            PerspectiveQuestion(
                source.id, row.question, row.perspectives, source.subset, source.url, source.licence
            )
            for source, row in zip(sources, rows, strict=True)
            if _sound(row)
        ]
        return _summary(model.model, sources, rows), {
            folder.perspectives_file: perspective_lines(kept),
            folder.left_out_file: _left_out(sources, rows),
            folder.inspect_file: inspection_form(kept),
        }

    with Run(
        folder,
        [model],
        prompts,
        settings,
        contents=map(asdict, sources),
        total=len(sources),
        purpose="for perspectives",
        about=f"perspectives of {number(len(sources), 'row')} by",
    ) as run:
        run.request_all(run.row(each.id, partial(_made, each, run)) for each in sources)
        return run.finish(concluded)


def inspection_form(kept: Sequence[PerspectiveQuestion]) -> str:
    """Return a CSV form with :data:`INSPECTED` random questions of each subset, and an empty column for
    errors."""
    rng = random.Random(SEED)
    rows = []
    for subset, subset_questions in gathered((question.subset, question) for question in kept).items():
        for question in rng.sample(subset_questions, min(INSPECTED, len(subset_questions))):
            views = " | ".join(view.text for view in question.perspectives)
            rows.append((question.id, subset, question.question, views, ""))
    return csv_text(("id", "subset", "question", "perspectives", "error"), rows)


async def _written(
    variant: WritingVariant, source: PerspectiveSource, run: Run[MadeRow]
) -> tuple[Answer[Any], WrittenQuestion | None]:
    """Return the answer of the last request, and the question with its perspectives (None if the answer has none). A
    variant may have a second one follow, which gets the question of the first."""
    settings = {"most": MAX_STATEMENTS} if variant is WRITING_VARIANTS["open"] else {}
    written = await run.client().request(
        Request(
            ask=variant.prompt,
            item=source.id,
            messages=messages(run.library[variant.prompt].render(variant.shown(source), settings)),
            response=variant.response,
            context={"answers": len(source.answers)},
            temperature=0.0,
            baseline=lambda: variant.baseline(source),
        )
    )
    made = None if written.value is None else variant.made(source, written.value.model_dump())
    if made is not None and variant.then:
        return await _written(WRITING_VARIANTS[variant.then], replace(source, question=made[0]), run)
    return written, made


async def _made(source: PerspectiveSource, run: Run[MadeRow]) -> MadeRow:
    written, made = await _written(variant_of(source), source, run)
    if written.value is None:
        return MadeRow.from_answer(source.id, written)
    if made is None:
        return MadeRow(id=source.id, question=source.question, faults=(OWN_EXPERIENCE,))
    question, views = made
    checked = await run.client().request(check_request(source.id, question, views, run.library))
    if checked.value is None:
        return MadeRow.from_answer(source.id, checked)
    faults = checked.value.faults(views)
    stay = views if faults else checked.value.sound(views)
    return MadeRow(
        id=source.id,
        question=question,
        perspectives=tuple(stay),
        dropped=tuple(view.text for view in views if view not in stay),
        faults=faults,
        explanation=checked.value.explanation,
    )


def _sound(row: MadeRow) -> bool:
    return row.answered and not row.faults


def _left_out(sources: Sequence[PerspectiveSource], rows: Sequence[MadeRow]) -> str:
    return csv_text(
        ("id", "subset", "question", "perspectives", "why", "explanation"),
        (
            (
                source.id,
                source.subset,
                row.question or source.question,
                " | ".join(row.dropped or [view.text for view in row.perspectives]),
                f"{WRONG} ({DROPPED})" if row.dropped else "; ".join(row.faults) or row.reason,
                row.explanation or row.detail,
            )
            for source, row in zip(sources, rows, strict=True)
            if row.dropped or not _sound(row)
        ),
    )


def _summary(model: str, sources: Sequence[PerspectiveSource], rows: Sequence[MadeRow]) -> MadeSummary:
    parts: Mapping[str, list[MadeRow]] = gathered(
        (source.subset, row) for source, row in zip(sources, rows, strict=True)
    )
    return MadeSummary(
        model=model,
        subsets=tuple(
            SubsetCounts(
                subset=name,
                rows=len(subset_rows),
                kept=sum(map(_sound, subset_rows)),
                perspectives=sum(len(row.perspectives) for row in subset_rows if _sound(row)),
                dropped=sum(len(row.dropped) for row in subset_rows if _sound(row)),
                faults=dict(Counter(fault for row in subset_rows for fault in row.faults)),
                unanswered=sum(not row.answered for row in subset_rows),
            )
            for name, subset_rows in parts.items()
        ),
        unanswered=lost(rows),
    )


@dataclass(frozen=True, slots=True)
class _Inspected:
    subset: Annotated[Filled, in_columns(needed="Name the subset of the question")]
    error: Text = ""


class SubsetErrors(Frozen):
    """How many questions of one subset annotators inspected, how many and what share have an error, and how
    many are still to inspect (``left``)."""

    subset: str
    inspected: int
    errors: int
    share: Estimate
    left: int


@strict_options
def perspective_errors(form: str | Path) -> tuple[SubsetErrors, ...]:
    """Count the errors that annotators found in a sample of made questions, by subset (BeRDS, Table 19).

    Args:
        form: a completed ``inspect.csv``. In the column ``error``, "no" or 0 means no error and a blank
            means not inspected; anything else is an error.

    Returns:
        The numbers of each subset.

    Raises:
        ItemsError: rows have faults.
        DeclarationError: there is no row, or the column ``error`` is empty.
    """
    rows = read_table(form, _Inspected, wanted="questions")
    parts = gathered((row.subset, row.error.strip()) for row in rows)
    if not any(error for part in parts.values() for error in part):
        raise DeclarationError(f"{form}: the column error is not filled in: write no, or what is wrong")
    found = []
    for subset, answers in parts.items():
        wrong = [ANSWERS.get(error.casefold(), True) for error in answers if error]
        share = mean_interval(wrong, scale="share", reason="no statement was inspected")
        counts = {"inspected": len(wrong), "errors": sum(wrong), "left": len(answers) - len(wrong)}
        found.append(SubsetErrors(subset=subset, share=share, **counts))
    return tuple(found)
