"""How the negations of two sentences differ, by their words (in English and German)."""

from __future__ import annotations

from conqret.text.analysis import Sentence, negations, terms_of

DENIES = "It denies what the source affirms."
AFFIRMS = "It affirms what the source denies."
UNCLEAR = "Its negations differ from those of the source, and words do not tell what they say together."


def negation_difference(claim: Sentence, source: Sentence) -> str:
    """Compare the negations of a claim with those of a sentence of its source.

    They may differ in the statement (*not*, *no*), and in what it depends on (*without*, *unless*, a negation after
    *if*). One difference contradicts. Two may cancel each other (*not without a key*, *with a key*), so they are
    unclear, as is one in a statement of which only one sentence names an exception.

    Returns:
        A sentence that says how they differ, ``UNCLEAR``, or an empty string.
    """
    if not negations(claim.language):
        return ""
    statement = condition = ""
    unclear = _prefixed(claim, source) or _prefixed(source, claim)
    for one, other, reach, message in ((claim, source, 2, DENIES), (source, claim, 1, AFFIRMS)):
        denied, doubtful = _denied(one, other, reach)
        unclear |= doubtful
        if denied - one.conditions:
            statement = message
        if denied & one.conditions or _takes_away(one, other):
            condition = message
    if unclear or (statement and (condition or claim.excepts != source.excepts)):
        return UNCLEAR
    return statement or condition


def _prefixed(one: Sentence, other: Sentence) -> bool:
    """Whether one sentence has a word only as *unlocked*, the other only as *locked* (and not as *not locked*)."""
    stems = terms_of(one.language)
    return any(
        stems[word] not in one.near_negations | {""} and f"un{word}" in other.words
        for word in set(one.words).difference(other.words)
        if f"un{word}" not in one.words
    )


def _denied(one: Sentence, other: Sentence, reach: int) -> tuple[set[str], bool]:
    """The content stems that one sentence negates and the other affirms, and whether some may be negated there."""
    denied = set((one.denied(reach) - other.near_negations) & other.terms)
    doubtful = False
    if denied:
        for phrase, _ in one.lacking:
            denied -= phrase
        for phrase, nearby in other.lacking:
            if any(phrase & same for same, _ in one.lacking):
                continue
            if phrase & one.denied(1):  # no password is needed to log in, log in without a password
                denied &= one.denied(1)
            doubtful |= not phrase <= one.near_negations and bool(denied & nearby)
            denied -= nearby
        for _, nearby in other.unless:
            denied -= nearby & one.conditions
    return denied, doubtful


def _takes_away(one: Sentence, other: Sentence) -> bool:
    """Whether the other sentence has what one says is not there (*without a reason*), or has it as a condition where
    it is one's exception (*if it was locked*, *unless it was locked*)."""
    taken = frozenset[str]().union(*(nearby for _, nearby in other.lacking))
    for phrase, _ in one.lacking:
        affirmed = phrase <= other.terms - other.near_negations
        if (affirmed or any(having <= phrase for having, _ in other.having)) and phrase.isdisjoint(taken):
            return True
    negated = other.near_negations | taken
    return any(phrase.isdisjoint(negated) and phrase <= other.conditions for phrase, _ in one.unless)
