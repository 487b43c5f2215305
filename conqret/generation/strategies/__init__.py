"""What a strategy is, and all of them by name: conqret's own and those of plug-ins."""

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
    """One more turn before the argument is done, after the earlier ones.

    - ``name``: under which later prompts have what it says; the first answer is the ``argument``
    - ``prompt``: the id of its prompt, filled as the first and with the turns so far
    - ``other``: whether the other side says it, which is then the ``stance`` of the prompt
    - ``baseline(topic, stance, documents, said)``: the offline model's answer, after the answers before it
    """

    name: str
    prompt: str
    baseline: Callable[[str, Stance, Sequence[Document], Sequence[GeneratedArgument]], Mapping[str, Any]]
    other: bool = False

    def side(self, stance: Stance) -> Stance:
        """Who says it, where ``stance`` is argued for."""
        return OTHER_SIDE[stance] if self.other else stance


@dataclass(frozen=True)
class Strategy:
    """A strategy to answer a topic from ranked documents, for one side.

    - ``prompts``: for each stance the id of its prompt, filled with ``topic``, ``stance``, ``documents`` and
      ``examples`` (its system part with ``stance``); both sides may share one. Empty: no model is used.
    - ``baseline(topic, stance, documents)``: the offline model's answer, as plain data for
      :class:`~conqret.generation.cited_argument.GeneratedArgument`; the answer itself where no model is used
    - ``turns``: what follows the first answer; the last turn of the side itself is the argument
    """

    name: str
    summary: str
    source: str
    baseline: Callable[[str, Stance, Sequence[Document]], Mapping[str, Any]]
    prompts: Mapping[Stance, str] = field(default_factory=dict)
    turns: tuple[PromptTurn, ...] = ()

    def prompt(self, stance: Stance) -> str:
        """The id of a side's prompt.

        Raises:
            UnknownNameError: there is none for this stance.
        """
        check_known("stance of an argument", self.prompts, stance)
        return self.prompts[stance]

    def prompt_ids(self, stances: Iterable[Stance]) -> set[str]:
        """Return the ids of all prompts for these sides; none where no model is used. Raises as :meth:`prompt`."""
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
