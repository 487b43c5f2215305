"""Sentences of an argument rewritten, by rule or by a model: drawn here, so that levels are nested and nothing else
of the argument changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conqret.perturb.perturbation import Change, Draw, InapplicableError, PerturbedItem
from conqret.perturb.sentence_edits import replace_sentences, same_elsewhere, split, split_close

MODEL = "model"
"""The kind of a change that a model wrote; rules name their own."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How sentences are rewritten.

    - ``prompt``: the id of the prompt by which a model does it
    - ``chosen(draw)``: the numbers (from 1) of the sentences that a level changes, in the order in which levels
      take them
    - ``by_rule(draw, number)``: the new sentence and the kind of its change; None where the rules leave it as it is
    - ``reached(draw, n)``: how much of the level n changed sentences are, in its unit; by default so many
    """

    prompt: str
    chosen: Callable[[Draw], Sequence[int]]
    by_rule: Callable[[Draw, int], tuple[str, str] | None]
    reached: Callable[[Draw, int], float] = lambda draw, changed: changed

    def by_rules(self, draw: Draw) -> Mapping[int, tuple[str, str]]:
        """What the rules make of the chosen sentences: the offline model's answer."""
        rewritten = {number: self.by_rule(draw, number) for number in self.chosen(draw)}
        return {number: made for number, made in rewritten.items() if made is not None}

    def change(self, draw: Draw) -> PerturbedItem:
        """The sentences are those that a model rewrote, where it did; else the rules rewrite them."""
        argument = draw.item.argument or ""
        spans = split(argument)
        rewritten = draw.materials.rewrites.get(draw.original)
        if rewritten is not None:
            made = self._by_model(draw, rewritten)
        elif draw.materials.by_model:
            made = self._stand_ins(draw)
        else:
            made = self.by_rules(draw)
        new = {number: made[number][0] for number in sorted(made)}
        text = replace_sentences(argument, new)
        if not same_elsewhere(argument, text, new):
            raise InapplicableError(
                f"item {draw.original}: other sentences than the chosen ones would change"
            )
        changes = tuple(
            Change(where=f"argument sentence {n}", kind=made[n][1], before=spans[n - 1].text, after=after)
            for n, after in new.items()
        )
        return PerturbedItem({"argument": text}, changes, self.reached(draw, len(new)))

    def _stand_ins(self, draw: Draw) -> Mapping[int, tuple[str, str]]:
        """Every chosen sentence changed in some way, for counting what a model will be asked before it is: by the
        rules, or else by its last sign twice."""
        made = {number: self.by_rule(draw, number) for number in self.chosen(draw)}
        spans = split(draw.item.argument or "")
        for number in [number for number, change in made.items() if change is None]:
            body, close = split_close(spans[number - 1].text)
            made[number] = (f"{body}{body[-1:]}{close}", MODEL)
        return {number: change for number, change in made.items() if change is not None}

    def _by_model(self, draw: Draw, rewritten: Mapping[int, str]) -> Mapping[int, tuple[str, str]]:
        numbers = self.chosen(draw)
        for number in numbers:
            if number not in rewritten:
                raise InapplicableError(f"item {draw.original}: the model rewrote no sentence {number}")
        return {number: (rewritten[number], MODEL) for number in numbers}
