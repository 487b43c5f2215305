"""The fifteen dimensions of argument quality (Wachsmuth et al. 2017), from cues that can be counted.

Cogency, effectiveness and reasonableness are fitted on people's ratings (`conqret.baseline.fitted`); the eleven under
them are made by hand.
"""

from __future__ import annotations

from conqret.baseline.findings import Finding, clip
from conqret.baseline.fitted import fitted
from conqret.baseline.surface import surface
from conqret.text import lexicons as lex
from conqret.text.analysis import Text

DIMENSIONS = (
    "overall_quality", "cogency", "local_acceptability", "local_relevance", "local_sufficiency", "effectiveness",
    "credibility", "emotional_appeal", "clarity", "appropriateness", "arrangement", "reasonableness",
    "global_acceptability", "global_relevance", "global_sufficiency",
)  # fmt: skip


def dimensions(text: Text, relevance: float, grounded: float | None) -> dict[str, Finding]:
    """The fifteen dimensions, each in [0, 1], from cues that can be counted.

    Ingredients: s(x, h) = x / (x + h), x a count, or for E, H, B, A, L and P a count in a hundred words.
    R relevance; G groundedness (1/2 if ``grounded`` is None: no documents); I = s(inference markers, 2);
    D = s(discourse markers, 3); K = s(concession markers, 2); V = s(sentences with figures + sentences that
    cite + half of those with names, 4); X = s(words, 60); M = s(sentences, 5); B = s(absolutes, 2);
    H = s(hedges, 2); E = s(words of emotion, 2); P = s(first and second person, 4); A = s(abuse and slang, 1);
    L = s(exclamation marks and words in capitals, 1); C = 1 - 0.6 A - 0.4 L (civility);
    W = 1 - |words a sentence - 20| / 40, at least 0 (readability).

    local_acceptability  = G/2 + (1 - B)/4 + C/4            local_relevance    = 0.6 R + 0.4 I
    local_sufficiency    = 0.4 V + 0.3 I + 0.3 X            credibility        = 0.4 V + 0.3 G + 0.3 C
    emotional_appeal     = 0.3 + 0.4 E + 0.15 L + 0.15 P    clarity            = W/2 + (1 - A)/4 + R/4
    appropriateness      = 0.8 C + 0.2 X                    arrangement        = 0.5 D + 0.3 M + 0.2 W
    global_acceptability = 0.5 C + 0.3 G + 0.2 H            global_relevance   = 0.5 R + 0.3 V + 0.2 X
    global_sufficiency   = 0.6 K + 0.4 X
    The weights of these eleven are round and were not fitted.

    cogency, effectiveness and reasonableness = (F + G + R)/3, or F where there are no documents: F the share of
    the arguments of the two fitted sets that score lower by their surface; the people who rated them had no
    documents, so that what G and R weigh is made by hand. overall_quality is the mean of the three.
    """
    raw = text.raw
    n = max(1, len(text.words))
    m = max(1, len(text.sentences))

    def per_hundred(cues: frozenset[str], half: float) -> float:
        rate = 100 * text.count(cues) / n
        return rate / (rate + half)

    def times(count: float, half: float) -> float:
        return count / (count + half)

    numbers = sum(bool(s.numbers) for s in text.sentences)
    cited = sum(bool(s.cites) for s in text.sentences)
    names = sum(bool(s.names) for s in text.sentences)
    abuse = text.count(lex.ABUSE) + text.count(lex.SLANG)
    shouting = raw.count("!") + sum(w.isupper() and len(w) > 3 for w in raw.split())
    extent = times(n, 60)
    inference = times(text.count(lex.INFERENCE_MARKERS), 2)
    concession = times(text.count(lex.CONCESSION_MARKERS), 2)
    discourse = times(text.count(lex.DISCOURSE_MARKERS), 3)
    absolutes = per_hundred(lex.ABSOLUTES, 2)
    hedges = per_hundred(lex.HEDGES, 2)
    emotion = per_hundred(lex.EMOTION_WORDS, 2)
    slanging = times(100 * abuse / n, 1)
    loud = times(100 * shouting / n, 1)
    evidence = times(numbers + cited + 0.5 * names, 4)
    average = n / m
    readable = clip(1 - abs(average - 20) / 40)
    truth = 0.5 if grounded is None else grounded
    civil = clip(1 - 0.6 * slanging - 0.4 * loud)

    d: dict[str, tuple[float, str]] = {
        "local_acceptability": (
            0.5 * truth + 0.25 * (1 - absolutes) + 0.25 * civil,
            f"Borne out by its documents to {truth:.2f}; sweeping words weigh {absolutes:.2f}, abuse {1 - civil:.2f}.",
        ),
        "local_relevance": (
            0.6 * relevance + 0.4 * inference,
            f"On topic to {relevance:.2f}; {text.count(lex.INFERENCE_MARKERS)} words that draw a conclusion.",
        ),
        "local_sufficiency": (
            0.4 * evidence + 0.3 * inference + 0.3 * extent,
            f"{numbers} sentences with figures, {cited} with citations, {n} words.",
        ),
        "credibility": (
            0.4 * evidence + 0.3 * truth + 0.3 * civil,
            f"{cited} sentences cite, {numbers} give figures; groundedness {truth:.2f}; civility {civil:.2f}.",
        ),
        "emotional_appeal": (
            0.3 + 0.4 * emotion + 0.15 * loud + 0.15 * per_hundred(lex.FIRST_AND_SECOND_PERSON, 4),
            f"{text.count(lex.EMOTION_WORDS)} words of feeling, {raw.count('!')} exclamation marks.",
        ),
        "clarity": (
            0.5 * readable + 0.25 * (1 - slanging) + 0.25 * relevance,
            f"{average:.0f} words a sentence.",
        ),
        "appropriateness": (
            0.8 * civil + 0.2 * extent,
            f"{abuse} words of abuse or slang, {shouting} of shouting.",
        ),
        "arrangement": (
            0.5 * discourse + 0.3 * times(m, 5) + 0.2 * readable,
            f"{text.count(lex.DISCOURSE_MARKERS)} words that order the argument in {m} sentences.",
        ),
        "global_acceptability": (
            0.5 * civil + 0.3 * truth + 0.2 * hedges,
            f"Civility {civil:.2f}, groundedness {truth:.2f}, {text.count(lex.HEDGES)} hedges.",
        ),
        "global_relevance": (
            0.5 * relevance + 0.3 * evidence + 0.2 * extent,
            f"On topic to {relevance:.2f}, with evidence {evidence:.2f}.",
        ),
        "global_sufficiency": (
            0.6 * concession + 0.4 * extent,
            f"{text.count(lex.CONCESSION_MARKERS)} words that weigh the other side.",
        ),
    }
    counted = surface(text)
    models = fitted()
    for key in FITTED:
        share = models[key].share(counted)
        said = f"By length, words and tone ahead of {share:.0%} of real arguments"
        if grounded is None:
            d[key] = share, f"{said}."
        else:
            d[key] = (
                (share + grounded + relevance) / 3,
                f"{said}; borne out to {grounded:.2f}, on topic to {relevance:.2f}.",
            )
    d["overall_quality"] = (
        sum(d[key][0] for key in FITTED) / len(FITTED),
        "The mean of " + ", ".join(FITTED) + ".",
    )
    return {key: Finding(clip(d[key][0]), d[key][1]) for key in DIMENSIONS}


FITTED = ("cogency", "effectiveness", "reasonableness")
