"""``conqret debate two-turn write``, ``judge`` and ``outcomes``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.printing import at, note, note_all, note_each, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.debate.judging_command import conclude, run_judge
from conqret.debate.two_turn.anova import anova_tables, debate_anova, default_subject
from conqret.debate.two_turn.debate_judge import judge_debates
from conqret.debate.two_turn.debate_writing import write_debates
from conqret.debate.two_turn.outcome_page import (
    confidence_plot,
    outcome_tables,
    payoff_tables,
    standings_table,
    verdict,
)
from conqret.debate.two_turn.outcomes import counted_answers, debate_outcomes
from conqret.debate.two_turn.slider_answers import payoffs
from conqret.debate.two_turn.text_grades import (
    FORMAT,
    annotation_tables,
    counter_items,
    grade_counter_arguments,
    rubric_table,
    summarize_annotations,
)
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.debate.two_turn.writer_scores import score_writers, writers_table
from conqret.errors import DeclarationError, number
from conqret.labels.survey import read_survey, survey_counts, survey_file, survey_table
from conqret.show.page import write_file


def judge(
    questions: Path,
    *,
    model: options.Model = None,
    design: Literal["main", "pilot"] | None = None,
    instruction: Literal["simple", "encourage-abstain"] | None = None,
    consultancy: bool = False,
    allowance: int | None = None,
    passage_tokens: int | None = None,
    rubric: bool = False,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "With `--rubric`: human grades, made by `conqret labels collect --task counter-argument`; no model is "
            "called then."
        ),
    ] = None,
    annotations: Path | None = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debate-judge-MODEL")] = None,
    run_options: StudyOptions,
) -> None:
    """Let a model say which option is right, on a scale of seven points, with and without the debate's arguments, to
    see whether debate helps it.

    Each question is judged in both orders of its options, and in every condition that its texts allow: with a passage
    for every question, the main design (passage and snippets, with arguments or without), else the pilot design
    (snippets alone, with arguments or without). In a second judgment the model sees its first.

    Args:
        questions: Questions with two options, arguments and snippets (JSONL), as `conqret debate two-turn write` writes
            them; the released data set single_turn_debate of Parrish et al. 2022 is read, too.
        design: The study design: `main` (the whole passage is shown from the start) or `pilot` (only quotations from
            it, and the passage at a third judgment). Default: `main` if every question has its passage.
    Judging:
        instruction: Use only one of the two instructions of Parrish et al. 2022, which differ in what abstaining earns:
            `simple` or `encourage-abstain`. Default: both.
        consultancy: Beyond the paper: also have each question judged with the argument for only one of its options
            (consultancy; Khan et al. 2024, Kenton et al. 2024), once for each option, as a control for the debate.
        allowance: Beyond the paper: tokens for each judgment, thoughts and answer together, in place of the five
            minutes that humans had; a longer answer counts as none. Default: no limit.
        passage_tokens: Beyond the paper: the most tokens shown of each passage; every paragraph loses the same share of
            its end. (Humans read some 1600 in five minutes.)

    The texts:
        rubric (--rubric): Instead, grade each counter-argument from 1 to 5 by the rubric of Parrish et al. 2022: is it
            convincing, do its snippets help, does it answer the argument? They chose writers with a mean from 3.3 on.
            The result is a run folder like that of `conqret judge --format counter-argument`.
        annotations: Instead, summarize annotators' table of the texts: columns question, text (argument or
            counter-argument), option (1 or 2, for which it argues), annotator, quality (1 to 10), responds (yes or no)
            and strategies (names, separated by semicolons); JSONL, CSV, TSV or Parquet.

    Examples:

    conqret debate two-turn judge debates.jsonl --model gpt-4o-mini -o runs/debates

    conqret debate two-turn judge runs/written/debates.jsonl --rubric --model gpt-4o-mini -o runs/rubric

    conqret debate two-turn judge debates.jsonl --annotations annotations.csv

    conqret debate two-turn judge debates.jsonl --instruction encourage-abstain --model gpt-4o-mini --dry-run
    """
    if rubric:
        if labels is not None:
            grades_by_writer = grade_counter_arguments(questions, labels=labels, model=model)
            grades = [grade.model_dump(mode="json") for grade in grades_by_writer.grades]
            facts = {"labels": ", ".join(map(str, labels)), "grades": grades}
            result(facts, [rubric_table(grades_by_writer.grades)], as_json=run_options.shown.json_output)
            return
        done = run_judge(
            counter_items(read_two_turn(questions)),
            [questions],
            FORMAT,
            model=model,
            output=output,
            run_options=run_options,
            by=partial(grade_counter_arguments, questions),
        )
        grades = [grade.model_dump(mode="json") for grade in done.grades]
        conclude(done.judgments, lambda: rubric_table(done.grades), shown=run_options.shown, grades=grades)
        return
    if annotations is not None:
        summaries = summarize_annotations(annotations, questions=questions)
        plain = [asdict(summary) for summary in summaries]
        result(plain, spaced(annotation_tables(summaries)), as_json=run_options.shown.json_output)
        return
    outcome = run_options.study(
        judge_debates,
        questions,
        model=run_options.calls.for_model(model),
        design=design,
        instruction=instruction,
        consultancy=consultancy,
        allowance=allowance,
        passage_tokens=passage_tokens,
        output=output,
        rows="judgments",
    )
    came, cut, folder = outcome.summary.came, outcome.summary.shortened, outcome.folder
    if cut:
        before, after = (sum(count[place] for count in cut.values()) for place in (0, 1))
        note(f"{len(cut):,} passages are shortened, from {before:,} tokens to {after:,}")
    conclusion = verdict(came)
    lines = (
        *spaced([*outcome_tables(came), standings_table(outcome.summary.beside)]),
        conclusion,
        at(folder.answers_file, "answers"),
        at(folder.uninformed_file, "floors"),
    )
    data = {"verdict": conclusion, **outcome.summary.record()}
    there = len(outcome.rows) - sum(outcome.lost.values())
    run_options.conclude(data, lines, outcome, outcome.lost, there=there)


def write(
    questions: Path,
    *,
    model: options.Model = None,
    against: str | None = None,
    check: bool = False,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debate-argue-MODEL")] = None,
    run_options: StudyOptions,
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
        result(counts, _judgments_allowed(counts), as_json=run_options.shown.json_output)
        return
    outcome = run_options.study(
        write_debates,
        questions,
        model=run_options.calls.for_model(model),
        against=None if against is None else run_options.calls.for_model(against),
        output=output,
        rows="texts",
        doing="writing",
        role="an author",
    )
    summary = outcome.summary
    examples = {row.reason: f"{row.id}: {row.detail}" for row in outcome.rows if not row.answered}
    note_each(f"a text is missing, as {example}" for example in examples.values())
    if summary.incomplete:
        note_all(f"{len(summary.incomplete)} debates are incomplete and left out", summary.incomplete)
    there = summary.texts - sum(summary.unwritten.values())
    lines = [
        f"{summary.whole:,} of {summary.debates:,} debates are whole, by {' and '.join(summary.writers)}",
        f"  texts: {there:,} of {summary.texts:,}   snippets from the passages: {summary.snippets:,}",
    ]
    if summary.whole:
        lines.append(at(outcome.folder.debates_file, "debates"))
    run_options.conclude(summary, lines, outcome, summary.unwritten, there=summary.whole)


def _counts(file: Path) -> dict[str, int]:

    question_list = read_two_turn(file)
    return {
        "questions": len(question_list),
        "passages": len({question.passage_id for question in question_list}),
        "with_passage": sum(bool(question.passage) for question in question_list),
        "with_counter_arguments": sum(question.sides[0].counter is not None for question in question_list),
        "right_first": sum(question.right == 1 for question in question_list),
        "longer_is_right": sum(
            (len(question.sides[0].argument.text) > len(question.sides[1].argument.text))
            == (question.right == 1)
            for question in question_list
        ),
    }


def _judgments_allowed(counts: dict[str, int]) -> Iterator[str]:
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


def outcomes(
    answers: Path | None = None,
    *,
    design: Literal["main", "pilot"] | None = None,
    plot: Path | None = None,
    writers: bool = False,
    anova: bool = False,
    bonuses: str | None = None,
    json_output: options.Printed = None,
) -> None:
    """Report results of judging two-turn debates: right answers, wrong answers and abstentions by what judges were
    shown, their confidence and bonuses, and whether debate helps. Without ANSWERS, show from which confidence it pays a
    judge to answer instead of abstaining, which follows from the bonuses alone.

    Intervals are over passages. Missing answers are counted, and never taken for abstentions.

    Args:
        answers: A table of judges' answers, one a row, with the columns question, passage, judge, condition (such as PS
            or PSA), turn, instruction, slider (-3 sure of option 1, 0 abstains, 3 sure of option 2) and right (1 or 2):
            JSONL, CSV, TSV or Parquet. The survey next to it (NAME.survey.csv, as `conqret labels export` writes it)
            is counted, too.
        design: Use only judges' answers from this study design: `main` (they saw the whole passage) or `pilot` (they
            saw only quotations from it).
        plot: Write a chart of how often judges chose each of the seven points of confidence, as a .png or .svg file.
        writers (--writers): Instead, rate who writes the more persuasive debates, by each judge's last judgment of a
            debate with both sides' arguments: an Elo, how often judges side with them, and what they earn.
        anova (--anova): Instead, test by repeated-measures ANOVA whether arguments, a second judgment or the
            instruction (what abstaining earns) change the answers, as right or wrong and as points on the scale of
            confidence. Subjects are the judges, or with one judge the passages; if one lacks an answer in some
            condition, a mixed model of all answers is also fitted. Needs pip install 'conqret[anova]'.
        bonuses: Without ANSWERS: your own bonuses in dollars for the seven points of the answer scale, comma-separated:
            from completely confident and right, over abstaining, to completely confident and wrong.

    Examples:

    conqret debate two-turn outcomes answers.jsonl

    conqret debate two-turn outcomes runs/judged/answers.jsonl --writers

    conqret debate two-turn outcomes --bonuses=0.5,0.4,0.3,0.1,-0.1,-0.4,-0.8

    conqret debate two-turn outcomes answers.jsonl --design pilot --plot confidence.svg --json
    """

    kinds: dict[str, Literal["png", "svg"]] = {".png": "png", ".svg": "svg"}
    if plot is not None and plot.suffix not in kinds:
        raise DeclarationError(f"--plot takes a file that ends in .png or .svg, not {plot}")
    if answers is None:
        wanted = "--bonuses are seven numbers such as 0.6,0.45,0.3,0.15,-0.05,-0.3,-0.6"
        bonus_values = None if bonuses is None else options.numbers(bonuses, wanted)
        shown = payoffs(bonuses=bonus_values)
        result(
            [payoff.record() for payoff in shown],
            spaced(chain.from_iterable(map(payoff_tables, shown))),
            as_json=json_output,
        )
        return
    judged = counted_answers(answers, design)
    if writers:
        ratings = score_writers(judged)
        result([asdict(rating) for rating in ratings], [writers_table(ratings)], as_json=json_output)
        return
    if missing := sum(answer.slider is None for answer in judged):
        note(f"{missing:,} of {len(judged):,} answers are missing, and count in no share")
    if anova:
        analyses = debate_anova(judged)
        tables = spaced(anova_tables(analyses, default_subject(judged)))
        result([asdict(analysis) for analysis in analyses], tables, as_json=json_output)
        return
    results = debate_outcomes(judged)
    if plot is not None:
        write_file(plot, confidence_plot(results, kinds[plot.suffix]))
    survey = read_survey(answers)
    conclusion = verdict(results)
    lines = [
        *spaced(outcome_tables(results)),
        *spaced([survey_table(survey, survey_file(answers))] if survey else []),
        *_writers_earn(results.writers),
        conclusion,
        *([] if plot is None else [at(plot, "plot")]),
    ]
    data = {"verdict": conclusion, **asdict(results), "survey": survey_counts(survey)}
    result(data, lines, as_json=json_output)


def _writers_earn(dollars: Mapping[str, float]) -> Iterator[str]:
    if dollars:
        right, wrong = (f"${dollars[side]:.3f}" for side in ("right", "wrong"))
        yield (
            f"Writers earn, by the last judgment with arguments: {right} an answer for the right option, {wrong} for "
            "the wrong one."
        )
