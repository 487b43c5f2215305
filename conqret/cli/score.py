"""``conqret score``: Perspective Diversity and Dispute Awareness of answers, and how far people agree with them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli import options
from conqret.cli.console import err, note, out

if TYPE_CHECKING:
    from conqret.evaluation.debateqa.table import ScoreRow

app = typer.Typer(
    help="Measure answers to debatable questions: how many perspectives they hold, whether they say so.",
    no_args_is_help=True,
    epilog="Example: conqret score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2",
)


class DefinitionChoice(StrEnum):
    """What is computed."""

    paper = "paper"
    released = "released"


class ChatChoice(StrEnum):
    """Whether the backbone's chat template is used."""

    auto = "auto"
    never = "never"
    always = "always"


class ShotsChoice(StrEnum):
    """Whether the prompt holds examples."""

    few = "few-shot"
    zero = "zero-shot"


Answers = Annotated[
    Path, typer.Argument(help="One system's answers: id and generation, as JSONL, CSV or Parquet.")
]
References = Annotated[Path, typer.Option(help="Questions with partial answers, in DebateQA's layout.")]
SystemName = Annotated[str | None, typer.Option(help="The system's name. Default: the answers' file name.")]
Columns = Annotated[
    str | None, typer.Option(help="Which column holds what: id=qid,answer=text,partial_answers=refs,…")
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The folder of scores.parquet. Default: runs/ANSWERS-METRIC."),
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda, … Default: a GPU where there is one.")]
Dtype = Annotated[
    str | None, typer.Option(help="float32, bfloat16 or float16. Default: float32 on a CPU, else bfloat16.")
]

_DIVERSITY = (
    "Example: conqret score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2"
)
_AWARENESS = (
    "Example: conqret score dispute-awareness answers.jsonl --questions debateqa.jsonl --model gpt-4o-mini"
)
_CORRELATE = "Example: conqret score correlate runs/*/scores.parquet --preferences pairs.csv"


@app.command("perspective-diversity", epilog=_DIVERSITY)
def perspective_diversity(
    answers: Answers,
    references: References,
    backbone: Annotated[str, typer.Option(help="A causal language model: a folder, or a hub's name.")],
    output: Output = None,
    system: SystemName = None,
    definition: Annotated[
        DefinitionChoice, typer.Option(help="Equations 1 and 2, or the released script's arithmetic.")
    ] = DefinitionChoice.paper,
    wrapping: Annotated[int, typer.Option(help="The prompt around the answer, 1 to 5 (Table 12).")] = 1,
    chat_template: Annotated[
        ChatChoice, typer.Option(help="Use the backbone's chat template.")
    ] = ChatChoice.auto,
    device: Device = None,
    dtype: Dtype = None,
    token_budget: Annotated[
        int | None, typer.Option(help="Tokens in one step; halves itself when memory runs out.")
    ] = None,
    columns: Columns = None,
    json_output: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """The summed perplexity of a question's partial answers given the answer; lower is better.

    Rows are kept as they are scored: the same command goes on where it stopped.
    """
    from conqret.evaluation.debateqa.diversity import DiversityRun
    from conqret.io.debateqa import check_answers, partners, read_questions
    from conqret.perplexity import ConditionalPerplexity
    from conqret.perplexity.store import RowStore

    mapping = _mapping(columns)
    questions = {one.id: one for one in read_questions(references, mapping).values() if one.partial_answers}
    met = partners(check_answers(answers, mapping), questions)
    _remark_alone(met.answers_alone, met.questions_alone, quiet)
    chat = {ChatChoice.auto: None, ChatChoice.never: False, ChatChoice.always: True}[chat_template]
    scorer = ConditionalPerplexity(
        backbone, wrapping=wrapping, chat=chat, definition=definition.value, device=device, dtype=dtype,
        token_budget=token_budget,
    )  # fmt: skip
    folder = output or _folder(answers, "perspective-diversity")
    with RowStore(folder / "rows.jsonl", scorer.fingerprint) as store:
        if len(store) and not quiet:
            note(f"{len(store)} rows are kept from before")
        run = DiversityRun(system or _stem(answers), answers, questions, scorer, store, mapping)
        rows = list(run.rows(None if quiet else _Counter(len(met.together))))
    if scorer.budget.halvings and not quiet:
        note(f"memory ran out: the token budget sank to {scorer.budget.tokens}")
    _finish(rows, folder, json_output)


@app.command("dispute-awareness", epilog=_AWARENESS)
def dispute_awareness(
    answers: Answers,
    questions: Annotated[
        Path, typer.Option(help="The questions, in DebateQA's layout (partial answers are not needed).")
    ],
    model: options.Model = None,
    local: Annotated[
        str | None, typer.Option(help="Ask this transformers model instead: a folder, or a hub's name.")
    ] = None,
    shots: Annotated[
        ShotsChoice, typer.Option(help="With five examples, as the paper advises, or without.")
    ] = ShotsChoice.few,
    labels: Annotated[
        Path | None, typer.Option(help="A table of id and label (0 or 1) to compare with.")
    ] = None,
    output: Output = None,
    system: SystemName = None,
    columns: Columns = None,
    api_base: options.ApiBase = None,
    budget_usd: options.BudgetUsd = None,
    recordings: options.RecordingsStore = None,
    replay: options.Replay = None,
    device: Device = None,
    dtype: Dtype = None,
    json_output: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Does the answer say that the question is debatable? 1 or 0; higher is better."""
    from conqret.errors import DeclarationError
    from conqret.evaluation.debateqa.awareness import (
        PLAIN_WRAPPING,
        AskedAnswer,
        against_labels,
        ask_awareness,
        local_awareness,
    )
    from conqret.io.debateqa import check_answers, partners, read_answers, read_questions

    if local is not None and model is not None:
        raise DeclarationError("give --model or --local, not both")
    mapping = _mapping(columns)
    known = read_questions(questions, mapping)
    met = partners(check_answers(answers, mapping), known)
    _remark_alone(met.answers_alone, met.questions_alone, quiet)
    asked = [
        AskedAnswer(one.id, known[one.id].question, one.text)
        for one in read_answers(answers, mapping)
        if one.id in known
    ]
    name, folder = system or _stem(answers), output or _folder(answers, "dispute-awareness")
    if local is not None:
        from conqret.perplexity import ConditionalPerplexity

        scorer = ConditionalPerplexity(local, wrapping=PLAIN_WRAPPING, device=device, dtype=dtype)
        rows = [row for row, _ in local_awareness(asked, scorer, name, shots=shots.value)]
    else:
        from conqret.llm.options import OFFLINE_MODEL, ClientOptions
        from conqret.retrieval.session import Session

        client = options.given(api_base=api_base, budget_usd=budget_usd)
        kept = recordings if recordings is not None or replay is not None else folder / "recordings.sqlite"
        folder.mkdir(parents=True, exist_ok=True)
        session = Session(ClientOptions(model or OFFLINE_MODEL, **client), recordings=kept, replay=replay)
        rows = ask_awareness(asked, session, name, shots=shots.value)
    _finish(rows, folder, json_output)
    if labels is not None:
        fit = against_labels(rows, _labels(labels))
        note(
            f"against {fit.n} labels: accuracy {fit.accuracy}, F1 {fit.f1}, AUROC {fit.auroc}, MCC {fit.mcc}"
        )


@app.command("correlate", epilog=_CORRELATE)
def correlate(
    scores: Annotated[list[Path], typer.Argument(help="Tables of `conqret score`, of all systems.")],
    preferences: Annotated[
        Path, typer.Option(help="Pairwise preferences: first, second, preference; perhaps annotator, item.")
    ],
    seed: Annotated[int, typer.Option(help="Draws the orders over which Elo's ratings are averaged.")] = 13,
    json_output: options.Json = False,
) -> None:
    """Compare each metric's ranking of systems with people's, by Elo, Spearman's rho and Kendall's tau (Table 14)."""
    from dataclasses import asdict

    from conqret.evaluation.debateqa.preferences import align
    from conqret.evaluation.debateqa.table import read_tables
    from conqret.io.comparisons import read_comparisons

    found = align(read_tables(scores), read_comparisons(preferences), seed=seed)
    if json_output:
        import json

        out().out(json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(f"Agreement with {found[0].annotators} annotators' rankings"), title_justify="left"
    )
    for name in ("metric", "instrument", "rho", "tau", "systems"):
        table.add_column(name)
    for one in found:
        figures = ("none" if value is None else f"{value:.3f}" for value in (one.rho, one.tau))
        table.add_row(*map(Text, (one.metric, one.instrument, *figures, str(one.systems))))
    out().print(table)


class _Counter:
    """Says on a terminal how many answers are done."""

    def __init__(self, total: int) -> None:
        self._total = total

    def __call__(self, number: int) -> None:
        if err().is_terminal:
            err().print(
                f"{number + 1} of {self._total} answers", end="\r" if number + 1 < self._total else "\n"
            )


def _finish(rows: list[ScoreRow], folder: Path, json_output: bool) -> None:
    from dataclasses import asdict

    from conqret.evaluation.debateqa.table import reasons, system_means, write_table

    write_table(rows, folder / "scores.parquet")
    means = system_means(rows)
    for reason, count in reasons(rows).items():
        note(f"{count} scores are missing: {reason}")
    if json_output:
        import json

        out().out(json.dumps([asdict(one) for one in means], indent=1, ensure_ascii=False))
        return
    from rich.text import Text

    for one in means:
        mean = "none" if one.mean is None else f"{one.mean:.4f}"
        out().print(
            Text(f"{one.metric:<22} {mean:>10} (n = {one.scored} of {one.total})  {one.instrument}"),
            soft_wrap=True,
        )
    out().print(Text(f"{'scores':<22} {folder / 'scores.parquet'}"), soft_wrap=True)


def _remark_alone(answers: tuple[str, ...], questions: tuple[str, ...], quiet: bool) -> None:
    for what, ids in (("answers have no partner", answers), ("questions have no partner", questions)):
        if ids and not quiet:
            more = f", and {len(ids) - 10} more" if len(ids) > 10 else ""
            note(f"{len(ids)} {what}: {', '.join(ids[:10])}{more}")


def _labels(path: Path) -> dict[str, float]:
    from conqret.errors import DeclarationError, Fault
    from conqret.io.files import file_rows

    found = {}
    for row in file_rows(path):
        if isinstance(row, Fault):
            raise DeclarationError(str(row))
        try:
            found[str(row.record["id"])] = float(str(row.record["label"]))
        except (KeyError, ValueError):
            raise DeclarationError(f"{path}:{row.line} needs an id and a label of 0 or 1") from None
    return found


def _mapping(columns: str | None) -> Mapping[str, str]:
    from conqret.errors import DeclarationError

    pairs = [pair.split("=", 1) for pair in (columns or "").split(",") if pair.strip()]
    if any(len(pair) != 2 or not all(part.strip() for part in pair) for pair in pairs):
        raise DeclarationError(f"--columns is a list such as id=qid,answer=text, not {columns!r}")
    return {field.strip(): column.strip() for field, column in pairs}


def _stem(answers: Path) -> str:
    return answers.name.split(".")[0]


def _folder(answers: Path, metric: str) -> Path:
    import re

    return Path("runs") / re.sub(r"[^A-Za-z0-9.]+", "-", f"{_stem(answers)}-{metric}").strip("-.")
