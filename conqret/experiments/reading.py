"""Read the file of an experiment, and name every fault in it with its line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conqret.data.criterion import criterion_of
from conqret.errors import ConqretError
from conqret.experiments.config import NONE, ConfigTable, Experiment, JudgeTable, Retriever
from conqret.generation.strategies import STRATEGIES
from conqret.io.rows import near
from conqret.io.toml import Place, read_toml, toml_error
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import JUDGES, JURY
from conqret.llm.client_options import backend_of
from conqret.llm.providers import address
from conqret.options import fault_text
from conqret.retrieval.engines import ENGINES, get_engine
from conqret.retrieval.system_names import BM25_NAME
from conqret.retrieval.text_encoding import is_adapter


def _said(problem: Any) -> str:
    known = {name for table in _tables(ConfigTable) for name in table.model_fields}
    unknown = problem["type"] == "extra_forbidden"
    meant = near(str(problem["loc"][-1]), sorted(known)) if unknown else None
    return f"there is no such field here; did you mean {meant!r}?" if meant else fault_text(problem)


def _tables(kind: type[ConfigTable]) -> Iterator[type[ConfigTable]]:
    for table in kind.__subclasses__():
        yield table
        yield from _tables(table)


_Fault = tuple[Place, str]

SEARCHING = ("engine", "encoder", "weights", "cross_encoder", "instruction")
"""The fields of a retriever that say how it searches."""

WRITES: Mapping[object, str] = {
    "rerankers": "a ranking",
    "generators": "an argument",
    "perturbation_model": "a rewrite",
}
"""What models write, by where the file names them."""

TRUST = "--trust-file (trust=True)"
"""How a user says that a file may run code and name addresses."""


def read_experiment(path: Path, *, trust: bool = False) -> Experiment:
    """Read and check an experiment file, and return it with absolute paths.

    Args:
        path: the TOML file.
        trust: allow the file to name Python code and servers that receive requests.

    Raises:
        DeclarationError: the file is missing, is not TOML, or has faults. Each fault is listed with
            its line.
    """
    text, table = read_toml(path)
    folder = path.resolve().parent
    try:
        experiment = Experiment.model_validate(table, context={"folder": folder})
    except ValidationError as error:
        problems = error.errors(include_url=False)
        # without the types that pydantic names in places
        places = (tuple(part for part in problem["loc"] if "[" not in str(part)) for problem in problems)
        typed = list(zip(places, map(_said, problems), strict=True))
        raise toml_error(path, text, typed, "experiment") from None
    faults = list(_faults(experiment))
    if not trust:
        faults += [(place, f"{what}, only with {TRUST}") for place, what in _reaching(experiment)]
    if faults:
        raise toml_error(path, text, faults, "experiment")
    return _anchored_models(experiment, folder)


def _anchored_models(experiment: Experiment, folder: Path) -> Experiment:
    """Return the experiment with absolute paths of local models; those that begin with ``./`` or ``../`` are
    relative to ``folder``, the file's own.

    A judge keeps the label that the file's words give it, so that results have the same names wherever the file is.
    """

    def anchored(model: str) -> str:
        return backend_of(model).anchored(model, folder)

    judges = [
        judge
        if anchored(judge.model) == judge.model
        else judge.model_copy(update={"model": anchored(judge.model), "name": judge.label})
        for judge in experiment.judges
    ]
    models = {anchored(name): table for name, table in experiment.models.items()}
    return experiment.model_copy(update={"judges": judges, "models": models})


def _models(experiment: Experiment) -> Iterator[tuple[Place, str]]:
    """Every model that the file names, and where."""
    for kind, tables in (("rerankers", experiment.rerankers), ("generators", experiment.generators)):
        yield from (((kind, name, "model"), table.model) for name, table in tables.items())
    yield from ((("judges", place, "model"), judge.model) for place, judge in enumerate(experiment.judges))
    yield ("perturbation_model",), experiment.perturbation_model


def reached_servers(experiment: Experiment) -> dict[str, str]:
    """Return a mapping from each model to the server or program that the file itself sends its requests to."""
    reached = {model: backend_of(model).reaches(model) for _, model in _models(experiment)}
    named = {model: table.options.get("api_base", "") for model, table in experiment.models.items()}
    return {model: address(where) for model, where in {**reached, **named}.items() if where}


def _reaching(experiment: Experiment) -> Iterator[_Fault]:
    """Yield what in the file runs code on this machine, or has texts and keys sent to an address: the user must allow
    each of these."""
    for name, retriever in experiment.retrievers.items():
        for field in ("encoder", "cross_encoder"):
            if is_adapter(getattr(retriever, field) or ""):
                yield ("retrievers", name, field), "is Python code, which the file may run"
    for place, model in _models(experiment):
        if where := backend_of(model).reaches(model):
            yield place, f"leads to {where}, which the file must allow"
    for model, table in experiment.models.items():
        if base := table.options.get("api_base"):
            yield ("models", model, "api_base"), f"texts and keys would go to {address(base)}"


def _jury_faults(experiment: Experiment, labels: Mapping[str, int]) -> Iterator[_Fault]:
    """Yield what keeps the judges from being a jury; ``labels`` has the places of the judges by their names."""
    if len(experiment.judges) < 2:
        yield ("jury",), "needs two judges at least"
    if JURY.name in labels:
        yield ("judges", labels[JURY.name]), "is called as the jury is: give it another name"
    asked = []
    for judge in experiment.judges:
        with contextlib.suppress(ConqretError):  # a fault that is told by itself
            asked.append(set(judge.options(0).metrics or JUDGES.resolve(judge.judge).metrics))
    if asked and not set.intersection(*asked):
        yield ("jury",), "the judges share no metric"


def _faults(experiment: Experiment) -> Iterator[_Fault]:
    """Yield what the types alone cannot tell: unknown names, missing files, repeated labels, and models that cannot do
    what they are for."""
    if not (experiment.corpus / "documents.jsonl").is_file():
        yield ("corpus",), f"{experiment.corpus} is not a corpus: documents.jsonl is missing"
    elif not all((experiment.corpus / name).is_file() for name in ("debates.jsonl", "ledger.jsonl")):
        yield from _expert_faults(experiment)
    if experiment.prompts is not None and not experiment.prompts.is_dir():
        yield ("prompts",), f"{experiment.prompts} is not a folder"
    yield from _retriever_faults(experiment)
    yield from _system_faults(experiment)
    labels: dict[str, int] = {}
    for place, judge in enumerate(experiment.judges):
        yield from _judge_faults(("judges", place), judge)
        if judge.label in labels:
            same = f"{judge.label!r} as judges[{labels[judge.label]}]"
            yield ("judges", place), f"is called {same}; give it a name"
        labels.setdefault(judge.label, place)
    if experiment.jury is not None:
        yield from _jury_faults(experiment, labels)
    for place, perturbation in enumerate(experiment.perturbations):
        yield from _named(("perturbations", place, "name"), perturbation.with_levels)
    for name, table in experiment.generators.items():
        yield from _named(("generators", name, "strategy"), partial(table.options, experiment.seed))
    for owner, model in _models(experiment):  # models that are only read, where one has to write
        if what := WRITES.get(owner[0]):
            decided = owner[0] == "rerankers"
            check = partial(backend_of(model).check_can_request, f"the question for {what}", decided=decided)
            yield from _named(owner, check)
    for model in experiment.models:
        yield from _named(("models", model), partial(experiment.client, model))


def _expert_faults(experiment: Experiment) -> Iterator[_Fault]:
    """Yield a fault for each setting of a generator that needs experts' arguments, which the corpus lacks."""
    for name, table in experiment.generators.items():
        if table.strategy not in STRATEGIES:
            continue
        way = STRATEGIES[table.strategy]
        needed = {"shots": way.prompts and table.shots, "expert": table.expert, "strategy": way.expert}
        remedies = {"shots": "shots = 0", "expert": "expert = false", "strategy": "another strategy"}
        for key, uses in needed.items():
            if uses:
                why = (
                    f"needs experts' arguments (debates.jsonl, ledger.jsonl), which {experiment.corpus} lacks"
                )
                yield ("generators", name, key), f"{why}: write {remedies[key]}"


def _judge_faults(place: Place, judge: JudgeTable) -> Iterator[_Fault]:
    """Yield the faults of a judge's criteria, each with its place; if all are sound, what is wrong with them together,
    or with the format."""
    alone = list[_Fault]()
    for number, criterion in enumerate(judge.criteria):
        alone += _named((*place, "criteria", number), partial(criterion_of, criterion))
    yield from alone
    if not alone:
        own = [key for key in (CRITERIA, RUBRIC) if judge.format == key and getattr(judge, key)]
        named = (*place, own[0] if own else "format")
        yield from _named(named, lambda: JUDGES.resolve(judge.judge).select(judge.options(0).metrics))


def _retriever_faults(experiment: Experiment) -> Iterator[_Fault]:
    for name, retriever in experiment.retrievers.items():
        files = retriever.files
        for side, file in files.items():
            if not file.is_file():
                yield ("retrievers", name, "run", *([side] if side else [])), f"there is no file {file}"
        lacking = [side for side in experiment.stances if files and "" not in files and side not in files]
        if lacking:
            yield ("retrievers", name, "run"), f"has no file for {', '.join(lacking)}"
        yield from _searching_faults(("retrievers", name), retriever)
    for name, reranker in experiment.rerankers.items():
        if reranker.step > reranker.window:
            yield ("rerankers", name, "step"), f"{reranker.step} is more than the window of {reranker.window}"
        if name == NONE:
            yield ("rerankers", name), f"{NONE!r} stands for no reranker; give it another name"


def _searching_faults(place: Place, retriever: Retriever) -> Iterator[_Fault]:
    options = [name for name in SEARCHING if getattr(retriever, name) != Retriever.model_fields[name].default]
    if retriever.run is not None:
        why = "the rankings come from a file, so nothing is searched: leave out run, or this"
        yield from (((*place, name), why) for name in options)
        return
    for name in retriever.engines:
        if name != BM25_NAME:
            yield from _named((*place, "engine"), partial(get_engine, name))
    if retriever.encoder is not None and all(
        name == BM25_NAME or (name in ENGINES and ENGINES[name].folds) for name in retriever.engines
    ):
        yield (*place, "encoder"), 'is for an engine that compares vectors: engine = "dense" or "bm25,dense"'
    if retriever.weights is not None and len(retriever.weights) != len(retriever.engines):
        counts = f"{len(retriever.weights)} for {len(retriever.engines)} engines"
        yield (*place, "weights"), f"has {counts}: give one for each, or none"
    if retriever.instruction and retriever.cross_encoder is None:
        yield (*place, "instruction"), "is for a reranker that reads it: give cross_encoder, too"


def _system_faults(experiment: Experiment) -> Iterator[_Fault]:
    known: dict[str, list[str]] = {
        "retriever": list(experiment.retrievers),
        "reranker": [NONE, *experiment.rerankers],
        "generator": list(experiment.generators),
    }
    for place, grid in enumerate(experiment.systems):
        for part, names in known.items():
            there = ", ".join(names)
            for name in getattr(grid, part):
                if name not in names:
                    yield ("systems", place, part), f"there is no {part} {name!r}; the file has {there}"


def _named(place: Place, check: Callable[[], object]) -> Iterator[_Fault]:
    try:
        check()
    except ConqretError as error:
        yield place, str(error)
