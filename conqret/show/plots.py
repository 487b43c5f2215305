"""What all plots of matplotlib have in common: the same data give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from conqret._optional import require

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Kind = Literal["svg", "png"]

COLOURS = ("#1b6ca8", "#c1440e", "#3a7d44", "#7b4fa3", "#b8860b", "#5c6770", "#a8326b", "#008b8b")
"""Told apart with the common color blindnesses."""


_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "conqret", "svg.fonttype": "none", "font.size": 9}
_METADATA: dict[Kind, dict[str, None]] = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
"""What would differ from one drawing to the next, left out."""


def drawn(draw: Callable[[Figure], object], size: tuple[float, float], kind: Kind) -> bytes:
    """What ``draw`` draws on a figure of ``size`` (width and height in inches).

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    require("matplotlib", extra="plots")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    buffer = io.BytesIO()
    with rc_context(_SETTINGS):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        figure.savefig(buffer, format=kind, dpi=150, metadata=_METADATA[kind])
    return buffer.getvalue()
