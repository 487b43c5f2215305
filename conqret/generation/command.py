"""``conqret generate arguments``: cited arguments from ranked documents."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import at, note, note_each, result
from conqret.console.shared_options import StudyOptions
from conqret.data.corpus import Split
from conqret.errors import number
from conqret.generation.generator import GenerateOptions


def generate(
    corpus: Path,
    *,
    run: Path | None = None,
    stance: Literal["pro", "con", "both"],
    split: Split | None = None,
    topics: str | None = None,
    model: options.Model = None,
    writing: GenerateOptions,
    output: Path | None = None,
    run_options: StudyOptions,
) -> None:
    """Write an argument, with conclusions and with premises that cite documents, for every topic of a ranking or of a
    corpus.

    If the documents do not fit into the model's context window, all are shortened by the same share. Citations are
    checked. The same command again goes on where it stopped, and repeats only what failed.

    Args:
        corpus: A corpus directory: documents and topics; debates and ledger, from which examples are drawn, if there
            are any.
        run: The TREC run file (.gz too) that ranks the corpus's documents for each topic. Default: each side's relevant
            documents by the corpus's qrels (gold documents).
        stance: The side to argue for: `pro`, `con`, or `both`, an item for each.
        split: The topics to argue on: `train` or `test`. Default: all.
        topics: Only these topics: ids, comma-separated, or a file with one per line.
        output (--output, -o): The folder to write. Default: runs/RUN-MODEL.

    Examples:

    conqret generate arguments corpus/ --run runs/pro.res.gz --stance pro --model gpt-4o-mini --shots 3 -k 10 -o
    runs/args

    conqret generate arguments corpus/ --run runs/con.res.gz --stance con --strategy extractive -o runs/extractive

    conqret generate arguments corpus/ --stance both --split test --strategy expert -o runs/oracle

    conqret generate arguments corpus/ --run runs/bm25.res.gz --stance both --topics zoos,homework -o runs/two

    conqret judge runs/args/items.jsonl --model gpt-4o-mini
    """
    from conqret.generation.generation_run import generate as write
    from conqret.io.trec import read_rankings
    from conqret.show.words import reason

    client = run_options.calls.for_model(model)
    if run is not None:
        run_options.shown.note(*read_rankings(run).remarks())
    outcome = run_options.study(
        write,
        corpus,
        run,
        stance=stance,
        split=split,
        topics=topics,
        model=client,
        output=output,
        **asdict(writing),
        rows="arguments",
        doing="writing",
    )
    asked = outcome.written + outcome.no_evidence + sum(outcome.failed.values())
    facts = {**asdict(outcome), "session": outcome.session.model_dump()}
    facts = {"items": str(facts.pop("items_file")), **facts}
    facts = {name: value for name, value in facts.items() if value or name not in ("overflow", "remarks")}
    by = ""
    if client.backend.baseline and not writing.way.expert:
        by = " by the lexical baseline: sentences of the documents in their own words, perhaps of the other side"
    why_left = " (reasons in generations.jsonl)" * bool(outcome.left_out)
    lines = (
        f"{outcome.written} of {number(asked, 'argument')} written{by}",
        f"citations  {outcome.out_of_range} out of range, {outcome.misquoted} quotations not in the document cited",
        f"documents  {outcome.left_out} left out{why_left}, {outcome.trimmed} cut to fit the model",
        at(outcome.items_file, "items"),
    )
    result(facts, lines, as_json=run_options.shown.json_output)
    if outcome.no_evidence:
        why = "the model found no evidence for their side in the documents"
        why = "the corpus has no expert argument for them" if writing.way.expert else why
        note(f"{outcome.no_evidence} arguments are left out, because {why}")
    note_each(
        f"{count} arguments were not written: {reason(name)}; the same command requests them again"
        for name, count in sorted(outcome.failed.items())
    )
    note(*filter(None, [*outcome.remarks, outcome.overflow]))
    reasons = {**outcome.failed, "no_evidence": outcome.no_evidence}
    end(outcome.failed, outcome.session, there=outcome.written, reasons=reasons)
