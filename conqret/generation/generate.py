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
from conqret.judging.judge_settings import as_path
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.options import options_in
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session


class GenerationSettings(GenerateSettings, total=False):
    """How arguments are generated: ``model`` writes them, as
    :class:`conqret.generation.generator.GenerateOptions` says.

    ``prompts``: a folder with prompts of your own. ``output``: the folder; the same call again goes on where it
    stopped. By default ``runs/RUN-MODEL``. ``overwrite`` begins afresh where it holds other arguments; its recordings
    are kept. ``recordings``: a store of answers to share with other runs; by default the folder's own. ``replay``:
    recordings to answer from; nothing is sent then."""

    model: str | ClientOptions
    prompts: str | Path | None
    output: str | Path | None
    overwrite: bool
    recordings: str | Path | None
    replay: str | Path | None


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
        raise DeclarationError(f"the strategy {wanted.way.name} asks no model; leave out --model")
    ranking, source = Path(run), Path(corpus)
    name = client.model if asks else wanted.way.name
    output = settings.get("output")
    session = Session(
        client,
        recordings=settings.get("recordings"),
        replay=settings.get("replay"),
        prompts=as_path(settings.get("prompts")),
    )
    return GenerationPlan(
        session,
        GenerationFolder(default_folder(stem(ranking), name) if output is None else Path(output)),
        make_tasks(CorpusDirectory(source), read_rankings(ranking), stance, wanted),
        wanted,
        {"corpus": source.name, "run": ranking.name, "stance": stance},
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
