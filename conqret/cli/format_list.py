"""``conqret info formats``: what the judges ask for, on which scale, and where each is from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.printing import entry, result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.judging.judge_parts import Judge


def formats(
    json_output: options.Printed = None,
) -> None:
    """List the formats of the judge, with their metrics, scales and sources.

    Example: conqret info formats --json
    """
    from conqret.judging.judge_parts import JUDGES

    judges = list(JUDGES.values())
    rows = [
        {
            "name": judge.name,
            "summary": judge.summary,
            "metrics": list(judge.metrics),
            "scale": judge.scale,
            "score": judge.score,
            "source": judge.source,
            "prompts": list(dict.fromkeys(ask.prompt for ask in judge.asks)),
            "needs": sorted(set().union(*(part.needs | part.against for part in judge.parts()))),
            "without_documents": _without_documents(judge),
            "calls": sum(2 if ask.both_orders else 1 for ask in judge.asks),
            "plug_in": JUDGES.plugged(judge.name),
        }
        for judge in judges
    ]
    result(rows, _entries(judges), as_json=json_output)


def _entries(judges: Sequence[Judge]) -> Iterator[RenderableType]:
    from conqret.judging.judge_parts import JUDGES
    from conqret.judging.summary_tables import metric_names

    for judge in judges:
        calls = sum(2 if ask.both_orders else 1 for ask in judge.asks)
        package = JUDGES.plugged(judge.name)
        lines = (
            judge.summary,
            f"metrics: {metric_names(judge.metrics)}",
            *(f"with --metric {name}: 1 - {base}, lower is better" for name, base in judge.derived.items()),
            *(f"items without a {name}: unscored" for name in _against(judge)),
            f"without documents: {metric_names(_without_documents(judge)) or 'nothing'}",
            f"scale: {judge.scale}; score: {judge.score}",
            f"source: {judge.source}",
            *([f"plug-in: {package}"] if package else []),
        )
        cost = f"{calls} call{'s' if calls > 1 else ''} an item" if calls else "no calls"
        yield from entry(judge.name, cost, lines)
    yield "The default is rag-fine-grained. A preference is always judged in both orders, which takes two calls."
    yield (
        "If no format fits, use --criterion with a criterion of your own in a sentence (docs/criteria.md), or "
        "--rubric with a file of weighted criteria (docs/rubrics.md)."
    )
    yield "Metrics may be written with hyphens: --metric context-relevance."
    yield "What ragas, DeepEval, TruLens, RAGChecker and others call them: docs/you-know-it-as.md."


def _against(judge: Judge) -> list[str]:
    return sorted(set().union(*(part.against for part in judge.parts())))


def _without_documents(judge: Judge) -> list[str]:
    """The metrics that items without documents can have."""
    return [metric for part in judge.parts() if "documents" not in part.needs for metric in part.metrics]
