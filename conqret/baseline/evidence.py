"""`Evidence`: everything that the offline baseline can say of one item, found when it is first asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

from conqret.baseline import grounding, nuggets
from conqret.baseline import text_quality as quality
from conqret.baseline.alignment import Alignments, align
from conqret.baseline.criteria import criteria
from conqret.baseline.findings import By, CitationVerdict, Finding, PreferenceFinding, Which, clip
from conqret.baseline.fitted import fitted
from conqret.baseline.preference import Strength, prefer
from conqret.baseline.relevance import Company, Features, RelevanceQuery, features, relevance
from conqret.baseline.surface import surface
from conqret.data import Item
from conqret.text.analysis import Sentence, Text, analysed
from conqret.text.aspects import ASPECTS


class Evidence:
    """Lexical and statistical evidence about one item: no language model, no randomness.

    Every value is in [0, 1] and depends on the item's texts alone; nothing depends on the order of its
    documents. Results are kept, so asking twice costs nothing.
    """

    def __init__(self, item: Item) -> None:
        self.item = item
        self._arguments: dict[str, Text] = {}
        self._analysed: dict[str, Features] = {}
        self._kept: dict[object, Finding] = {}
        self._dimensions: dict[str, dict[str, Finding]] = {}

    def document_relevance(self, index: int) -> Finding:
        """The relevance of document ``index`` (from 0) to the topic. Raises IndexError if there is none."""
        return self._relevances[index]

    def context_relevance(self) -> Finding:
        """The relevance of the documents together: the mean of theirs; 0 without documents."""
        values = [finding.value for finding in self._relevances]
        if not values:
            return Finding(0.0, "There are no documents.")
        high = sum(value >= 0.4 for value in values)
        return Finding(
            clip(math.fsum(values) / len(values)), f"{high} of {len(values)} documents keep to the topic."
        )

    def answer_relevance(self, which: Which = "argument") -> Finding:
        """The relevance of an argument to the topic, by the same measure as a document's."""
        key = ("answer", which)
        if key not in self._kept:
            self._kept[key] = relevance(self._argument_features(which))
        return self._kept[key]

    def groundedness(self, which: Which = "argument") -> Finding:
        """The share of an argument's content that its documents bear out (`grounding.groundedness`)."""
        key = ("grounded", which)
        if key not in self._kept:
            self._kept[key] = grounding.groundedness(self._argument(which), self._alignments)
        return self._kept[key]

    def dimensions(self, which: Which = "argument") -> Mapping[str, Finding]:
        """The fifteen dimensions of argument quality (`quality.dimensions`)."""
        if which not in self._dimensions:
            grounded = self.groundedness(which).value if self.item.documents else None
            self._dimensions[which] = quality.dimensions(
                self._argument(which), self.answer_relevance(which).value, grounded
            )
        return self._dimensions[which]

    def preference(self) -> PreferenceFinding:
        """Which of the two arguments is the stronger; swapping them swaps the label (`preference.prefer`)."""
        return prefer(self._strength("argument"), self._strength("second_argument"))

    def citation_support(self, which: Which = "argument") -> tuple[CitationVerdict, ...]:
        """What each cited document says of the sentence that cites it, in order."""
        return grounding.citation_verdicts(self._argument(which), self._alignments)

    def topic_nuggets(self, n: int = 20) -> tuple[str, ...]:
        """``n`` distinct key points about topic and stance (`nuggets.topic_nuggets`)."""
        return nuggets.topic_nuggets(self.item.topic, self.item.stance, n)

    def document_nuggets(self, n: int = 20) -> tuple[str, ...]:
        """Up to ``n`` distinct key points from the documents (`nuggets.document_nuggets`)."""
        values = [finding.value for finding in self._relevances]
        return nuggets.document_nuggets(self._features, values, self._query, n)

    def coverage(self, nugget: str, by: By) -> float:
        """How far the documents or an argument cover ``nugget``, in [0, 1].

        By documents: the mean over documents of relevance * (1 + c) / 2. By an argument: for a nugget on an
        aspect, its relevance * (1 + c) / 2; for any other, `align`'s value with the argument as the source. c is how
        much the text touches the aspect, or the share of the nugget's words that it holds.
        """
        aspect = nuggets.aspect_of(nugget)
        if by == "documents":
            if not self._features:
                return 0.0
            parts = []
            for f, finding in zip(self._features, self._relevances, strict=True):
                c = (
                    nuggets.touches(aspect, f.body.terms)
                    if aspect
                    else nuggets.covered_by_words(nugget, f.body.terms)
                )
                parts.append(finding.value * (1 + c) / 2)
            return clip(math.fsum(parts) / len(parts))
        argument = self._argument(by)
        if aspect:
            return clip(self.answer_relevance(by).value * (1 + nuggets.touches(aspect, argument.terms)) / 2)
        return align(Sentence(nugget), argument).value

    @cached_property
    def criteria(self) -> Mapping[str, Finding]:
        """Further evidence for yes/no rubrics, by name (`criteria.criteria`)."""
        argument = self._argument("argument") if self.item.argument is not None else Text("")
        return criteria(
            self._features, [f.value for f in self._relevances], list(ASPECTS.values()), argument,
            self.citation_support() if self.item.argument is not None else (),
        )  # fmt: skip

    @cached_property
    def _query(self) -> RelevanceQuery:
        return RelevanceQuery.of(self.item.topic)

    @cached_property
    def _documents(self) -> tuple[Text, ...]:
        return tuple(
            analysed(f"{document.title}\n\n{document.text}" if document.title else document.text)
            for document in self.item.documents
        )

    @cached_property
    def _alignments(self) -> Alignments:
        return Alignments(self._documents)

    @cached_property
    def _features(self) -> tuple[Features, ...]:
        return tuple(features(text, self._query) for text in self._documents)

    @cached_property
    def _company(self) -> Company:
        argument = self._argument_features("argument") if self.item.argument is not None else None
        return Company.of(self._features, argument)

    @cached_property
    def _relevances(self) -> tuple[Finding, ...]:
        company = self._company
        return tuple(relevance(f, company.of_document(f), company.trust) for f in self._features)

    def _argument_features(self, which: str) -> Features:
        if which not in self._analysed:
            self._analysed[which] = features(self._argument(which), self._query)
        return self._analysed[which]

    def _argument(self, which: str) -> Text:
        if which not in self._arguments:
            text = self.item.argument if which == "argument" else self.item.second_argument
            self._arguments[which] = analysed(text or "")
        return self._arguments[which]

    def _strength(self, which: Which) -> Strength:
        writing = fitted()["preference"].score(surface(self._argument(which)))
        if not self.item.documents:
            return Strength(writing)
        return Strength(writing, self.groundedness(which).value, self.answer_relevance(which).value)
