"""The options of ``conqret index`` and ``conqret retrieve``, each said once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from conqret.cli.options import FILES, Answers


class StanceChoice(StrEnum):
    """The instructions of the reranker."""

    none = "none"
    pro = "pro"
    con = "con"


Corpus = Annotated[Path, typer.Argument(help="A corpus directory; it is indexed first where it is not.")]
Engine = Annotated[
    str | None,
    typer.Option(help="pisa (Linux on x86-64) or bm25s (everywhere). Default: pisa where it runs."),
]
Stemmer = Annotated[str, typer.Option(help="porter2 or none; krovetz with pisa.")]
StopWords = Annotated[
    str | None,
    typer.Option(
        "--stopwords",
        help="terrier (with pisa), lucene, english or none. Default: terrier with pisa, english with bm25s.",
    ),
]
K1 = Annotated[float, typer.Option(help="How late term frequency saturates.")]
B = Annotated[float, typer.Option(help="How far long documents are discounted, 0 to 1.")]
Rebuild = Annotated[
    bool,
    typer.Option("--rebuild", help="Build it even if the index is of this corpus and these settings."),
]
Stance = Annotated[
    StanceChoice,
    typer.Option(help="The side that the reranker looks for; none: the generic instruction."),
]
Rerank = Annotated[
    str | None,
    typer.Option(
        help="Rerank listwise with this model (any litellm model), or offline: by lexical stance evidence."
    ),
]
Perspectives = Annotated[
    bool,
    typer.Option(
        "--perspectives",
        help="Search for each perspective on the question, and merge. Needs --rerank or --model.",
    ),
]
PerspectiveModel = Annotated[
    str | None,
    typer.Option("--model", "-m", help="The model that names the perspectives. Default: that of --rerank."),
]
Mmr = Annotated[
    float | None,
    typer.Option(help="Then reorder by maximal marginal relevance with this lambda (0 to 1; BeRDS: 0.95)."),
]
Top = Annotated[int, typer.Option("--top", "-k", help="Documents to keep for each topic.")]
Depth = Annotated[int, typer.Option(help="Documents that the first stage retrieves for each topic.")]
Window = Annotated[int, typer.Option(help="Documents that the reranker sees at a time.")]
Step = Annotated[int, typer.Option(help="How far its window moves up each time.")]
Split = Annotated[str, typer.Option(help="The topics of this split: train, test or all.")]
RunFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="The TREC run to write (.gz is compressed). Default: runs/CORPUS-STANCE.res.gz",
    ),
]


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


Systems = Annotated[
    str,
    typer.Option(
        help="bm25, generic, pro, con, mmr, perspectives, or NAME=FILE for a TREC run; "
        "the first is the baseline."
    ),
]
SystemsModel = Annotated[
    str,
    typer.Option(
        "--rerank",
        help="The model behind generic, pro, con and perspectives, or offline: the lexical baseline.",
    ),
]
Measure = Annotated[
    list[str] | None,
    typer.Option(help="A measure of ir-measures; may be repeated. Default: P@10, nDCG@10, R@100."),
]
BootstrapSeed = Annotated[int, typer.Option(help="Draws the bootstrap samples.")]
