"""Reward models: transformers with a classification head, which score an answer to a question.

One logit is a reward. It has no ends; ``1 / (1 + exp(-reward))`` is the probability with which the answer beats one of
reward 0, and that of a difference the probability with which one answer beats another (Bradley and Terry 1952), as
such models are trained. Of several classes, from the worst to the best, the score is the expected class, from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from conqret.errors import DeclarationError
from conqret.local.memory import CPU_BUDGET, GPU_BUDGET, TokenBudget
from conqret.local.models import LoadedModel, load
from conqret.local.token_windows import window_of
from conqret.local.wrapping import rendered

CLASSIFIER = "AutoModelForSequenceClassification"
AT_ONCE = 64
"""Texts in one step at most."""
SEVERAL = ("regression", "multi_label_classification")
"""Kinds of several outputs of which none is more than another."""

Row = dict[str, list[int]]


@dataclass(frozen=True, slots=True)
class RewardOutcome:
    """What became of an answer: its ``logits`` (None: memory ran out, or it does not fit), and its ``tokens``."""

    logits: tuple[float, ...] | None
    tokens: int

    @property
    def value(self) -> float:
        """The score in [0, 1]."""
        logits = self.logits or ()
        if len(logits) == 1:
            return beats(logits[0], 0.0)
        weights = [math.exp(logit - max(logits)) for logit in logits]
        return sum(n * weight for n, weight in enumerate(weights)) / sum(weights) / (len(logits) - 1)

    def over(self, other: RewardOutcome) -> float:
        """How far this answer is better than another: from 0 to 1."""
        if self.logits is not None and other.logits is not None and len(self.logits) == 1:
            return beats(self.logits[0], other.logits[0])
        return (1 + self.value - other.value) / 2


def beats(first: float, other: float) -> float:
    """The probability with which an answer of reward ``first`` beats one of reward ``other``."""
    return 1 / (1 + math.exp(min(other - first, 700.0)))


class RewardModel:
    """A loaded reward model: from pairs of question and answer to logits.

    Raises:
        DeclarationError: there is no such model, or it has no head of this kind.
        MissingDependencyError: torch or transformers is not installed.
    """

    def __init__(self, name: str, device: str | None = None, dtype: str | None = None) -> None:
        self.loaded: LoadedModel = load(name, device, dtype, auto=CLASSIFIER)
        config, self._tokenizer = self.loaded.model.config, self.loaded.tokenizer
        if config.num_labels > 1 and config.problem_type in SEVERAL:
            raise DeclarationError(
                f"{name} returns {config.num_labels} numbers that are not classes of one scale ({config.problem_type})"
            )
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token or self._tokenizer.unk_token
        if self._tokenizer.pad_token is None:
            raise DeclarationError(
                f"the tokenizer of {name} has no pad_token, so batches cannot be padded: set one"
            )
        self._tokenizer.padding_side = "right"
        config.pad_token_id = self._tokenizer.pad_token_id
        self._special = {*self._tokenizer.all_special_tokens, *self._tokenizer.get_added_vocab()}
        self.window = window_of(config, self._tokenizer)
        self._budget = TokenBudget(CPU_BUDGET if self.loaded.device == "cpu" else GPU_BUDGET)

    def rewards(self, pairs: Sequence[tuple[str, str]]) -> list[RewardOutcome]:
        """What the model says of each answer to its question; those that are alike in length go together."""
        rows = [self._tokens(*pair) for pair in pairs]
        rewards = [RewardOutcome(None, len(row["input_ids"])) for row in rows]
        places = [place for place, reward in enumerate(rewards) if reward.tokens <= self.window]

        def step(places: Sequence[int]) -> list[list[float]]:
            return self._logits([rows[place] for place in places])

        for several, logits in self._budget.steps(
            places, step, lambda place: (rewards[place].tokens,), AT_ONCE
        ):
            for place, logit in zip(several, logits or (), strict=False):
                rewards[place] = RewardOutcome(tuple(logit), rewards[place].tokens)
        return rewards

    def _logits(self, rows: Sequence[Row]) -> list[list[float]]:
        torch: Any = import_module("torch")
        batch = self._tokenizer.pad(list(rows), return_tensors="pt").to(self.loaded.device)
        with torch.inference_mode():
            logits: list[list[float]] = self.loaded.model(**batch).logits.float().tolist()
        return logits

    def _tokens(self, question: str, answer: str) -> Row:
        """Both as one row: in the model's chat template, or as the pair of texts that its tokenizer makes. Names of
        special tokens inside them are text."""
        tokenizer = self._tokenizer
        if getattr(tokenizer, "chat_template", None) is None:
            return dict(tokenizer(question, answer, split_special_tokens=True, verbose=False))
        texts = {f"\u2402{n}\u2403": text.strip() for n, text in enumerate((question, answer))}
        if not any(name in text for text in texts.values() for name in self._special):
            return self._plain(self._turns(*texts.values()))
        ids, rest = [], self._turns(*texts)
        for mark, text in texts.items():
            head, _, rest = rest.partition(mark)
            ids += self._plain(head)["input_ids"]
            ids += tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)[
                "input_ids"
            ]
        ids += self._plain(rest)["input_ids"]
        return {"input_ids": ids, "attention_mask": [1] * len(ids)}

    def _turns(self, question: str, answer: str) -> str:
        messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        return rendered(self._tokenizer, messages)

    def _plain(self, text: str) -> Row:
        return dict(self._tokenizer(text, add_special_tokens=False, verbose=False))
