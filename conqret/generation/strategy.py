"""What a way to answer is, and all of them by name: conqret's own and those of plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conqret.data import Document, Stance
from conqret.errors import UnknownNameError
from conqret.prompts import Library, Prompt
from conqret.registry import Registry

DEFAULT_STRATEGY = "cited"


@dataclass(frozen=True)
class Strategy:
    """A way to answer a topic from ranked documents, for one side.

    - ``prompts``: for each stance the id of its prompt, filled with ``topic``, ``stance``, ``documents`` and
      ``examples`` (its system part with ``stance``); both sides may share one. Empty: no model is asked.
    - ``baseline(topic, stance, documents)``: the offline model's answer, as plain data for
      :class:`~conqret.generation.arguments.GeneratedArgument`; the answer itself where no model is asked
    """

    name: str
    summary: str
    source: str
    baseline: Callable[[str, Stance, Sequence[Document]], Mapping[str, Any]]
    prompts: Mapping[Stance, str] = field(default_factory=dict)

    def prompt(self, library: Library, stance: Stance) -> Prompt:
        """The prompt of a side.

        Raises:
            UnknownNameError: there is none for this stance.
        """
        if stance not in self.prompts:
            raise UnknownNameError("stance of an argument", stance, self.prompts)
        return library[self.prompts[stance]]


STRATEGIES = Registry(
    "strategy",
    "conqret.strategies",
    Strategy,
    package="conqret.generation.strategies",
    attribute="STRATEGY",
    first=(DEFAULT_STRATEGY,),
)
"""Every strategy by its name."""
