"""`Evidence`: everything that the offline baseline can find about one item, computed when it is first
needed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Literal

from conqret.baseline import alignment as grounding
from conqret.baseline import text_quality as quality
from conqret.baseline.alignment import (
    By,
    CitationVerdict,
    Finding,
    PreferenceFinding,
    SentenceFinding,
    Which,
    align,
    clip,
    sentence_findings,
)
from conqret.baseline.relevance import (
    Features,
    RelevanceQuery,
    TermContext,
    aspect_of,
    aspects,
    covered_by_words,
    document_nuggets,
    features,
    relevance,
    topic_nuggets,
    touches,
)
from conqret.baseline.text_quality import fitted, logistic, surface
from conqret.data import Item
from conqret.text.analysis import Sentence, Text, analysed
from conqret.text.language import NAMES, is_english, item_language, language_of

RELEVANT = 0.4


def foreign_documents(item: Item) -> str:
    """Return why the offline baseline cannot compare an item with its documents, or an empty string if it
    can.

    It cannot where all documents are known to be in another language than the item.
    """
    own = item_language(item)
    other = ""
    for document in item.documents:
        language = language_of(document.text)
        if not own or language in ("", own):
            return ""
        other = other or language
    if not other:
        return ""
    return (
        f"it holds words against words, and the item is in {NAMES.get(own, own)}, its documents in "
        f"{NAMES.get(other, other)}: name a model"
    )


def not_english(item: Item) -> str:
    """Return the message that a metric needs English word lists and the item is in another language."""
    language = item_language(item)
    language = NAMES.get(language, language)
    return f"it rests on English word lists, and the item is in {language}: name a model"


TIE = 0.005
"""A smaller strength of a preference counts as a tie; the pairs that the writing model was fitted on hold
no ties.
"""
GROUNDEDNESS = 4.0
RELEVANCE = 2.0
"""Log-odds that a whole point of groundedness or relevance is worth; made by hand. Twice as many words (up to 200)
are worth about a third of a point of groundedness."""


def prefer(first: Mapping[str, float], second: Mapping[str, float]) -> PreferenceFinding:
    """Compare two arguments and return which is stronger, by how much, and why.

    Args:
        first: the log-odds in favor of the first argument, by part: writing, groundedness, relevance.
        second: the same of the second argument.

    ``p = 1 / (1 + exp(-d))`` is the probability that the first is better, where d is the sum of the
    differences. ``strength = |2 p - 1|``; below 0.005 the label is ``tie``. Swapping the arguments swaps the
    label and leaves the strength.
    """
    gaps = {part: first[part] - second[part] for part in first}
    total = sum(gaps.values())
    sure = logistic(abs(total))
    if 2 * sure - 1 < TIE:
        return PreferenceFinding("tie", 2 * sure - 1, "The two differ too little to tell.")
    winner: Literal["first", "second"] = "first" if total > 0 else "second"
    name = max(gaps, key=lambda part: gaps[part] * (1 if total > 0 else -1))
    return PreferenceFinding(
        winner, 2 * sure - 1, f"The {winner} is ahead ({sure:.0%} sure), mostly in {name}."
    )


class Evidence:
    """Lexical and statistical evidence about one item, computed without a language model and without
    randomness.

    Every value is in [0, 1] and depends only on the item's texts, not on the order of its documents. Results
    are cached. ``language`` is the item's language code, or empty where it cannot be determined.
    """

    def __init__(self, item: Item) -> None:
        self.item, self.language = item, item_language(item)
        self._query = RelevanceQuery.from_topic(item.topic, self.language)
        self._arguments: dict[str, Text] = {}
        self._analysed: dict[str, Features] = {}
        self._kept: dict[object, Finding] = {}
        self._dimensions: dict[str, dict[str, Finding]] = {}

    @cached_property
    def document_relevances(self) -> tuple[Finding, ...]:
        """The relevance of each document to the topic, in the order of the item."""
        argument = self._argument_features("argument") if self.item.argument is not None else None
        context, relevances = TermContext.from_documents(self._features, argument), []
        for document in self._features:
            company = context.for_document(document)
            relevances.append(relevance(document, company, context.trust))
        return tuple(relevances)

    def context_relevance(self) -> Finding:
        """Return the mean relevance of the documents to the topic; 0 without documents."""
        values = [finding.value for finding in self.document_relevances]
        if not values:
            return Finding(0.0, "There are no documents.")
        high = sum(value >= 0.4 for value in values)
        return Finding(
            clip(math.fsum(values) / len(values)), f"{high} of {len(values)} documents keep to the topic."
        )

    def closest_document(self) -> tuple[int, tuple[str, ...], tuple[str, ...]] | None:
        """Return the number (from 1) of the document with the most words of the question, the words that it
        has, and those that it lacks; None without documents.
        """
        if not self._features:
            return None
        place, closest = max(enumerate(self._features, start=1), key=lambda pair: len(pair[1].matched))
        return place, closest.matched, closest.missing

    def answer_relevance(self, which: Which = "argument") -> Finding:
        """Return the relevance of an argument to the topic, by the same measure as for documents."""
        key = ("answer", which)
        if key not in self._kept:
            self._kept[key] = relevance(self._argument_features(which))
        return self._kept[key]

    def groundedness(self, which: Which = "argument") -> Finding:
        """Return the share of an argument's content that the item's documents support
        (``grounding.groundedness``).
        """
        key = ("grounded", which)
        if key not in self._kept:
            self._kept[key] = grounding.groundedness(self._argument(which), self._documents)
        return self._kept[key]

    def dimensions(self, which: Which = "argument") -> Mapping[str, Finding]:
        """Return the scores of an argument on the fifteen dimensions of argument quality, by name
        (``quality.dimensions``), each with its evidence.
        """
        if which not in self._dimensions:
            grounded = self.groundedness(which).value if self.item.documents else None
            self._dimensions[which] = quality.dimensions(
                self._argument(which), self.answer_relevance(which).value, grounded
            )
        return self._dimensions[which]

    def preference(self) -> PreferenceFinding:
        """Return which of the item's two arguments is stronger, and by how much (:func:`prefer`).

        Swapping the arguments swaps the label.
        """
        return prefer(self._strength("argument"), self._strength("second_argument"))

    def citation_support(self, which: Which = "argument") -> tuple[CitationVerdict, ...]:
        """Return the verdict on each citation of an argument, in order: whether the document supports the
        sentence (``supports``, ``contradicts``, ``silent``, or None without such a document).
        """
        return grounding.citation_verdicts(self._argument(which), self._documents)

    def sentences(
        self, text: Literal["reference", "argument"], by: Literal["reference", "argument", "documents"]
    ) -> tuple[SentenceFinding, ...]:
        """Return the verdicts of one text (``by``) on each sentence of another (``text``).

        With ``by="documents"``, each verdict is that of the document that supports the sentence best.
        """
        return sentence_findings(
            self._argument(text), self._documents if by == "documents" else (self._argument(by),)
        )

    def topic_nuggets(self, n: int = 20) -> tuple[str, ...]:
        """Return ``n`` distinct key points on topic and stance
        (:func:`conqret.baseline.relevance.topic_nuggets`); the item's texts are not read.
        """
        return topic_nuggets(self.item.topic, self.item.stance, n)

    def document_nuggets(self, n: int = 20) -> tuple[str, ...]:
        """Return up to ``n`` distinct key points from documents
        (:func:`conqret.baseline.relevance.document_nuggets`), fewer where they have fewer distinct
        sentences.
        """
        values = [finding.value for finding in self.document_relevances]
        return document_nuggets(self._features, values, self._query, n)

    def coverage(self, nugget: str, by: By) -> float:
        """Compute how far the documents or an argument (``by``) cover the key point ``nugget``, in [0, 1].

        For documents: the mean over them of relevance * (1 + c) / 2. For an argument: its relevance * (1 + c)
        / 2 where the nugget names an aspect, else the value of `align` with the argument as the source. c is
        the match of the text with the aspect (:func:`touches`), or the share of the nugget's words in the
        text.
        """
        aspect = aspect_of(nugget) if is_english(self.language) else frozenset[str]()
        if by == "documents":
            if not self._features:
                return 0.0
            parts = []
            for f, finding in zip(self._features, self.document_relevances, strict=True):
                c = (
                    touches(aspect, f.body.terms)
                    if aspect
                    else covered_by_words(nugget, f.body.terms, self.language)
                )
                parts.append(finding.value * (1 + c) / 2)
            return clip(math.fsum(parts) / len(parts))
        argument = self._argument(by)
        if aspect:
            return clip(self.answer_relevance(by).value * (1 + touches(aspect, argument.terms)) / 2)
        return align(Sentence(nugget, language=self.language), argument).value

    @cached_property
    def criteria(self) -> Mapping[str, Finding]:
        """Further scores for yes/no rubrics, by name, each in [0, 1]. Documents with a relevance of 0.4 or
        more count as relevant.

        relevant_share: relevant documents / documents. breadth: share of the built-in aspects of debate of
        which some relevant document has two words. evidence: share of documents that are relevant and
        contain figures and names. consistency: 1 - 2 sd of the relevance scores. focus: 1 - mean noise
        (noise is 1 for an irrelevant document). citation_presence: sentences with citations / sentences.
        citation_validity: citations of an existing document / citations. citation_precision: supported
        citations / citations. no_contradiction: 1 - contradicted citations / citations.
        """
        argument, verdicts = self._argument("argument"), self.citation_support()
        documents, relevances = self._features, [finding.value for finding in self.document_relevances]
        n = len(documents)
        relevant_share = breadth = figures = spread = noise = 0.0
        if n:
            relevant = [d for d, r in zip(documents, relevances, strict=True) if r >= RELEVANT]
            relevant_share = len(relevant) / n
            touched = sum(any(len(a & d.body.terms) >= 2 for d in relevant) for a in aspects().values())
            breadth = touched / len(aspects())
            texts = (d.body.sentences for d in relevant)
            figures = sum(any(s.numbers for s in each) and any(s.names for s in each) for each in texts) / n
            mean = math.fsum(relevances) / n
            spread = math.sqrt(math.fsum((r - mean) ** 2 for r in relevances) / n)
            noises = (d.noise if r >= RELEVANT else 1.0 for d, r in zip(documents, relevances, strict=True))
            noise = math.fsum(noises) / n
        sentences, citations = len(argument.sentences), len(verdicts)
        cited = sum(bool(s.cites) for s in argument.sentences)
        known = sum(v.label is not None for v in verdicts)
        supports = sum(v.label == "supports" for v in verdicts)
        clashes = sum(v.label == "contradicts" for v in verdicts)

        def share(part: int, whole: int) -> float:
            return part / whole if whole else 0.0

        values = {
            "relevant_share": relevant_share,
            "breadth": breadth,
            "evidence": figures,
            "consistency": clip(1 - 2 * spread) if n else 0.0,
            "focus": clip(1 - noise) if n else 0.0,
            "citation_presence": share(cited, sentences),
            "citation_validity": share(known, citations),
            "citation_precision": share(supports, citations),
            "no_contradiction": 1 - share(clashes, citations),
        }
        told = {
            "relevant_share": f"{relevant_share:.0%} of the documents keep to the topic.",
            "breadth": f"The relevant documents touch {breadth:.0%} of the usual aspects of a debate.",
            "evidence": f"{figures:.0%} of the documents are relevant and give figures and names.",
            "consistency": f"Relevance varies by {spread:.2f} between documents.",
            "focus": f"{noise:.0%} of the documents is off the topic or page furniture.",
            "citation_presence": f"{cited} of {sentences} sentences cite.",
            "citation_validity": f"{known} of {citations} citations point to a document.",
            "citation_precision": f"{supports} of {citations} citations are borne out.",
            "no_contradiction": f"{clashes} of {citations} citations clash with their source.",
        }
        return {name: Finding(value, told[name]) for name, value in values.items()}

    @cached_property
    def _documents(self) -> tuple[Text, ...]:
        texts = []
        for document in self.item.documents:
            text = f"{document.title}\n\n{document.text}" if document.title else document.text
            texts.append(analysed(text, self.language))
        return tuple(texts)

    @cached_property
    def _features(self) -> tuple[Features, ...]:
        return tuple(map(partial(features, query=self._query), self._documents))

    def _argument_features(self, which: str) -> Features:
        if which not in self._analysed:
            self._analysed[which] = features(self._argument(which), self._query)
        return self._analysed[which]

    def _argument(self, which: str) -> Text:
        if which not in self._arguments:
            self._arguments[which] = analysed(getattr(self.item, which) or "", self.language)
        return self._arguments[which]

    def _strength(self, which: Which) -> dict[str, float]:
        """Return the log-odds in favor of an argument, by part: writing and, with documents, groundedness and
        relevance.
        """
        strength = {"writing": fitted()["preference"].score(surface(self._argument(which)))}
        if self.item.documents:
            strength["groundedness"] = GROUNDEDNESS * self.groundedness(which).value
            strength["relevance"] = RELEVANCE * self.answer_relevance(which).value
        return strength
