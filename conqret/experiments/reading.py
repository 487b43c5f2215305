"""Read the file of an experiment, and name every fault in it with its line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conqret.errors import ConqretError
from conqret.experiments.config import BM25, NONE, ConfigTable, Experiment, JudgeTable, Retriever
from conqret.io.rows import near
from conqret.io.toml import Place, read_toml, toml_error
from conqret.judging.criterion import criterion_of
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import JUDGES, JURY
from conqret.llm.backend import backend_of
from conqret.llm.provider_check import address
from conqret.options import said
from conqret.retrieval.dense.text_encoding import is_adapter
from conqret.retrieval.search_engine import ENGINES, get_engine


def _said(problem: Any) -> str:
    known = {name for table in _tables(ConfigTable) for name in table.model_fields}
    unknown = problem["type"] == "extra_forbidden"
    meant = near(str(problem["loc"][-1]), sorted(known)) if unknown else None
    return f"{said(problem)}: did you mean {meant!r}?" if meant else said(problem)


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
    """Read and check the file, every path in it made absolute.

    A file may be a stranger's: only with ``trust`` may it name Python code, and addresses to which requests go.

    Raises:
        DeclarationError: it is not there, is no TOML, or has faults, each named with its line: those of its types, or
            else those of its names and values.
    """
    text, table = read_toml(path)
    folder = path.resolve().parent
    try:
        experiment = _anchored(Experiment.model_validate(table), folder)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        typed = [(tuple(problem["loc"]), _said(problem)) for problem in problems]
        raise toml_error(path, text, typed, "experiment") from None
    faults = list(_faults(experiment))
    if not trust:
        faults += [(place, f"{what}, only with {TRUST}") for place, what in _reaching(experiment)]
    if faults:
        raise toml_error(path, text, faults, "experiment")
    return _anchored_models(experiment, folder)


def _anchored(experiment: Experiment, folder: Path) -> Experiment:
    """The same with every path absolute, those of the file taken from its own folder."""
    retrievers = {
        name: _anchored_retriever(retriever, folder) for name, retriever in experiment.retrievers.items()
    }
    prompts = folder / experiment.prompts if experiment.prompts is not None else None
    judges = [
        judge if judge.rubric is None else judge.model_copy(update={"rubric": folder / judge.rubric})
        for judge in experiment.judges
    ]
    update = {
        "corpus": folder / experiment.corpus,
        "prompts": prompts,
        "retrievers": retrievers,
        "judges": judges,
    }
    return experiment.model_copy(update=update)


def _anchored_retriever(retriever: Retriever, folder: Path) -> Retriever:
    """The same with its files, and with models whose folders begin with ``./`` or ``../``, taken from ``folder``."""
    run = retriever.run
    if isinstance(run, dict):
        files: Any = {side: folder / file for side, file in run.items()}
    else:
        files = None if run is None else folder / run
    models = {
        name: str(folder / model)
        for name in ("encoder", "cross_encoder")
        if (model := getattr(retriever, name)) is not None and model.startswith(("./", "../"))
    }
    return retriever.model_copy(update={"run": files, **models})


def _anchored_models(experiment: Experiment, folder: Path) -> Experiment:
    """The same with the folders of local models that begin with ``./`` or ``../`` taken from the file's own.

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


def addresses(experiment: Experiment) -> dict[str, str]:
    """By model, the server or program that the file itself sends its requests to."""
    reached = {model: backend_of(model).reaches(model) for _, model in _models(experiment)}
    named = {model: table.options.get("api_base", "") for model, table in experiment.models.items()}
    return {model: where for model, where in {**reached, **named}.items() if where}


def _reaching(experiment: Experiment) -> Iterator[_Fault]:
    """What in the file runs code on this machine, or has texts and keys sent to an address."""
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
    """What keeps the judges from being a jury."""
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
    """What the types alone cannot tell: names that lead nowhere, files that are not there, repeated labels."""
    if not (experiment.corpus / "documents.jsonl").is_file():
        yield ("corpus",), f"{experiment.corpus} is not a corpus: documents.jsonl is missing"
    if experiment.prompts is not None and not experiment.prompts.is_dir():
        yield ("prompts",), f"{experiment.prompts} is not a folder"
    yield from _retriever_faults(experiment)
    yield from _system_faults(experiment)
    labels: dict[str, int] = {}
    for place, judge in enumerate(experiment.judges):
        yield from _judge_faults(("judges", place), judge)
        if judge.label in labels:
            yield (
                ("judges", place),
                f"is called {judge.label!r} as judges[{labels[judge.label]}]; give it a name",
            )
        labels.setdefault(judge.label, place)
    if experiment.jury is not None:
        yield from _jury_faults(experiment, labels)
    for place, perturbation in enumerate(experiment.perturbations):
        yield from _named(("perturbations", place, "name"), perturbation.damage)
    for name, table in experiment.generators.items():
        yield from _named(("generators", name, "strategy"), lambda t=table: t.options(experiment.seed))
    yield from _writer_faults(experiment)
    for model in experiment.models:
        yield from _named(("models", model), lambda m=model: experiment.client(m))


def _judge_faults(place: Place, judge: JudgeTable) -> Iterator[_Fault]:
    """A criterion that is none, with its place among them, or what is wrong with all together, or with the format."""
    alone = [
        fault
        for number, criterion in enumerate(judge.criteria)
        for fault in _named((*place, "criteria", number), lambda c=criterion: criterion_of(c))
    ]
    yield from alone
    if not alone:
        made_of = {"criteria": CRITERIA, "rubric": RUBRIC}
        own = [key for key, name in made_of.items() if getattr(judge, key) and judge.format == name]
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
        for name in options:
            yield (
                (*place, name),
                "the rankings come from a file, so nothing is searched: leave out run, or this",
            )
        return
    for name in retriever.engines:
        if name != BM25:
            yield from _named((*place, "engine"), lambda n=name: get_engine(n))
    if retriever.encoder is not None and all(
        name == BM25 or (name in ENGINES and ENGINES[name].folds) for name in retriever.engines
    ):
        yield (*place, "encoder"), 'is for an engine that compares vectors: engine = "dense" or "bm25,dense"'
    if retriever.weights is not None and len(retriever.weights) != len(retriever.engines):
        count = len(retriever.engines)
        yield (
            (*place, "weights"),
            f"has {len(retriever.weights)} for {count} engines: give one for each, or none",
        )
    if retriever.instruction and retriever.cross_encoder is None:
        yield (*place, "instruction"), "is for a reranker that reads it: give cross_encoder, too"


def _writer_faults(experiment: Experiment) -> Iterator[_Fault]:
    """Models that are only read, where one has to write."""
    for place, model in _models(experiment):
        if what := WRITES.get(place[0]):
            question = f"the question for {what}"
            yield from _named(place, lambda m=model, q=question: backend_of(m).check_can_ask(q))


def _system_faults(experiment: Experiment) -> Iterator[_Fault]:
    known: dict[str, list[str]] = {
        "retriever": list(experiment.retrievers),
        "reranker": [NONE, *experiment.rerankers],
        "generator": list(experiment.generators),
    }
    for place, grid in enumerate(experiment.systems):
        for part, names in known.items():
            for name in getattr(grid, part):
                if name not in names:
                    yield (
                        ("systems", place, part),
                        f"there is no {part} {name!r}; the file has {', '.join(names)}",
                    )


def _named(place: Place, check: Any) -> Iterator[_Fault]:
    try:
        check()
    except ConqretError as error:
        yield place, str(error)
