"""The formats by name: conqret's own, a module of :mod:`conqret.judges` each, and those of plug-ins."""

from __future__ import annotations

from conqret.judging.judge_parts import Judge
from conqret.registry import Registry

DEFAULT_FORMAT = "rag-fine-grained"
"""The format that the paper finds closest to people (ConQRet, Tables 6 and 7)."""

JUDGES = Registry(
    "format",
    "conqret.judges",
    Judge,
    package="conqret.judges",
    attribute="JUDGE",
    first=(
        DEFAULT_FORMAT,
        "rag-direct",
        "rag-rubric",
        "query-rubric",
        "g-eval",
        "static-rubric",
        "direct",
        "listwise",
        "pointwise",
        "listwise-rag",
    ),
)
"""Every judge by its format's name; those that the paper compares come first."""

JURY = Judge(
    name="jury",
    summary="several judges together",
    scale="0 to 1",
    score="what its rule makes of its members' scores",
    source="own",
    asks=(),
)
"""What the run of a jury has for a format; nobody can be asked for it."""
