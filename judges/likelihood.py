"""likelihood: how much likelier the documents make the argument, by a model that is read and does not write.

Groundedness by pointwise information: with L1 = log P(argument | topic, documents) and L0 = log P(argument | topic),
both in nats and summed over the argument's tokens, the documents account for the share

    groundedness = 1 - L1 / L0, held within [0, 1]

of the argument's information (the uncertainty coefficient of Theil 1970, of one pair of texts instead of an average).
``raw`` is the pointwise information of documents and argument in nats a token, (L1 - L0) / N, of any sign. The same
two for each sentence, as if it opened the argument, show which ones the documents do not make likelier.

It is no entailment check. Words of the documents raise it most, a paraphrase raises it less, and a false number among
words that are there lowers it little. Citation marks are left out. Scores of different models cannot be compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from conqret.data import Measure, Part, Reason, Status
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed, Whole, each_once
from conqret.llm.request import Reading
from conqret.prompts import RenderedPrompt, neutralise
from conqret.text.analysis import analysed, function_words, words_of
from conqret.text.citations import strip_citations
from conqret.text.language import is_english
from conqret.text.lexicons import STOP_WORDS
from conqret.text.sentences import sentences
from conqret.text.words import split_words

if TYPE_CHECKING:
    from conqret.local.likelihoods import TargetScore


PAIR_WEIGHT = 0.4
"""a: the trust in what followed the same word before."""

WORD_WEIGHT = 0.5
"""b: the trust in the texts' own words, against the background's."""

STOP_SHARE = 0.48
"""The share of stop words among the words of the demo documents (79,368 words)."""

VOCABULARY = 50_000
"""Words that are no stop words, as many as a desk dictionary has entries."""


class LanguageModel:
    """A word bigram model estimated from ``texts``, each a list of lower-case words.

    ``stop_words`` are those of their language.
    """

    def __init__(self, texts: Iterable[Sequence[str]], stop_words: Set[str] = STOP_WORDS) -> None:
        self._stop_words = stop_words
        self._rest = (1 - STOP_SHARE if stop_words else 1.0) / VOCABULARY
        self._words: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._before: Counter[str] = Counter()
        for words in texts:
            self._words.update(words)
            self._pairs.update(pairwise(words))
            self._before.update(words[:-1])
        self._total = self._words.total()

    def log_likelihood(self, words: Sequence[str]) -> float:
        """Return the sum of log P over ``words`` in nats; the first word has no context."""
        return math.fsum(
            math.log(self.probability(word, before))
            for before, word in zip((None, *words), words, strict=False)
        )

    def probability(self, word: str, before: str | None = None) -> float:
        """Return P(word | before), or P(word) without a word before or without data on that word."""
        background = STOP_SHARE / len(self._stop_words) if word in self._stop_words else self._rest
        alone = background
        if self._total:
            alone = WORD_WEIGHT * self._words[word] / self._total + (1 - WORD_WEIGHT) * background
        if before is None or not (seen := self._before[before]):
            return alone
        return PAIR_WEIGHT * self._pairs[before, word] / seen + (1 - PAIR_WEIGHT) * alone


MAX_TOKENS = 10**9
"""No text has more tokens."""

QUOTED = 100
"""Characters of a sentence that stand before its figures."""


def _a_number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("a number is wanted")
    return value


Nats = Annotated[float, Field(le=0, allow_inf_nan=False), BeforeValidator(_a_number)]
Tokens = Annotated[int, Field(ge=1, le=MAX_TOKENS), BeforeValidator(_a_number)]


class Likelihood(Typed):
    """The log-probability of a text of ``tokens`` tokens, with and without the documents before it, in nats."""

    tokens: Tokens
    with_documents: Nats
    without_documents: Nats


class SentenceLikelihood(Likelihood):
    """The same of one sentence, named by its number in the argument, counted from 1."""

    sentence: Whole


class Likelihoods(Typed):
    """The log-probabilities of the argument and of each of its sentences."""

    argument: Likelihood
    sentences: Annotated[
        list[SentenceLikelihood], each_once(lambda entry: entry.sentence, "sentences", "sentence")
    ]


@lru_cache(maxsize=64)
def texts(argument: str) -> tuple[str, Mapping[int, str]]:
    """Return the argument without citation marks, and its sentences that contain a word, by number from 1."""
    parts = {n: _plain(span.text) for n, span in enumerate(sentences(argument), start=1)}
    return _plain(argument), {number: text for number, text in parts.items() if words_of(text)}


def _plain(text: str) -> str:
    return neutralise(strip_citations(text)).strip()


def share(likelihood: Likelihood) -> float | None:
    """Return 1 - L1 / L0, clipped to [0, 1], or None where the text is certain without documents (L0 = 0).

    L1 and L0 are the text's log-probabilities with and without the documents.
    """
    if likelihood.without_documents == 0:
        return None
    return min(max(1 - likelihood.with_documents / likelihood.without_documents, 0.0), 1.0)


def information(likelihood: Likelihood) -> float:
    """Return (L1 - L0) / N: how many nats per token the documents add to the text's log-probability.

    L1 and L0 are the log-probabilities with and without documents, N the number of tokens. The value is
    negative where the documents make the text less likely.
    """
    return (likelihood.with_documents - likelihood.without_documents) / likelihood.tokens


def score(reply: JudgeReply[Likelihoods], case: Case) -> Mapping[str, Measure]:
    """Compute the groundedness of the argument, with its sentences as parts; missing if the argument is certain to the
    model without documents."""
    whole, parts = reply.value.argument, reply.value.sentences
    _, words = texts(case.item.argument or "")
    value = share(whole)
    if value is None:
        return _nothing("the model finds the argument certain, with or without documents")
    return {
        "groundedness": Measure(
            status=Status.SCORED,
            value=value,
            raw=information(whole),
            explanation=_said(whole),
            parts=tuple(
                Part(
                    id=f"sentence {part.sentence}",
                    value=share(part),
                    raw=information(part),
                    explanation=f"{_quoted(words.get(part.sentence, ''))}: {_said(part)}",
                )
                for part in parts
            ),
        )
    }


def settled(case: Case) -> Mapping[str, Measure] | None:
    """Return a mapping from the metric to a missing measure for an argument without words, which needs no request;
    else None."""
    _, parts = texts(case.item.argument or "")
    return None if parts else _nothing("the argument holds no word")


def reading(case: Case, full_prompt: RenderedPrompt, bare: RenderedPrompt) -> Reading:
    """Return the texts to read: the argument and its sentences after the full prompt and after the bare
    one.
    """
    whole, parts = texts(case.item.argument or "")
    targets = (whole, *parts.values())
    return Reading(
        tuple((f"{prompt.system}\n\n{prompt.user}", targets) for prompt in (full_prompt, bare)),
        lambda rows: _answer(tuple(parts), rows),
    )


def _answer(numbers: Sequence[int], rows: Sequence[Sequence[TargetScore]]) -> dict[str, Any]:
    """Return the two rows of scores (with documents, without) as plain data; log-likelihoods that rounding leaves above
    0 are 0, and so are missing ones."""
    figures = [
        {
            "tokens": row.tokens,
            "with_documents": min(0.0, row.log_likelihood or 0.0),
            "without_documents": min(0.0, other.log_likelihood or 0.0),
        }
        for row, other in zip(*rows, strict=True)
    ]
    return _shaped(numbers, figures)


def _shaped(numbers: Iterable[int], figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures of the argument, then of its sentences, as plain data."""
    sentences = [{"sentence": number, **figure} for number, figure in zip(numbers, figures[1:], strict=True)]
    return {"argument": figures[0], "sentences": sentences}


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's log-probabilities from word frequencies: topic with documents, and topic
    alone.
    """
    item = case.item
    language = case.evidence.language
    word_list = words_of if is_english(language) else split_words
    stop_words = STOP_WORDS if is_english(language) else function_words(language)
    documents = [word_list(f"{document.title}\n{document.text}") for document in item.documents]
    topic = [analysed(item.topic, language).words]
    models = LanguageModel([*documents, *topic], stop_words), LanguageModel(topic, stop_words)
    whole, parts = texts(item.argument or "")

    def figures_of(text: str) -> dict[str, Any]:
        words = word_list(text)
        with_documents, without_documents = (model.log_likelihood(words) for model in models)
        return {
            "tokens": len(words),
            "with_documents": with_documents,
            "without_documents": without_documents,
        }

    return _shaped(parts, [figures_of(text) for text in (whole, *parts.values())])


def _said(likelihood: Likelihood) -> str:
    tokens = f"{likelihood.tokens} token{'' if likelihood.tokens == 1 else 's'}"
    return (
        f"{information(likelihood):+.2f} nats a token with the documents: "
        f"{likelihood.with_documents / likelihood.tokens:.2f} against "
        f"{likelihood.without_documents / likelihood.tokens:.2f} ({tokens})"
    )


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    shown = text if len(text) <= QUOTED else text[: QUOTED - 1].rstrip() + "\u2026"
    return f"\u201c{shown}\u201d"


def _nothing(why: str) -> Mapping[str, Measure]:
    return {"groundedness": Measure.missing(Reason.NOTHING_TO_JUDGE, why)}


JUDGE = Judge(
    name="likelihood",
    summary="how much likelier the documents make the argument, read off a local model's probabilities",
    scale="nats a token, of any sign",
    score="1 - log P(argument | documents) / log P(argument), held within 0 and 1",
    source="own; DebateQA, Equation 2; the uncertainty coefficient (Theil 1970), pointwise",
    judge_prompts=(
        JudgePrompt(
            prompt="likelihood",
            metrics=("groundedness",),
            needs=frozenset({"documents", "argument"}),
            response=Likelihoods,
            context=lambda case: {"sentences": list(texts(case.item.argument or "")[1])},
            score=score,
            baseline=baseline,
            settled=settled,
            reading=reading,
        ),
    ),
)
