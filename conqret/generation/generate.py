"""``generate``: cited arguments for the topics of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from conqret.errors import DeclarationError, strict_options
from conqret.generation.examples import SEED, SHOTS
from conqret.generation.generation_run import GenerationOutcome, GenerationRun
from conqret.generation.generation_run import generate as write_arguments
from conqret.generation.generation_strategy import DEFAULT_STRATEGY
from conqret.generation.generator import DOCUMENTS, GenerateOptions
from conqret.generation.tasks import make_tasks
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.trec import read_rankings
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.prompts import Library
from conqret.runs.run_places import default_folder, stem


def generation_job(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    model: str | ClientOptions = OFFLINE_MODEL,
    strategy: str = DEFAULT_STRATEGY,
    shots: int = SHOTS,
    documents: int = DOCUMENTS,
    expert: bool = False,
    seed: int = SEED,
    temperature: float | None = None,
    prompts: str | Path | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
) -> GenerationRun:
    """Arguments that are ready to be written, or to be estimated. Raises DeclarationError as :func:`generate`."""
    client = ClientOptions.of(model)
    client.backend.check_can_ask("the question for an argument")
    wanted = GenerateOptions(shots, documents, seed, temperature, expert, strategy)
    asks = bool(wanted.way.prompts)
    if not asks and not client.backend.baseline:
        raise DeclarationError(f"the strategy {wanted.way.name} asks no model; leave out --model")
    ranking, source = Path(run), Path(corpus)
    name = client.model if asks else wanted.way.name
    return GenerationRun(
        tasks=make_tasks(CorpusDirectory(source), read_rankings(ranking), stance, wanted),
        options=wanted,
        model=client,
        out=default_folder(stem(ranking), name) if output is None else Path(output),
        library=Library(None if prompts is None else Path(prompts)),
        recordings=None if recordings is None else Path(recordings),
        replay=None if replay is None else Path(replay),
        overwrite=overwrite,
        settings={"corpus": source.name, "run": ranking.name, "stance": stance},
    )


@strict_options
def generate(
    corpus: str | Path,
    run: str | Path,
    *,
    stance: Literal["pro", "con"],
    model: str | ClientOptions = OFFLINE_MODEL,
    strategy: str = DEFAULT_STRATEGY,
    shots: int = SHOTS,
    documents: int = DOCUMENTS,
    expert: bool = False,
    seed: int = SEED,
    temperature: float | None = None,
    prompts: str | Path | None = None,
    output: str | Path | None = None,
    overwrite: bool = False,
    recordings: str | Path | None = None,
    replay: str | Path | None = None,
) -> GenerationOutcome:
    """Write a cited argument for every topic that a run ranks, into a folder whose items are ready to be judged.

    Args:
        corpus: a corpus directory.
        run: the TREC run that ranks its documents (``.gz`` too).
        stance: the side to argue for.
        model: who writes.
        strategy: the way to answer (``cited``, ``extractive``, or a plug-in's).
        shots: examples in the prompt, expert arguments on train topics.
        documents: documents for each argument.
        expert: put the expert's argument beside the new one, for formats that compare.
        seed: draws the examples.
        temperature: the model's; 0 unless given.
        prompts: a folder with prompts of your own.
        output: the folder; the same call again goes on where it stopped. By default ``runs/RUN-MODEL``.
        overwrite: begin afresh where the folder holds other arguments; its recordings are kept.
        recordings: a store of answers to share with other runs; by default the folder's own.
        replay: recordings to answer from; nothing is sent then.

    Raises:
        DeclarationError: anything wrong with the call, the corpus, the run or the folder. No model is asked then.
    """
    job = generation_job(
        corpus, run, stance=stance, model=model, strategy=strategy, shots=shots, documents=documents, expert=expert,
        seed=seed, temperature=temperature, prompts=prompts, output=output, overwrite=overwrite, recordings=recordings,
        replay=replay,
    )  # fmt: skip
    return write_arguments(job)
