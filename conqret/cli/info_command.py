"""``conqret info formats``: what the judges rate, on which scale, and where each is from. ``conqret info doctor``:
what is installed, what is set, and whether a model answers. ``conqret info skill``: instructions for coding assistants.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import metadata
from importlib.resources import files
from typing import Any

from packaging.requirements import Requirement
from rich.console import RenderableType
from rich.text import Text

from conqret._version import __version__
from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.printing import entry, out, result
from conqret.data import Document, Item
from conqret.errors import DeclarationError, number
from conqret.judging.judge import judge as judged
from conqret.judging.judge_parts import JUDGES, Judge
from conqret.judging.summary_tables import metric_names
from conqret.llm.client_options import ClientSettings, backend_of
from conqret.llm.tokens import count_tokens
from conqret.show.words import reason

PATIENCE = 60.0
"""Seconds to wait for an answer, where --timeout does not say."""
_PACKAGES = "pydantic litellm instructor jinja2 polars tiktoken aiohttp rich cyclopts".split()
_FOR_DEVELOPERS = "dev"
"""The extra that users have no need of."""
_KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "OPENROUTER_API_KEY",
    "AZURE_API_KEY",
    "HOSTED_VLLM_API_KEY",
)


def formats(*, json_output: options.Printed = None) -> None:
    """List the formats of the judge, with their metrics, scales and sources.

    Example: conqret info formats --json
    """

    rows = [
        {
            "name": judge.name,
            "summary": judge.summary,
            "metrics": list(judge.metrics),
            "scale": judge.scale,
            "score": judge.score,
            "source": judge.source,
            "prompts": list(dict.fromkeys(ask.prompt for ask in judge.judge_prompts)),
            "needs": sorted(_fields(judge, "needs") | _fields(judge, "against")),
            "without_documents": _without_documents(judge),
            "calls": sum(2 if ask.both_orders else 1 for ask in judge.judge_prompts),
            "plug_in": JUDGES.plugged(judge.name),
        }
        for judge in JUDGES.values()
    ]
    result(rows, _entries(rows), as_json=json_output)


def _entries(rows: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    for row in rows:
        judge = JUDGES[row["name"]]
        lines = (
            row["summary"],
            f"metrics: {metric_names(row['metrics'])}",
            *(f"with --metric {name}: 1 - {base}, lower is better" for name, base in judge.derived.items()),
            *(f"items without a {name}: unscored" for name in sorted(_fields(judge, "against"))),
            f"without documents: {metric_names(row['without_documents']) or 'nothing'}",
            f"scale: {row['scale']}; score: {row['score']}",
            f"source: {row['source']}",
            *([f"plug-in: {row['plug_in']}"] if row["plug_in"] else []),
        )
        cost = f"{number(row['calls'], 'call')} an item" if row["calls"] else "no calls"
        yield from entry(row["name"], cost, lines)
    yield "The default is rag-fine-grained. A preference is always judged in both orders, which takes two calls."
    yield (
        "If no format fits, use --criterion with a criterion of your own in a sentence (docs/criteria.md), or "
        "--rubric with a file of weighted criteria (docs/rubrics.md)."
    )
    yield "Metrics may be written with hyphens: --metric context-relevance."
    yield "What ragas, DeepEval, TruLens, RAGChecker and others call them: docs/you-know-it-as.md."


def _fields(judge: Judge, kind: str) -> set[str]:
    return set().union(*(getattr(part, kind) for part in judge.parts()))


def _without_documents(judge: Judge) -> list[str]:
    """The metrics that items without documents can have."""
    return [metric for part in judge.parts() if "documents" not in part.needs for metric in part.metrics]


def doctor(*, model: str | None = None, calls: options.Calls) -> None:
    """Check the installation: versions, optional packages, API keys (only whether they are set), tokenizer files, and
    with `--model` whether a model answers.

    Args:
        model (--model, -m): Send this model one small request, and show its response.

    Example: conqret info doctor --model gpt-4o-mini
    """
    _line(
        True,
        f"conqret {__version__} on Python {platform.python_version()}, {sys.platform} {platform.machine()}",
    )
    healthy = True
    for package in _PACKAGES:
        version = _version(package)
        healthy &= version is not None
        _line(version is not None, f"{package} {version or 'is missing: pip install conqret'}")
    for extra in sorted(metadata.metadata("conqret").get_all("Provides-Extra") or []):
        if extra == _FOR_DEVELOPERS:
            continue
        missing = _missing(extra)
        wanting = f"not installed (no {', '.join(missing)}): pip install 'conqret[{extra}]'"
        _line(None if missing else True, f"extra {extra}: {wanting if missing else 'installed'}")
    _line(
        True,
        f"tokens are counted offline ({count_tokens('Should the voting age be lowered?')} for a short question)",
    )
    keys = [name for name in _KEYS if os.environ.get(name, "").strip()]
    _line(True if keys else None, f"keys set: {', '.join(keys) or 'none (the offline model needs none)'}")
    if model is not None:
        healthy &= _ask(model, calls)
    end(not healthy)


def skill() -> None:
    """Print instructions for coding assistants (SKILL.md): to check, judge, gate and validate, with questions for the
    user.

    Example: conqret info skill > .claude/skills/conqret/SKILL.md
    """
    sys.stdout.write(files("conqret.cli").joinpath("skill.md").read_text(encoding="utf-8"))


def _ask(model: str, calls: options.Calls) -> bool:
    """Judge a tiny item with the bare format, print the result as one line of the check, and return True if the model
    gave a valid answer. A paid model is charged for one request."""
    item = Item(
        id="doctor",
        topic="Should the voting age be lowered to 16?",
        documents=(Document(id="1", text="A council asked whether people of sixteen should vote."),),
        argument="People of sixteen should vote [1].",
    )
    backend = backend_of(model)
    if backend.writes or backend.decides:
        name, metric = "direct", "context_relevance"
    else:
        name, metric = "likelihood", "groundedness"
    client: ClientSettings = {"timeout": PATIENCE, **calls.given()}  # type: ignore[typeddict-item]
    try:
        judgment = judged(item, format=name, metrics=[metric], model=model, **client)[0]
    except DeclarationError as error:  # no key, no such address
        _line(False, str(error))
        return False
    measure = judgment.measures[metric]
    seconds = sum(call.seconds for call in judgment.trace.calls)
    if measure.value is None:
        _line(False, f"{model}: {judgment.status}: {reason(measure.reason)}: {measure.detail}")
        return False
    cost = judgment.trace.cost_usd
    price = "price unknown" if cost is None else f"${cost:.6f}"
    _line(True, f"{model} answered in {seconds:.1f} s with a valid answer ({price})")
    return True


def _line(good: bool | None, text: str) -> None:

    mark, style = {True: ("ok  ", "green"), False: ("FAIL", "bold red"), None: ("-   ", "dim")}[good]
    out().print(Text.assemble((mark, style), " ", text), soft_wrap=True)


def _version(package: str) -> str | None:

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _missing(extra: str) -> list[str]:
    """Return what an extra needs on this machine and is not installed, by the metadata of the installed package,
    including the extras that it contains."""

    names: list[str] = []
    for line in metadata.requires("conqret") or ():
        wanted = Requirement(line)
        if (
            wanted.marker is None
            or not wanted.marker.evaluate({"extra": extra})
            or wanted.marker.evaluate({"extra": ""})
        ):
            continue
        if wanted.name == "conqret":
            names += [name for inner in sorted(wanted.extras) for name in _missing(inner)]
        elif _version(wanted.name) is None:
            names.append(wanted.name)
    return list(dict.fromkeys(names))
