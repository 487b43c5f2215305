"""Options of commands that print a result; apart from those that call models, whose imports take long."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Interval

from conqret.console.option_groups import option

Confidence = Annotated[
    float, Interval(ge=0.5, le=0.999), option(None, "The confidence level of the intervals.")
]
DrawnBy = Annotated[
    Literal["random", "verdict", "label"] | None,
    option(
        None,
        "How the labeled rows (items) were chosen: at `random`, a fixed number of each `verdict` of the judge, or of "
        "each human `label`. Needed where verdicts of labeled and unlabeled rows differ.",
    ),
]
Printed = Annotated[
    bool | None, option(None, "Print JSON, or the tables as LaTeX, on standard output.", "--json/--latex")
]
"""True prints JSON, False LaTeX, None text for a reader."""
