"""``conqret debate topics``: from collected topics to a set that can be debated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import end, note, progress
from conqret.debate.debatune.judged_texts import Folder, judged, sifted, sifted_file
from conqret.errors import number
from conqret.judging.study_command import StudyOptions


@grouped
def topics(
    raw: Path,
    *,
    model: options.Model = None,
    arguments: int = 0,
    output: Annotated[Path, sifted_file("topics")] = Path("topics.jsonl"),
    run: Folder = None,
    skip_invalid: options.SkipInvalid = False,
    asking: StudyOptions,
) -> None:
    """Turn collected topics into claims with two sides, and keep each once.

    The model says whether thoughtful people argue for both sides, and words the claim that one side affirms and the
    other denies. Of topics with nearly the same words the first is kept. Dropped topics are counted and written to a
    file of their own, with the reason.

    Args:
        raw: Collected topics: column topic, optionally id; JSONL, CSV, TSV, Parquet.
    Judging:
        arguments: Also ask for this many arguments for each side (DEBATunE: 5). With 0, `conqret debate hold` asks for
            them.

    Examples:

    conqret debate topics raw.jsonl --model gpt-4o-mini -o topics.jsonl

    conqret debate topics raw.csv --model gpt-4o-mini --arguments 5

    conqret debate topics raw.csv --model gpt-4o-mini --dry-run
    """
    from conqret.debate.debatune.topic_check import FORMAT, two_sided, with_arguments
    from conqret.errors import DeclarationError
    from conqret.io import open_items
    from conqret.show.words import reason

    if arguments < 0:
        raise DeclarationError(f"--arguments is 0 (none) or more a side, not {arguments}")
    source = open_items(raw, skip_invalid=skip_invalid)
    asking.shown.left_out(source.check())
    items = tuple(source)
    judgments = judged(
        items, [raw], FORMAT, model=model, output=run, asking=asking,
    )  # fmt: skip
    if judgments is None:
        if arguments:
            note(f"and for each topic that is kept 2 calls for {number(arguments, 'argument')} a side")
        return
    found, lost = two_sided(items, judgments), dict[str, int]()
    if arguments:
        session = asking.session(model or judgments.record.model)
        if judgments.folder is not None:
            session.keep_in(judgments.folder.recordings_file)
        with progress("arguing", 2 * len(found.kept), quiet=asking.shown.quiet) as bar:
            found, lost = with_arguments(found, session, arguments, bar.advance)
        asking.shown.session(session.counts)
    sifted(judgments, found, output, "Debate topics", "topics", asking=asking)
    if lost:
        why = ", ".join(f"{reason(name)} ({count})" for name, count in lost.items())
        note(f"{number(sum(lost.values()), 'side')} got no arguments, {why}: the same command asks again")
    end(lost)
