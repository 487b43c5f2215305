"""How far the documents bear an argument out, sentence by sentence and citation by citation."""

from __future__ import annotations

from conqret.baseline.alignment import Alignment, Alignments
from conqret.baseline.findings import CitationVerdict, Finding
from conqret.text.analysis import Sentence, Text

UNCITED_WEIGHT = 0.5


def citation_verdicts(argument: Text, alignments: Alignments) -> tuple[CitationVerdict, ...]:
    """One verdict for each cited document of each sentence, in order."""
    verdicts = []
    for i, sentence in enumerate(argument.sentences, start=1):
        for number in sentence.cites:
            found = alignments.of(sentence, number)
            if found is not None:
                verdicts.append(CitationVerdict(i, number, found.label, found.explanation))
            else:
                verdicts.append(CitationVerdict(i, number, None, "The item has no document of this number."))
    return tuple(verdicts)


def groundedness(argument: Text, alignments: Alignments) -> Finding:
    """The share of the argument's content that its documents bear out, in [0, 1].

    The mean of `align`'s value over sentences, weighted by the weight of their content stems. A cited
    sentence takes the best of its cited documents; one that cites nothing takes its coverage by the words of
    all documents together, at half weight if other sentences do cite.
    """
    cited = any(sentence.cites for sentence in argument.sentences)
    total = borne = 0.0
    clashes = missing = 0
    everything = frozenset[str]().union(*(d.terms for d in alignments.documents))
    for sentence in argument.sentences:
        size = sum(sentence.weights.values())
        if sentence.cites:
            best = _best(sentence, alignments)
            value = best.value if best else 0.0
            clashes += best is not None and best.label == "contradicts"
            missing += best is None or best.label == "silent"
        elif sentence.terms:
            value = sum([w for t, w in sentence.weights.items() if t in everything]) / size
            size *= UNCITED_WEIGHT if cited else 1.0
        else:
            continue
        total += size
        borne += size * value
    value = min(1.0, borne / total) if total else 0.0
    n = sum(bool(s.cites) for s in argument.sentences)
    if not cited:
        return Finding(value, "Nothing is cited; compared with the words of all documents.")
    return Finding(
        value, f"Of {n} cited sentences {clashes} clash with their source and {missing} are not found in it."
    )


def _best(sentence: Sentence, alignments: Alignments) -> Alignment | None:
    found = [one for number in sentence.cites if (one := alignments.of(sentence, number)) is not None]
    return max(found, key=lambda alignment: alignment.value) if found else None
