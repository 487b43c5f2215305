"""``conqret debate two-turn write``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, named, note_all, note_each, result
from conqret.errors import number
from conqret.judging.study_command import StudyOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
    from conqret.debate.two_turn.written_run import WrittenFolder, WrittenSummary


@grouped
def write(
    questions: Path,
    *,
    model: options.Model = None,
    against: str | None = None,
    check: bool = False,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debate-argue-MODEL")] = None,
    asking: StudyOptions,
) -> None:
    """Write debates: an argument for each of the two options of a question, and a counter-argument to each.

    A text must quote snippets of the question's passage word for word; a text with a wrong snippet is requested again,
    and counts as missing after three attempts. `debates.jsonl` has the debates with all their texts, for `conqret
    debate two-turn judge`.

    Args:
        questions: Questions with id, question, options, right, passage_id and passage, JSONL (also .gz); arguments in
            it are ignored.
        check (--check): Only check questions with arguments, and say which judgments they allow: each option needs an
            argument, each argument a counter-argument (if there are any), and each snippet must be in the passage. The
            released data set single_turn_debate of Parrish et al. 2022 is read as it is.
    Model:
        against: A second model that argues against `--model`; each question is debated twice, with the options
            exchanged. Default: `--model` argues for both options.

    Examples:

    conqret debate two-turn write questions.jsonl --model gpt-4o-mini -o runs/written

    conqret debate two-turn write questions.jsonl --model gpt-4o-mini --against gpt-4o --dry-run

    conqret debate two-turn write all_arguments.jsonl.gz --check
    """
    if check:
        counts = _counts(questions)
        result(counts, _judgments_allowed(counts), as_json=asking.shown.json_output)
        return
    from conqret.debate.two_turn.counter_writing import estimate
    from conqret.debate.two_turn.written_run import writing_plan
    from conqret.runs.session import Session

    writers = [asking.calls.of(one) for one in (model, against)[: 1 if against is None else 2]]
    with asking.sessions() as sessions:
        plan = writing_plan(questions, sessions, writers, output=output)
        asked, folder = plan.tasks, plan.folder
        if asking.dry_run:
            asking.tell_cost([estimate(asked, Session(writer, prompts=asking.prompts)) for writer in writers])
            return
        two_turn_questions = {one.question.id for one in plan.debated}
        outcome = asking.execute(
            plan, len(asked), "texts",
            about=f"{number(len(asked), 'text')} on {number(len(two_turn_questions), 'question')}, by", doing="writing",
            by=" and ".join(named(writer.model, writer.backend.baseline, "an author") for writer in writers),
        )  # fmt: skip
    summary = outcome.summary
    examples = {row.reason: f"{row.id}: {row.detail}" for row in outcome.rows if not row.answered}
    note_each(f"a text is missing, as {example}" for example in examples.values())
    if summary.incomplete:
        note_all(f"{len(summary.incomplete)} debates are incomplete and left out", summary.incomplete)
    asking.conclude(summary, _lines(summary, folder), outcome, summary.unwritten, there=summary.whole)


def _lines(summary: WrittenSummary, folder: WrittenFolder) -> Iterator[RenderableType]:
    there = summary.texts - sum(summary.unwritten.values())
    yield f"{summary.whole:,} of {summary.debates:,} debates are whole, by {' and '.join(summary.writers)}"
    yield f"  texts: {there:,} of {summary.texts:,}   snippets from the passages: {summary.snippets:,}"
    if summary.whole:
        yield at(folder.debates_file, "debates")


def _counts(file: Path) -> dict[str, int]:
    from conqret.debate.two_turn.two_turn_files import read_two_turn

    question_list = read_two_turn(file)
    return {
        "questions": len(question_list),
        "passages": len({question.passage_id for question in question_list}),
        "with_passage": sum(bool(question.passage) for question in question_list),
        "with_counter_arguments": sum(question.sides[0].counter is not None for question in question_list),
        "right_first": sum(question.right == 1 for question in question_list),
        "longer_is_right": sum(_longer(question) == question.right for question in question_list),
    }


def _longer(question: TwoTurnQuestion) -> int:
    first, second = (len(side.argument.text) for side in question.sides)
    return 1 if first > second else 2


def _judgments_allowed(counts: dict[str, int]) -> Iterator[RenderableType]:
    total, texts, counters = (
        counts[name] for name in ("questions", "with_passage", "with_counter_arguments")
    )
    turns = "both judgments" if counters == total else "the first judgment"
    main = turns if texts == total else "none, as the passage is not there for all"
    first, longer = (f"{counts[name] / total:.1%}" for name in ("right_first", "longer_is_right"))
    yield f"{number(total, 'question')} on {counts['passages']:,} passages, two options and an argument for each"
    yield f"  with the text of the passage: {texts:,}   with counter-arguments: {counters:,}"
    yield f"  pilot design (S, SA), before the passage: {turns}"
    yield f"  main design (PS, PSA): {main}"
    yield f"  right is the first option in {first}, the longer argument in {longer}"
