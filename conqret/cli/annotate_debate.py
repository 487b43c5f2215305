"""``conqret annotate debate``: people judge two-turn debates."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.cli.annotating import Consent, Host, NewLinks, Port, Url, serve, text_of
from conqret.cli.console import at, note, say

if TYPE_CHECKING:
    from conqret.annotation.ledger import Ledger

EPILOG = (
    "Examples:\n\n"
    "conqret annotate debate questions.jsonl --judges ann,bob,cem,dee -o study\n\n"
    "conqret annotate debate questions.jsonl --judges ann,bob --design pilot --incentive both -o pilot\n\n"
    "conqret annotate export study -o answers.csv"
)


def debate(
    questions: Annotated[
        Path, typer.Argument(help="Questions with their debates, as conqret debate judge reads them.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder that keeps the answers.")],
    judges: Annotated[
        str, typer.Option(help="Who judges, by names with commas between; each gets a link of their own.")
    ],
    design: Annotated[
        Literal["main", "pilot"],
        typer.Option(help="main: the passage from the start, five minutes a judgment. pilot: it comes last."),
    ] = "main",
    incentive: Annotated[
        Literal["simple", "encourage-abstain", "both"],
        typer.Option(help="What answers earn (conqret debate payoffs); both: one after the other."),
    ] = "simple",
    consent: Consent = None,
    seed: Annotated[int, typer.Option(help="Draws who judges what how, and orders.")] = 13,
    host: Host = "127.0.0.1",
    port: Port = 8767,
    url: Url = "",
    new_links: NewLinks = False,
) -> None:
    """Serve pages on which people judge two-turn debates, until Ctrl-C; the same command goes on.

    Each judge meets each question once, with arguments or without. The server keeps the time, nothing can be gone back
    to, and conqret annotate export writes what conqret debate table and anova read.
    """
    from conqret.annotation.database import FILE
    from conqret.annotation.debate_plan import debate_study
    from conqret.annotation.ledger import Ledger
    from conqret.debate.payoffs import INSTRUCTIONS
    from conqret.errors import DeclarationError
    from conqret.io.two_turn import read_two_turn

    found = read_two_turn(questions)
    names = [name for name in (part.strip() for part in judges.split(",")) if name]
    instructions = [name for name in INSTRUCTIONS if incentive in (name, "both")]
    study, screens, texts = debate_study(
        found, names, design, instructions, seed=seed, consent=text_of(consent)
    )
    if design == "pilot" and max(Counter(one.passage_id for one in found).values()) > 1:
        note("some questions share a passage: who has seen it at one of them knows it at the next")

    def opened() -> Ledger:
        begun = (output / FILE).is_file()
        ledger = Ledger.open(output, study, screens, () if begun else names, texts=texts)
        known = [person.name for person in ledger.people()]
        deleted = [person for person in ledger.people() if person.state == "deleted"]
        if len(set(names) - set(known)) != len(deleted):
            ledger.close()
            raise DeclarationError(
                f"{output} was planned for {', '.join(known)}, and each judge has a plan of their own; "
                "give the same --judges, or another folder with -o"
            )
        return ledger

    serve(output, opened, host=host, port=port, url=url, new_links=new_links)


def export_answers(ledger: Ledger, output: Path, *, dropped: bool) -> None:
    """Write what the judges of a study answered, and say what reads it.

    Raises:
        DeclarationError: there is no answer yet.
    """
    import shlex

    from conqret.annotation.debate_answers import as_slider_answers
    from conqret.errors import DeclarationError
    from conqret.report.page import write_files

    text = as_slider_answers(ledger, dropped=dropped)
    if not any(ledger.given(dropped=dropped)):
        raise DeclarationError("the study holds no answers yet")
    (path,) = write_files(output.parent, {output.name: text.encode("utf-8", "replace")})
    say(at(path))
    say(f"read it with: {shlex.join(['conqret', 'debate', 'table', str(path)])}")
