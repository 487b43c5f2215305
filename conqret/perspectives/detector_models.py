"""Local models that say whether a document contains a perspective (BeRDS, section 5.1): a tuned classifier, an NLI
model, and a causal model that answers Yes or No.

The folder says which one it is:

- the folder of ``conqret perspectives tune``: its card says how scores become probabilities, and from where on it is a
  yes;
- a model for sequence classification of which a label is entailment: "the document entails the perspective";
- a sequence-to-sequence model: TRUE's T5 (Honovich et al. 2022), whose first token is 1 where the premise entails the
  hypothesis, else 0;
- a causal model, or the adapter of one (peft): the first token after Table 14's prompt is Yes or No, as with the
  evaluator that BeRDS published.

All but the first say yes from .5 on. Of a document that is longer than the model takes, overlapping windows are read,
of which the best counts.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.data.digest import digest_of
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, first_line
from conqret.io.limits import whole_bytes
from conqret.io.pairs import Pair
from conqret.local.model_identity import folder_identity
from conqret.local.models import ADAPTER, CAUSAL, SEQ2SEQ, base_of, load, revision, window_of
from conqret.local.prefix import rendered
from conqret.local.training_loop import EXTRA
from conqret.perspectives.detection import DETECTORS
from conqret.perspectives.threshold import DetectorQuality, logistic
from conqret.prompts import Library, Prompt
from conqret.runs.run_folder import SUMMARY

CLASSIFIER = "AutoModelForSequenceClassification"
ENTAILS = "entail"
"""How the label of NLI models begins that means yes."""
PROMPTED_LENGTH = 4_096
"""Tokens that go through a causal model at once, the prompt among them."""
OVERLAP = 4
"""One over the share of a window that the next one repeats, where a document is longer."""
MIN_ROOM = 16
"""Tokens of the document that a window has to hold next to the perspective, at least."""
SLACK = 4
"""Tokens that a part of a text may take more than it took within the whole."""
AT_ONCE = 32
"""Windows that go through the model at once."""
MAX_LENGTH = 512
"""Tokens that go through a classifier at once; BeRDS's passages of 100 words take a third of it."""
MODEL = "model"
"""Where the weights lie in the folder of a tuned detector."""


class DetectorCard(Frozen):
    """The description of a tuned detector: its base model, training data, calibration, and agreement on
    held-out questions.

    The probability of a yes is ``1 / (1 + exp(-(slope * score + intercept)))``; it counts as a yes from
    ``threshold`` on. ``pairs`` and ``questions`` count all that are labeled, ``trained`` and ``calibrated``
    the pairs of these parts, and ``yes`` the training pairs labeled yes. ``weights`` are the loss weights of
    no and yes. ``cut`` counts the pairs of which training used only the beginning. ``new_head`` names the
    weights that the base lacked and that were initialized at random.
    """

    base: str
    base_identity: str
    pairs: int
    questions: int
    trained: int
    calibrated: int
    yes: int
    weights: tuple[float, float]
    cut: int
    limit: int
    lora: bool
    new_head: tuple[str, ...] = ()
    slope: float
    intercept: float
    threshold: float
    remark: str = ""
    held_out: DetectorQuality


def card_of(folder: Path) -> DetectorCard | None:
    """Read the card of a tuned detector from its folder; return None for the folder of any other model.

    Raises:
        DeclarationError: the card cannot be read.
    """
    file = folder / SUMMARY
    if not (folder / MODEL).is_dir() or not file.is_file():
        return None
    try:
        return DetectorCard.model_validate_json(whole_bytes(file))
    except ValueError as error:
        raise DeclarationError(f"{file} does not describe a detector: {first_line(error)}") from error


@dataclass(frozen=True, kw_only=True)
class Detector(ABC):
    """A loaded local model that tells if a document contains a perspective.

    ``limit`` is the largest number of tokens of a window. The probability of yes is ``logistic(slope * score +
    intercept)``; it counts as a yes from ``threshold`` on.
    """

    model: Any
    tokenizer: Any
    limit: int
    identity: str
    slope: float = 1.0
    intercept: float = 0.0
    threshold: float = 0.5

    def scores(self, pairs: Sequence[Pair]) -> Iterator[float]:
        """Yield for each pair the log-odds of yes, as the maximum over the windows of the document.

        Raises:
            DeclarationError: a perspective is too long for the model.
        """
        torch: Any = require("torch", extra=EXTRA)
        for start in range(0, len(pairs), AT_ONCE):
            rows = [self.windows(pair) for pair in pairs[start : start + AT_ONCE]]
            flat = [window for pair_windows in rows for window in pair_windows]
            odds: list[float] = []
            for begin in range(0, len(flat), AT_ONCE):
                batch = self.tokenizer.pad({"input_ids": flat[begin : begin + AT_ONCE]}, return_tensors="pt")
                with torch.inference_mode():
                    odds += self.log_odds(batch.to(self.model.device)).tolist()
            for row in rows:
                yield max(odds[: len(row)])
                del odds[: len(row)]

    @abstractmethod
    def windows(self, pair: Pair) -> list[list[int]]:
        """Return a pair as windows of tokens, each with a part of the document and the whole perspective.

        Raises:
            DeclarationError: the perspective leaves no room for the document.
        """

    @abstractmethod
    def log_odds(self, batch: Any) -> Any:
        """Return a tensor with the log-odds of yes for each row of a padded batch of windows."""

    def probability(self, score: float) -> float:
        """Return the calibrated probability of yes for a score (log-odds)."""
        return logistic(self.slope * score + self.intercept)


@dataclass(frozen=True, kw_only=True)
class ClassifierDetector(Detector):
    """A classifier of document and perspective; ``yes`` is the index of its label for yes.

    ``new_head`` names the weights that the base of an untrained detector lacked.
    """

    yes: int
    new_head: tuple[str, ...] = ()

    def windows(self, pair: Pair) -> list[list[int]]:  # noqa: D102 - as declared above
        joined = "" if self.tokenizer.sep_token else "\n\nStatement: "
        second = joined + pair.perspective
        room = room_for(pair, len(self.tokenizer("", second)["input_ids"]), self.limit)
        encoding = self.tokenizer(
            pair.document,
            second,
            truncation="only_first",
            max_length=self.limit,
            stride=room // OVERLAP,
            return_overflowing_tokens=True,
        )
        return [list(ids) for ids in encoding["input_ids"]]

    def log_odds(self, batch: Any) -> Any:  # noqa: D102 - as declared above
        logits = self.model(**batch).logits.float()
        return odds_of(logits, [self.yes], [n for n in range(logits.shape[1]) if n != self.yes])


@dataclass(frozen=True, kw_only=True)
class EntailmentDetector(Detector):
    """A sequence-to-sequence NLI model: whether its first token is that of 1 rather than that of 0."""

    def windows(self, pair: Pair) -> list[list[int]]:  # noqa: D102 - as declared above
        def encode(document: str) -> list[int]:
            text = f"premise: {document} hypothesis: {pair.perspective}"
            return list(self.tokenizer(text, verbose=False)["input_ids"])

        return windows_of(encode, self.tokenizer, pair, self.limit)

    def log_odds(self, batch: Any) -> Any:  # noqa: D102 - as declared above
        torch: Any = require("torch", extra=EXTRA)
        start = self.model.config.decoder_start_token_id
        begun = torch.full((len(batch["input_ids"]), 1), start, device=self.model.device)
        inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}
        logits = self.model(**inputs, decoder_input_ids=begun).logits[:, 0].float()
        yes, no = ([self.tokenizer(digit, add_special_tokens=False)["input_ids"][0]] for digit in "10")
        return odds_of(logits, yes, no)


@dataclass(frozen=True, kw_only=True)
class YesNoDetector(Detector):
    """A causal model: whether the first token after BeRDS's prompt is Yes rather than No, in any spelling.

    With a chat template the prompt is one user's message, as in the released evaluation of Mistral.
    """

    prompt: Prompt

    @cached_property
    def answers(self) -> tuple[list[int], list[int]]:
        """The ids of the tokens that are Yes, and of those that are No; if there is none, the first token of
        the word.

        Raises:
            DeclarationError: the vocabulary cannot tell the two words apart.
        """
        texts = self.tokenizer.batch_decode([[token] for token in range(len(self.tokenizer))])
        spelt = [text.strip().lower() for text in texts]
        yes, no = (
            [token for token, text in enumerate(spelt) if text == word.lower()]
            or self.tokenizer(word, add_special_tokens=False)["input_ids"][:1]
            for word in ("Yes", "No")
        )
        if yes == no or self.tokenizer.unk_token_id in (*yes, *no):
            raise DeclarationError(
                f"{self.tokenizer.name_or_path} has no token for Yes or for No, so it cannot be read as a detector"
            )
        return yes, no

    def windows(self, pair: Pair) -> list[list[int]]:  # noqa: D102 - as declared above
        def encode(document: str) -> list[int]:
            filled = self.prompt.render({"document": document, "perspective": pair.perspective})
            if self.tokenizer.chat_template is None:
                return list(self.tokenizer(f"{filled.system}\n\n{filled.user}", verbose=False)["input_ids"])
            message = [{"role": "user", "content": filled.user}]
            text = rendered(self.tokenizer, message, add_generation_prompt=True)
            return list(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

        return windows_of(encode, self.tokenizer, pair, self.limit)

    def log_odds(self, batch: Any) -> Any:  # noqa: D102 - as declared above
        mask = batch["attention_mask"]
        logits = self.model(
            input_ids=batch["input_ids"],
            attention_mask=mask,
            position_ids=(mask.cumsum(dim=1) - 1).clamp(min=0),
            logits_to_keep=1,
        ).logits
        return odds_of(logits[:, -1].float(), *self.answers)


def odds_of(logits: Any, yes: Sequence[int], no: Sequence[int]) -> Any:
    """Return for each row of logits the log-odds of one set of columns against another."""
    return logits[:, list(yes)].logsumexp(dim=1) - logits[:, list(no)].logsumexp(dim=1)


def room_for(pair: Pair, used: int, limit: int) -> int:
    """Return how many tokens of a window are left for the document, where ``used`` are taken.

    Raises:
        DeclarationError: there are fewer than :data:`MIN_ROOM`.
    """
    if limit - used < MIN_ROOM:
        raise DeclarationError(
            f"the perspective of pair {pair.id} takes {used:,} of {limit:,} tokens, so that no document fits with "
            "it: shorten the perspective, or raise --max-length if the model allows more"
        )
    return limit - used


def windows_of(encode: Callable[[str], list[int]], tokenizer: Any, pair: Pair, limit: int) -> list[list[int]]:
    """Return the token windows of a pair, none longer than ``limit``: one if the whole document fits, else several that
    cover it, each with 1/:data:`OVERLAP` of the one before. ``encode`` returns the tokens of the prompt with a part of
    the document.

    Raises:
        DeclarationError: the perspective alone leaves too little room.
    """
    whole = encode(pair.document)
    if len(whole) <= limit:
        return [whole]
    room = room_for(pair, len(encode("")) + SLACK, limit)
    encoding = tokenizer(pair.document, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    spans, step = encoding["offset_mapping"], room - room // OVERLAP
    last = max(0, len(spans) - room)
    starts = [*range(0, last, step), last]
    parts = [pair.document[spans[n][0] : spans[min(n + room, len(spans)) - 1][1]] for n in starts]
    return [encode(part)[-limit:] for part in parts]


def load_detector(folder: Path, prompts: Path | None = None) -> Detector:
    """Load a detector from a folder: a tuned one, an NLI model, or a causal model or adapter.

    ``prompts`` is a folder of prompts that replace conqret's.

    Raises:
        DeclarationError: there is no such folder, or it contains none of these.
        MissingDependencyError: torch, transformers or (for an adapter) peft is not installed.
    """
    card = card_of(folder)
    place = folder if card is None else folder / MODEL
    auto = _kind(folder, place)
    loaded = load(str(place), auto=auto)
    config = loaded.model.config
    tokenizer = prepared_tokenizer(loaded.tokenizer, config, "left" if auto == CAUSAL else "right")
    most = PROMPTED_LENGTH if auto == CAUSAL else card.limit if card else MAX_LENGTH
    common = {
        "model": loaded.model,
        "tokenizer": tokenizer,
        "limit": min(most, window_of(config, tokenizer)),
        "identity": _identity(place),
    }
    if auto == CAUSAL:
        prompt = Library(prompts)[DETECTORS["zero-shot"].id]
        named = {**common, "identity": digest_of([common["identity"], prompt.digest])}
        return YesNoDetector(**named, prompt=prompt)
    if auto == SEQ2SEQ:
        return EntailmentDetector(**common)
    if card:
        return ClassifierDetector(
            **common, yes=1, slope=card.slope, intercept=card.intercept, threshold=card.threshold
        )
    return ClassifierDetector(**common, yes=_entailment(folder, config.id2label))


def _kind(folder: Path, place: Path) -> str:
    """Return the name of the class of transformers that loads the model in ``place``; ``folder`` is what the user
    named.

    Raises:
        DeclarationError: there is no model.
        MissingDependencyError: it is an adapter, and peft is not installed.
    """
    if (place / ADAPTER).is_file():
        require("peft", extra=EXTRA)
        task = json.loads(whole_bytes(place / ADAPTER)).get("task_type")
        return CLASSIFIER if task == "SEQ_CLS" else CAUSAL
    if not (place / "config.json").is_file():
        state = "contains no model" if folder.is_dir() else "is not a folder"
        raise DeclarationError(
            f"{folder} {state}: --detector takes {', '.join(DETECTORS)}, or the folder of `conqret perspectives "
            "tune`, of an NLI model, or of a model that answers Yes or No"
        )
    config = json.loads(whole_bytes(place / "config.json"))
    names = " ".join(config.get("architectures") or ())
    if config.get("is_encoder_decoder") and "Classification" not in names:
        return SEQ2SEQ
    return CAUSAL if "CausalLM" in names or "LMHead" in names else CLASSIFIER


def _identity(place: Path) -> str:
    """The identity of a folder's weights; of an adapter with those of its base."""
    own = folder_identity(place)
    if not (place / ADAPTER).is_file():
        return own
    return digest_of([own, revision(base_of(place))])


def _entailment(folder: Path, names: Mapping[int, str]) -> int:
    labels = {int(n): str(name).lower() for n, name in names.items()}
    yes = next((n for n, name in labels.items() if name.startswith(ENTAILS)), None)
    if yes is None:
        raise DeclarationError(
            f"{folder} is not a detector: none of its labels is entailment ({', '.join(labels.values())}); tune a "
            "model with `conqret perspectives tune`, or name an NLI model's labels in its config.json"
        )
    return yes


def prepared_tokenizer(tokenizer: Any, config: Any, side: str = "right") -> Any:
    """Set the padding token and the padding ``side`` of a tokenizer and its model's ``config``, and return
    the tokenizer.

    Raises:
        DeclarationError: the tokenizer has neither a padding nor an end token, or is not a fast
            tokenizer.
    """
    if tokenizer.pad_token is None:
        if tokenizer.eos_token is None:
            raise DeclarationError(
                "the tokenizer has neither pad_token nor eos_token, so batches cannot be padded: set one of them"
            )
        tokenizer.pad_token = tokenizer.eos_token
    if not tokenizer.is_fast:
        raise DeclarationError(
            "the tokenizer is not a fast one (tokenizer.json), which long documents need: use a "
            "model with a fast tokenizer"
        )
    tokenizer.padding_side = side
    config.pad_token_id = tokenizer.pad_token_id
    return tokenizer
