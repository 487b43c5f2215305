"""What both commands of ``conqret retrieve run`` need: options, topics, and a session with a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console.shared_options import RecordingOptions

if TYPE_CHECKING:
    from conqret.retrieval.rerank import RerankSummary

Corpus = Annotated[Path, typer.Argument(help="A corpus directory; it is indexed first if it is not.")]
Engines = Annotated[
    str,
    typer.Option(
        help="bm25, dense or a plug-in's; several with commas are fused. Build an index for `dense` first, with "
        "`conqret retrieve index`."
    ),
]
Where = Annotated[
    str | None,
    typer.Option(
        help="The folder of the embedding model of a `dense` index, if it has been moved since the index was built."
    ),
]
MmrEncoder = Annotated[
    str | None,
    typer.Option(help="Compare documents by this encoder's vectors for MMR. Default: by their words."),
]
Depth = Annotated[
    int,
    typer.Option(
        help="How many documents each system's first stage (search by words or vectors) retrieves per topic, before "
        "reranking."
    ),
]
Split = Annotated[str, typer.Option(help="The topics of this split: train, test or all.")]


@dataclass(frozen=True)
class RunRecordings(RecordingOptions):
    """The same for a run, which is a file.

    Files:
        recordings: The file of recorded model responses to read from and add to. Default: recordings.sqlite next to the
            run.
    """

    recordings: Path | None = None


def describe_windows(windows: RerankSummary) -> str:
    """In words, what became of the reranker's windows."""
    from conqret.show.words import reason

    parts = [f"{windows.windows} windows"]
    if windows.failed:
        reasons = ", ".join(f"{count}: {reason(name)}" for name, count in sorted(windows.reasons.items()))
        parts.append(f"{windows.failed} failed and kept their order ({reasons})")
    for count, words in (
        (windows.missing, "documents left out of answers"),
        (windows.duplicates, "repeated"),
        (windows.invented, "invented"),
        (windows.trimmed, "cut to fit the model"),
    ):
        if count:
            parts.append(f"{count} {words}")
    return ", ".join(parts)
