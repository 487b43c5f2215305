"""The type of a strategy (:class:`Strategy`), and all strategies by name: conqret's own and those of plug-ins.

- ``cited``: conclusions with premises that cite documents, after examples; ``takeaways``: each document summed up
- ``debate``: an argument, the other side's answer, and the revised argument
- ``expert``: the expert's own argument; ``extractive``: sentences selected and arranged; both call no model
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conqret.data import Document, Stance
from conqret.errors import check_known
from conqret.generation.cited_argument import GeneratedArgument
from conqret.registry import Registry

DEFAULT_STRATEGY = "cited"
OTHER_SIDE: Mapping[Stance, Stance] = {"pro": "con", "con": "pro", "none": "none"}


@dataclass(frozen=True)
class PromptTurn:
    """A further turn of a strategy, after the first response.

    - ``name``: the variable that holds its response in later prompts; the first response is ``argument``
    - ``prompt``: the id of its prompt, filled like the first one, and with the earlier turns
    - ``other``: True if the turn argues for the other side, whose stance then fills the prompt
    - ``baseline(topic, stance, documents, responses)``: the offline model's response, given the earlier
      responses
    """

    name: str
    prompt: str
    baseline: Callable[[str, Stance, Sequence[Document], Sequence[GeneratedArgument]], Mapping[str, Any]]
    other: bool = False

    def side(self, stance: Stance) -> Stance:
        """Return the side that this turn argues for, if the whole argument is for ``stance``."""
        return OTHER_SIDE[stance] if self.other else stance


@dataclass(frozen=True)
class Strategy:
    """A strategy to write an argument for one side of a topic from ranked documents.

    - ``prompts``: the prompt id for each stance, filled with ``topic``, ``stance``, ``documents`` and
      ``examples`` (its
      system part with ``stance``). Both sides may share a prompt. If it is empty, no model is used.
    - ``baseline(topic, stance, documents)``: the offline model's response, as plain data for
      :class:`~conqret.generation.cited_argument.GeneratedArgument`. Without a model it is the argument itself.
    - ``turns``: the turns after the first response; the side's own last turn is the final argument
    - ``expert``: True if the argument is the expert's own, from the corpus
    """

    name: str
    summary: str
    source: str
    baseline: Callable[[str, Stance, Sequence[Document]], Mapping[str, Any]]
    prompts: Mapping[Stance, str] = field(default_factory=dict)
    turns: tuple[PromptTurn, ...] = ()
    expert: bool = False

    def prompt(self, stance: Stance) -> str:
        """Return the id of a side's prompt.

        Raises:
            UnknownNameError: the strategy has no prompt for this stance.
        """
        check_known("stance of an argument", self.prompts, stance)
        return self.prompts[stance]

    def prompt_ids(self, stances: Iterable[Stance]) -> set[str]:
        """Return the ids of all prompts that these sides need, turns included; empty if no model is used.

        Raises:
            UnknownNameError: the strategy has no prompt for a stance.
        """
        if not self.prompts:
            return set()
        return {self.prompt(stance) for stance in stances} | {turn.prompt for turn in self.turns}


STRATEGIES = Registry(
    "strategy",
    "conqret.strategies",
    Strategy,
    package="conqret.generation.strategies",
    attribute="STRATEGY",
    first=(DEFAULT_STRATEGY,),
)
"""Every strategy by its name."""
