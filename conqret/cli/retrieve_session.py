"""What both commands of ``conqret retrieve`` need: options, topics, and a session with a model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.cli.options import FILES, Answers, Calls
from conqret.errors import DeclarationError, UnknownNameError

if TYPE_CHECKING:
    from conqret.data import corpus as data
    from conqret.retrieval.rerank import RerankSummary
    from conqret.runs.session import Session

Corpus = Annotated[Path, typer.Argument(help="A corpus directory; it is indexed first where it is not.")]
Depth = Annotated[int, typer.Option(help="Documents that the first stage retrieves for each topic.")]
Split = Annotated[str, typer.Option(help="The topics of this split: train, test or all.")]


@dataclass(frozen=True)
class AnswersBeside(Answers):
    """The same for a run, which is a file."""

    recordings: Annotated[
        Path | None,
        typer.Option(
            help="A store of answers to read and add to. Default: recordings.sqlite beside the run.",
            rich_help_panel=FILES,
        ),
    ] = None


def as_split(split: str) -> data.Split | None:
    """The split of that name; None for ``all``.

    Raises:
        UnknownNameError: there is no such split.
    """
    from conqret.data.corpus import SPLITS

    if split == "all":
        return None
    for known in SPLITS:
        if known == split:
            return known
    raise UnknownNameError("split", split, [*SPLITS, "all"])


def pick_topics(corpus: Path, split: str) -> list[data.CorpusTopic]:
    """The topics of a split, or of ``all``.

    Raises:
        DeclarationError: it has none.
    """
    from conqret.io.corpus import CorpusDirectory

    topics = list(CorpusDirectory(corpus).topics(as_split(split)))
    if not topics:
        raise DeclarationError(f"{corpus} has no topics of the split {split!r}; choose another with --split")
    return topics


def open_session(
    model: str,
    calls: Calls,
    answers: Answers,
    prompts: Path | None,
    *,
    beside: Path,
) -> Session:
    """A session whose answers are recorded where ``answers`` says, or else beside the output.

    The baseline's answers are not recorded by default: they cost nothing.

    Raises:
        DeclarationError: the model is a local one, which does not write.
    """
    from conqret.llm.recordings import STORE_NAME
    from conqret.runs.session import Session

    chosen = calls.client(model)
    chosen.backend.check_can_ask("what retrieval asks")
    store = answers.recordings
    if answers.replay is None and store is None and not chosen.backend.baseline:
        store = beside.parent / STORE_NAME
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
    return Session(chosen, recordings=store, replay=answers.replay, prompts=prompts)


def describe_windows(windows: RerankSummary) -> str:
    """In words, what became of the reranker's windows."""
    parts = [f"{windows.windows} windows"]
    if windows.failed:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(windows.reasons.items()))
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
