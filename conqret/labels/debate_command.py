"""``conqret labels debate``: people judge two-turn debates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import note
from conqret.labels.label_server import Consent, Practice, ServerOptions, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.label_study import Study
    from conqret.labels.screens import Screen

EPILOG = (
    "Examples:\n\n"
    "conqret labels debate questions.jsonl --judges ann,bob,cem,dee -o study\n\n"
    "conqret labels debate questions.jsonl --judges ann,bob --design pilot --incentive both -o pilot\n\n"
    "conqret labels export study -o answers.csv"
)
WRITE_EPILOG = (
    "Examples:\n\n"
    "conqret labels write questions.jsonl --writers ann,bob -o writing\n\n"
    "conqret labels export writing -o debates.jsonl\n\n"
    "conqret labels write questions.jsonl --writers ann,bob -o writing --judged answers.csv"
)


@grouped
def debate(
    questions: Annotated[
        Path,
        typer.Argument(
            help="Questions with two options, their passage and the debates on them (JSONL), as `conqret debate "
            "two-turn write` writes them."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder in which the study and its answers are stored.")
    ],
    judges: Annotated[str, typer.Option(help="Who judges: names, comma-separated; each gets a link.")],
    design: Annotated[
        Literal["main", "pilot"],
        typer.Option(
            help="The study design: with `main` judges see the whole passage from the start and have five minutes "
            "for each judgment; with `pilot` they first judge from short quotations, and see the passage only at "
            "the end."
        ),
    ] = "main",
    incentive: Annotated[
        Literal["simple", "encourage-abstain", "both"],
        typer.Option(
            help="What a judge's answers earn: `simple`, `encourage-abstain` (abstaining earns more), or `both`, "
            "one after the other. `conqret debate two-turn outcomes` explains them."
        ),
    ] = "simple",
    consent: Consent = None,
    seed: Annotated[
        int, typer.Option(help="The random seed of what each judge is shown, and of the order of questions.")
    ] = 13,
    practice: Practice,
    served: ServerOptions,
) -> None:
    """Serve pages on which humans judge two-turn debates, until Ctrl-C; the same command continues the study.

    Each judge gets each question once, at random with the arguments of the debate or without. The server keeps the
    time, and answers are final. `conqret labels export` writes what `conqret debate two-turn outcomes` and `conqret
    debate two-turn anova` read.
    """
    from conqret.debate.two_turn.judging_plan import debate_study
    from conqret.debate.two_turn.payoffs import INSTRUCTIONS
    from conqret.debate.two_turn.two_turn_files import read_two_turn

    question_list = read_two_turn(questions)
    first = read_two_turn(practice.practice) if practice.practice is not None else ()
    names = options.listed(judges)
    instructions = [name for name in INSTRUCTIONS if incentive in (name, "both")]
    study, screens, texts = debate_study(
        question_list,
        names,
        design,
        instructions,
        seed=seed,
        consent=text_of(consent),
        practice=first,
        passing=practice.passing,
    )
    if design == "pilot" and max(Counter(question.passage_id for question in question_list).values()) > 1:
        note(
            "some questions share a passage, so that an annotator who reads it for one question knows it for the next"
        )

    served.serve(output, lambda: _begun(output, study, screens, texts, names))


@grouped
def write(
    questions: Annotated[
        Path,
        typer.Argument(
            help="Questions with two options, a passage and an argument for each option (JSONL), as `conqret debate "
            "two-turn write` writes them."
        ),
    ],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder in which the study and its texts are stored.")
    ],
    writers: Annotated[
        str, typer.Option(help="Who writes: names, comma-separated; two write on each passage.")
    ],
    practice: Annotated[
        Path | None,
        typer.Option(
            help="Practice questions, on which each writer writes first; you read these texts and let the writer "
            "continue (`conqret labels pause --resume`)."
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            help="A file of judges' answers (human or model) on the debates of this study: each writer is then "
            "shown the bonus in dollars that their texts earned."
        ),
    ] = None,
    consent: Consent = None,
    served: ServerOptions,
) -> None:
    """Serve pages on which humans write counter-arguments, until Ctrl-C; the same command goes on.

    Two writers write on each passage, each against the first option's argument in one half of its questions and
    against the second's in the other half. `conqret labels export` writes debates, which humans or models then
    judge.
    """
    from conqret.debate.two_turn.slider_answers import read_slider_answers
    from conqret.debate.two_turn.two_turn_files import read_two_turn
    from conqret.debate.two_turn.writer_scores import check_judged
    from conqret.labels.written_arguments import writing_study

    names = options.listed(writers)
    study, screens, texts = writing_study(
        read_two_turn(questions), names, consent=text_of(consent),
        practice=read_two_turn(practice) if practice is not None else (),
    )  # fmt: skip
    answers = read_slider_answers(judged) if judged is not None else ()

    def opened() -> Ledger:
        ledger = _begun(output, study, screens, texts, names)
        if answers:
            check_judged(ledger, answers)
        return ledger

    served.serve(output, opened, answers)


def _begun(
    folder: Path, study: Study, screens: Sequence[Screen], texts: Mapping[str, str], names: Sequence[str]
) -> Ledger:
    """The study in a folder, begun where there is none; it keeps the people for whom it was planned.

    Raises:
        DeclarationError: the folder holds another study, or people are named who are not in it.
    """
    from conqret.errors import DeclarationError
    from conqret.labels.answer_ledger import Ledger
    from conqret.labels.database import FILE

    begun = (folder / FILE).is_file()
    ledger = Ledger.open(folder, study, screens, () if begun else names, texts=texts)
    known = [person.name for person in ledger.people()]
    deleted = [person for person in ledger.people() if person.state == "deleted"]
    if len(set(names) - set(known)) != len(deleted):
        ledger.close()
        raise DeclarationError(
            f"{folder} was planned for {', '.join(known)}, each with a plan of their own; "
            "name the same annotators, or another folder with -o"
        )
    return ledger
