"""How a model was tuned, for people: what is to come in lines, the loss by epoch, and its curve."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING

from conqret.debate.debatune.debater_tuning import SCHEDULE
from conqret.show import words
from conqret.show.plots import drawn
from conqret.show.table import Cell, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from conqret.debate.debatune.debater_tuning import Training, TuningPlan, TuningSettings

SIDES = {"pro": "affirmative", "con": "negative"}
NAMED = 5
"""So many rows are named of those that are cut."""


def plan_lines(plan: TuningPlan, settings: TuningSettings) -> Iterator[str]:
    """What tuning will do."""
    sides = ", ".join(f"{words.count(count)} {SIDES[side]}" for side, count in plan.sides.items())
    topics = f" on {words.count(plan.topics)} topics" if plan.topics else ""
    yield f"{words.count(plan.rows)} rows{topics}{f': {sides}' if sides else ''}"
    yield (
        f"{words.count(plan.tokens)} tokens in an epoch, {words.count(plan.response_tokens)} of them in responses, "
        "which alone are learnt"
    )
    if plan.cut:
        named = ", ".join(plan.cut[:NAMED]) + (", …" if len(plan.cut) > NAMED else "")
        yield (
            f"{words.count(len(plan.cut))} rows are longer than {words.count(plan.limit)} tokens, and their ends are "
            f"cut: {named}"
        )
    else:
        yield f"no row is longer than {words.count(plan.limit)} tokens"
    warm = math.ceil(settings.warmup * plan.steps)
    yield (
        f"{words.count(plan.steps)} steps of {words.count(settings.batch_size)} rows, {settings.epochs} epochs, "
        f"learning rate {plan.rate:g} ({SCHEDULE}, warm-up steps: {words.count(warm)})"
    )
    yield f"LoRA: an adapter of rank {settings.lora_rank}" if settings.lora else "the whole model is trained"
    if not plan.chat:
        yield "the model has no chat template: it gets a plain one, which is stored with the tuned model"
    if plan.held_out:
        yield f"{words.count(plan.held_out)} rows are held out: their loss is measured after each epoch"


def loss_table(training: Training) -> Table:
    """The mean loss of each epoch's steps, and on the rows that are held out."""
    measured = training.before is not None
    rows: list[tuple[Cell, ...]] = [("before", "", training.before, "")] if measured else []
    for epoch, group in groupby(training.steps, key=lambda step: math.ceil(round(step.epoch, 6))):
        steps = list(group)
        held_out = steps[-1].held_out if measured else ""
        loss, rate = fmean(step.loss for step in steps), f"{steps[-1].learning_rate:.2g}"
        rows.append((f"epoch {epoch}", loss, held_out, rate))
    columns = ("", "loss", "held-out loss", "learning rate at its end")
    note = (
        f"Loss: -log p of a token of a response, in nats. Trained in {training.dtype} on {training.device}."
    )
    return Table("", columns, rows, note=note).compact()


def loss_curve(training: Training) -> bytes:
    """The loss by step as SVG, with that on the rows that are held out.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    measured = [(step.step, step.held_out) for step in training.steps if step.held_out is not None]
    if training.before is not None:
        measured.insert(0, (0, training.before))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(
            [step.step for step in training.steps], [step.loss for step in training.steps], label="training"
        )
        if measured:
            axes.plot(*zip(*measured, strict=True), "o--", label="held out")
            axes.legend()
        axes.set_xlabel("step")
        axes.set_ylabel("loss of a response's token (nats)")
        axes.set_ylim(bottom=0)

    return drawn(draw, (6.0, 3.2), "svg")
