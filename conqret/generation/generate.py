"""``generate``: cited arguments for the topics of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Unpack

from conqret.errors import DeclarationError, strict_options
from conqret.generation.generation_run import GenerationFolder, GenerationOutcome, GenerationPlan
from conqret.generation.generation_run import generate as write_arguments
from conqret.generation.generator import GenerateOptions, GenerateSettings
from conqret.generation.tasks import make_tasks
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.trec import read_rankings
from conqret.judging.judge_settings import AskingSettings, session_settings
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import options_in
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session


class GenerationSettings(GenerateSettings, AskingSettings, total=False):
    """How arguments are generated: ``model`` writes them, as
    :class:`conqret.generation.generator.GenerateOptions` says. ``output``: the folder; the same call again goes on
    where it stopped. By default ``runs/RUN-MODEL``."""

    model: str | ClientOptions
    output: str | Path | None


@strict_options
def generation_job(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    **settings: Unpack[GenerationSettings],
) -> GenerationPlan:
    """Arguments that are ready to be written, or to be estimated. Raises DeclarationError as :func:`generate`."""
    client = ClientOptions.of(settings.get("model", OFFLINE_MODEL))
    client.backend.check_can_ask("the question for an argument")
    wanted = options_in(settings, GenerateOptions)
    asks = bool(wanted.way.prompts)
    if not asks and not client.backend.baseline:
        raise DeclarationError(f"the strategy {wanted.way.name} uses no model; leave out --model")
    ranking, source = Path(run), Path(corpus)
    name = client.model if asks else wanted.way.name
    output, rankings = settings.get("output"), read_rankings(ranking)
    return GenerationPlan(
        Session(client, **session_settings(settings)),
        GenerationFolder(default_folder(stem(ranking), name) if output is None else Path(output)),
        make_tasks(CorpusDirectory(source), rankings, stance, wanted),
        wanted,
        {"corpus": source.name, "run": ranking.name, "stance": stance},
        rankings.remarks(),
    )


@strict_options
def generate(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    **settings: Unpack[GenerationSettings],
) -> GenerationOutcome:
    """Write a cited argument for every topic that a run ranks, into a folder whose items are ready to be judged.

    Args:
        corpus: a corpus directory.
        run: the TREC run that ranks its documents (``.gz`` too).
        stance: the side to argue for.
        settings: who writes, how, and where to: :class:`GenerationSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the corpus, the run or the folder. No model is asked then.
    """
    plan = generation_job(corpus, run, stance=stance, **settings)
    return write_arguments(plan, overwrite=settings.get("overwrite", False))
