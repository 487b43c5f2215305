"""What goes with the difference between annotators and the judge: simple features of texts, without a model.

The judge's scores are put onto the labels by a straight line; what the labels lie above it is the residual. A feature
that rises with the residual is one that annotators reward more than the judge's scores show (or punish less).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from conqret.data.item import Frozen
from conqret.stats.correlation import spearman
from conqret.stats.estimate import CONFIDENCE, Estimate
from conqret.stats.resampling import Resamples, leave_one_out
from conqret.text.citations import marks, strip_citations
from conqret.text.sentences import sentences
from conqret.text.words import count_words, split_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COARSE = re.compile(
    r"\b(?:arse(?:hole)?s?|ass(?:hole)?s?|bastards?|bitch(?:es|y)?|bloody|bollocks|bullshit|crap(?:py)?|cunts?|damn(?:ed)?|"
    r"dick(?:head)?s?|dumbass|fuck\w*|goddamn|hell|idiot(?:s|ic)?|jackass|moron(?:s|ic)?|motherfuck\w*|piss(?:ed)?|"
    r"prick|retard(?:s|ed)?|screw(?:ed)?|scum|shit\w*|slut|stupid|suck(?:s|ed)?|twat|wank\w*|whore)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"(?<!\w)\d[\d.,]*%?(?!\w)")
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)
_LINES = re.compile(r"\n\s*\S")
LONG_WORD = 8
"""Letters from which a word is long."""
SAME_START = 150
"""Words in which different ones are counted: in a longer text fewer are new."""


KEPT = 4096
"""Texts whose features are kept."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a text: what a text has that has more of it, in words, and how much it has."""

    more: str
    measure: Callable[[str], float]


def _words(text: str) -> list[str]:
    """The words of a text, figures apart."""
    return [word for word in split_words(strip_citations(text), keep_case=True) if not word[0].isdecimal()]


def _per_word(pattern: re.Pattern[str]) -> Callable[[str], float]:
    return lambda text: len(pattern.findall(strip_citations(text))) / max(1, count_words(text))


def _share(counts: Callable[[str], bool]) -> Callable[[str], float]:
    def share(text: str) -> float:
        found = _words(text)
        return sum(map(counts, found)) / max(1, len(found))

    return share


def _per_sentence(text: str) -> float:
    return count_words(strip_citations(text)) / max(1, len(sentences(text)))


def _different(text: str) -> float:
    start = [word.casefold() for word in _words(text)[:SAME_START]]
    return len(set(start)) / max(1, len(start))


FEATURES: Mapping[str, Feature] = {
    "length": Feature("longer texts", lambda text: float(count_words(strip_citations(text)))),
    "sentence_length": Feature("texts with longer sentences", _per_sentence),
    "long_words": Feature("texts with more long words", _share(lambda word: len(word) >= LONG_WORD)),
    "vocabulary": Feature("texts with more different words", _different),
    "coarse_words": Feature("texts with more coarse words", _per_word(_COARSE)),
    "first_person": Feature("texts that speak more of I and we", _per_word(_FIRST_PERSON)),
    "figures": Feature("texts with more figures", _per_word(_FIGURE)),
    "citations": Feature("texts with more citations", lambda text: float(len(marks(text)))),
    "questions": Feature("texts with more questions", lambda text: float(sum(map(text.count, "?？؟")))),
    "exclamations": Feature(
        "texts with more exclamation marks", lambda text: float(sum(map(text.count, "!！")))
    ),
    "capitals": Feature(
        "texts with more words in capitals", _share(lambda word: len(word) > 3 and word.isupper())
    ),
    "paragraphs": Feature(
        "texts in more paragraphs or list items", lambda text: float(len(_LINES.findall(text)))
    ),
}
"""The features by name."""


@lru_cache(maxsize=KEPT)
def _features(text: str) -> tuple[float, ...]:
    """How much a text has of each feature: each fold of an improvement looks at the same texts."""
    return tuple(feature.measure(text) for feature in FEATURES.values())


class ResidualFeature(Frozen):
    """How a feature goes with the residual and with the labels themselves: Spearman's correlations, the first with an
    interval that holds for all features together (Bonferroni)."""

    feature: str
    residual: Estimate
    labels: Estimate

    @property
    def shown(self) -> bool:
        """Whether the interval excludes 0."""
        low, high = self.residual.low, self.residual.high
        return low is not None and high is not None and (low > 0 or high < 0)

    @property
    def words(self) -> str:
        """The finding as a sentence."""
        direction = "higher" if (self.residual.value or 0) > 0 else "lower"
        verb = "reward" if direction == "higher" else "punish"
        more = FEATURES[self.feature].more
        return f"Annotators {verb} {more}: they rate them {direction} than the judge's scores say"


def residuals(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the labels lie above the straight line of least squares over the scores (above their mean, where all scores
    are one)."""
    import numpy as np

    centred = scores - scores.mean()
    spread = float((centred**2).sum())
    slope = float((centred * labels).sum()) / spread if spread > 0 else 0.0
    return np.asarray(labels - labels.mean() - slope * centred)


def residual_features(
    texts: Sequence[str],
    scores: NDArray[np.float64],
    labels: NDArray[np.float64],
    topics: Sequence[Hashable],
    confidence: float = CONFIDENCE,
) -> tuple[ResidualFeature, ...]:
    """What goes with the residuals of these texts, the strongest first. Features that no two texts differ in are left
    out."""
    import numpy as np

    if len(texts) < 2:
        return ()
    drawn = leave_one_out(topics)
    left, found = residuals(scores, labels), []
    columns = dict(zip(FEATURES, np.array([_features(text) for text in texts]).T, strict=True))
    varied = {name: column for name, column in columns.items() if len(np.unique(column)) > 1}
    together = 1 - (1 - confidence) / max(1, len(varied))
    for name, column in varied.items():
        found.append(
            ResidualFeature(
                feature=name,
                residual=_with(column, left, drawn, together),
                labels=_with(column, labels, drawn, confidence),
            )
        )
    return tuple(sorted(found, key=lambda one: (not one.shown, -abs(one.residual.value or 0.0))))


def _with(
    column: NDArray[np.float64], other: NDArray[np.float64], drawn: Resamples, confidence: float
) -> Estimate:
    return spearman(column, other, drawn, confidence=confidence)
