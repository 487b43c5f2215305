"""What stands for a judge's time where the judge is a model: tokens to think and answer in, and tokens of passage.

People had five minutes a judgment (Parrish et al. 2022, section 2.2), and nobody read the whole passage in them. A
model gets so many tokens for reasoning and answer together, and so many of the passage: every paragraph loses the same
share of its end, as of one who skims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conqret.debate.two_turn.debate_judge import ANSWER_TOKENS, CUT
from conqret.debate.two_turn.two_turn_files import TwoTurnQuestion
from conqret.errors import DeclarationError
from conqret.llm.backend import backend_of
from conqret.llm.trim import trim_proportionally

PARAGRAPH_FLOOR = 20
"""Tokens that a paragraph keeps as long as all can keep them: a sentence, by which one sees what it is about."""

Shortened = dict[str, tuple[int, int]]
"""By passage its tokens before and after, of those that are shortened."""


def check_allowance(allowance: int | None, max_tokens: int | None) -> None:
    """Raise DeclarationError where no answer fits in, or the room for the answer is given twice."""
    if allowance is not None and allowance < ANSWER_TOKENS:
        raise DeclarationError(
            f"--allowance is {ANSWER_TOKENS} tokens at least, which an answer takes without a thought, not {allowance}"
        )
    if allowance is not None and max_tokens is not None:
        raise DeclarationError("--allowance is the room for the answer: leave --max-tokens away")


def shortened(
    questions: Sequence[TwoTurnQuestion], tokens: int, model: str
) -> tuple[tuple[TwoTurnQuestion, ...], Shortened]:
    """The questions with at most so many tokens of each passage, as ``model`` counts them, and what was lost.

    Raises:
        DeclarationError: ``tokens`` is not above 0, or leaves nothing of a passage.
    """
    if tokens < 1:
        raise DeclarationError(f"--passage-tokens is 1 at least, not {tokens}")
    encode = backend_of(model).encoder(model)
    known: dict[str, str] = {}
    lost: Shortened = {}
    for question in questions:
        if question.passage in known:
            continue
        parts = [part for part in question.passage.splitlines() if part.strip()]
        cuts = trim_proportionally(parts, tokens, floor=PARAGRAPH_FLOOR, encode=encode)
        known[question.passage] = question.passage
        if any(cut.after < cut.before for cut in cuts):
            known[question.passage] = "\n".join(
                f"{cut.text} {CUT}" if cut.after < cut.before else cut.text
                for cut in cuts
                if cut.text.strip()
            )
            if not known[question.passage]:
                raise DeclarationError(
                    f"--passage-tokens {tokens} leaves nothing of the passage {question.passage_id!r}: allow more"
                )
            lost[question.passage_id] = sum(cut.before for cut in cuts), sum(cut.after for cut in cuts)
    return tuple(replace(one, passage=known[one.passage]) for one in questions), lost
