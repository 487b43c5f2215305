"""Evaluation steps for g-eval, written by a model from a metric's criteria (ConQRet, D.3; Liu et al. 2023)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from conqret.data import Reason
from conqret.errors import DeclarationError, ExecutionError
from conqret.judging.responses import Typed
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Request, messages
from conqret.prompts import Library, Prompt
from conqret.runs.session import Session

STEPS_PROMPT = "g-eval/steps"

_STEPS = re.compile(r"^steps = \[\n(?:(?!\]$|steps = \[$).*\n)*+\]$", re.MULTILINE)


class Steps(Typed):
    """Evaluation steps, in the order in which they are done."""

    steps: list[Annotated[str, Field(min_length=10, max_length=400)]] = Field(min_length=3, max_length=10)


def generate_steps(prompt: Prompt, options: ClientOptions, library: Library) -> tuple[str, ...]:
    """The steps that the model writes for ``prompt``, which states ``metric``, ``criteria`` and ``anchors``.

    Raises:
        DeclarationError: ``prompt`` states no criteria.
        ExecutionError: no valid answer could be had; its reason says why.
    """
    if not {"metric", "criteria", "anchors"} <= set(prompt.data):
        raise DeclarationError(
            f"prompt {prompt.id!r} contains no criteria to write steps for; use one of g-eval/"
        )
    rendered = library[STEPS_PROMPT].render(prompt.data)
    request = Request(
        ask=STEPS_PROMPT,
        item=prompt.id,
        messages=messages(rendered),
        response=Steps,
        baseline=lambda: {"steps": baseline_steps(prompt.data)},
    )
    answer = Session(options, prompts=library).run(lambda client: client.ask(request))
    if answer.value is None:
        reason = answer.reason or Reason.INVALID_ANSWER
        raise ExecutionError(f"the model wrote no steps: {reason}: {answer.detail}", reason=reason)
    return tuple(answer.value.steps)


def baseline_steps(data: Any) -> list[str]:
    """A step for each question among the criteria, between reading and rating; what the offline model writes."""
    questions = [question.strip() for question in re.findall(r"(?<![^?.])[^?.]++\?", data["criteria"])]
    return [
        "Read all of the material to its end before you rate anything.",
        *(
            f"Answer for yourself, with evidence from the text: {question}"[:400]
            for question in questions[:8]
        ),
        f"Weigh the answers, and choose the rating of {data['metric'].lower()}.",
    ]


def with_steps(prompt: Prompt, steps: Sequence[str]) -> str:
    """The text of the prompt file with other steps and the next version number.

    Raises:
        DeclarationError: the file holds no ``steps = [`` … ``]``, each mark on a line that it ends or is.
    """
    listed = "steps = [\n" + "".join(f"  {json.dumps(step, ensure_ascii=False)},\n" for step in steps) + "]"
    text, replacements = _STEPS.subn(lambda _: listed, prompt.text, count=1)
    if not replacements:
        raise DeclarationError(
            f"prompt {prompt.id!r} contains no steps to replace: write them as 'steps = [', a line for each, and ']'"
        )
    return re.sub(r"^version = \d+$", f"version = {prompt.version + 1}", text, count=1, flags=re.MULTILINE)
