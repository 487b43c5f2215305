"""Expert arguments of a corpus, and in-context examples drawn from them (ConQRet, section 3.2.2).

An expert argument is one side of a debate page: each headline is a conclusion, its paragraphs are the
premises, and their markers ``[12]`` cite the page's sources. Sources whose text was extracted become the
documents of the example, numbered from 1 in the order of their first citation; other markers go.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from conqret.baseline.alignment import align
from conqret.data.corpus import CorpusTopic, Debate, DebateArgument
from conqret.data.item import Document, Stance
from conqret.errors import DeclarationError
from conqret.generation.cited_argument import cited
from conqret.io.corpus_folder import CorpusDirectory
from conqret.text.analysis import Text, analysed
from conqret.text.citations import citations, cited_by, replace_marks
from conqret.text.words import caseless

SHOTS = 3
"""The default number of examples in a prompt (ConQRet, section 3.2.2)."""

SEED = 13

EXAMPLE_DOCUMENTS = 10
"""The most documents of an example; the paper gives ten to a topic. The rest, and what cites them, is left
out.
"""


@dataclass(frozen=True, slots=True)
class Expert:
    """One side of a debate as an expert wrote it: conclusions with premises that cite ``documents``.

    ``topic`` is the topic's id, and ``points`` are the conclusions, each with its premises. Citation marks
    in the premises are positions in ``documents`` (ids), counted from 1.
    """

    topic: str
    question: str
    stance: Stance
    points: tuple[tuple[str, tuple[str, ...]], ...]
    documents: tuple[str, ...]

    def text(self, places: Mapping[str, int] | None = None) -> str:
        """Return the argument as text.

        Args:
            places: new citation numbers by document id; citations of other documents are removed.
                Default: keep the marks.
        """
        titled = ((cited(title, ()) if title else "", *premises) for title, premises in self.points)
        text = "\n\n".join(" ".join(sentences).strip() for sentences in titled)
        if places is None:
            return text
        return renumbered(text, {n: places[d] for n, d in enumerate(self.documents, start=1) if d in places})


@dataclass(frozen=True, slots=True)
class Example:
    """An in-context example: the parts of an expert's argument that its documents support, and these
    documents.
    """

    expert: Expert
    documents: tuple[Document, ...]


class ExpertArguments:
    """The expert arguments of a corpus, read on first use.

    Raises:
        DeclarationError: the corpus has no debates or no ledger, or a line of them is broken.
    """

    def __init__(self, corpus: CorpusDirectory) -> None:
        self._debates = {debate.id: debate for debate in corpus.debates()}
        self._ledger = {(entry.debate, entry.number): entry for entry in corpus.ledger()}
        self._examples: dict[tuple[str, Stance], Example | None] = {}

    def find(self, topic: CorpusTopic, stance: Stance, *, limit: int | None = None) -> Expert | None:
        """Return the expert's argument for one side (``pro`` or ``con``) of a topic, or None if there is none.

        Only the first ``limit`` of its documents are kept, and citations of the others are removed.
        """
        debate = self._debates.get(topic.id)
        if debate is None:
            return None
        arguments = {"pro": debate.pros, "con": debate.cons}.get(stance, ())
        return _expert(topic, stance, arguments, self._documents(debate), limit) if arguments else None

    def example(
        self, topic: CorpusTopic, stance: Stance, documents: Mapping[str, Document]
    ) -> Example | None:
        """Return the parts of the expert's argument for one side of a topic that its documents support.

        The result is cached. Returns None if nothing is supported or a cited document is not in
        ``documents``.
        """
        key = (topic.id, stance)
        if key not in self._examples:
            expert = self.find(topic, stance, limit=EXAMPLE_DOCUMENTS)
            there = expert is not None and all(document in documents for document in expert.documents)
            self._examples[key] = borne_out(expert, documents) if expert is not None and there else None
        return self._examples[key]

    def _documents(self, debate: Debate) -> dict[int, str]:
        """Return the ids of the documents of a debate's sources, by the sources' numbers; sources without a
        text are left out."""
        entries = {source.number: self._ledger.get((debate.id, source.number)) for source in debate.sources}
        return {
            number: entry.document
            for number, entry in entries.items()
            if entry is not None and entry.status == "ok" and entry.document
        }


def draw_examples(
    topics: Sequence[CorpusTopic],
    experts: ExpertArguments,
    documents: Mapping[str, Document],
    stance: Stance,
    count: int,
    *,
    seed: int = SEED,
    exclude: CorpusTopic | None = None,
) -> tuple[Example, ...]:
    """Sample ``count`` in-context examples of this stance from the train topics.

    The order is sampled once for a seed and a stance. Each topic takes the first examples that are not
    about itself, so most topics share their examples.

    Args:
        topics: all topics of the corpus; only those of the train split are used.
        experts: the expert arguments to sample from.
        documents: all documents that the arguments cite, by id.
        stance: the side of the examples.
        count: how many examples to return; with 0, none are read.
        seed: the random seed.
        exclude: the topic that no example may be about.

    Raises:
        DeclarationError: the train topics have fewer examples.
    """
    if count == 0:
        return ()
    train = sorted((topic for topic in topics if topic.split == "train"), key=lambda topic: topic.id)
    order = random.Random(f"examples/{seed}/{stance}").sample(train, len(train))
    others = (
        topic
        for topic in order
        if exclude is None or (topic.id != exclude.id and _asked(topic) != _asked(exclude))
    )
    examples = (experts.example(topic, stance, documents) for topic in others)
    chosen = tuple(islice(filter(None, examples), count))
    if len(chosen) < count:
        raise DeclarationError(
            f"{count} examples are requested, but the train topics of the corpus have only "
            f"{len(chosen)} {stance} arguments that their documents support; lower --shots"
        )
    return chosen


def borne_out(expert: Expert, documents: Mapping[str, Document]) -> Example | None:
    """Return the parts of an expert's argument that its documents support, or None if nothing remains.

    Support is lexical (:func:`conqret.baseline.alignment.align`). A sentence keeps the citations that
    support it, and is dropped if a cited document contradicts it. A sentence without citations remains
    only as a conclusion without figures. A conclusion and its premises are dropped together. Only
    documents that are still cited are kept.
    """
    shown = [documents[name] for name in expert.documents]
    sources = [analysed(f"{document.title}\n\n{document.text}") for document in shown]

    def kept(text: str, *, bare: bool = False) -> str:
        analysis, pieces = Text(text), []
        for piece, sentence in zip(analysis.pieces, analysis.sentences, strict=True):
            labels = {number: align(sentence, sources[number - 1]).label for number in sentence.cites}
            holding = {number: number for number, label in labels.items() if label == "supports"}
            if holding and "contradicts" not in labels.values():
                pieces.append(renumbered(piece, holding))
            elif bare and not labels and not sentence.numbers:
                pieces.append(piece)
        return " ".join(pieces)

    points = [
        (conclusion, held)
        for title, premises in expert.points
        if (conclusion := kept(title, bare=True)) and (held := [*filter(None, map(kept, premises))])
    ]
    cites = dict.fromkeys(n for title, held in points for text in (title, *held) for n in citations(text))
    places = {number: place for place, number in enumerate(cites, start=1)}
    if not places:
        return None
    numbered = tuple(
        (renumbered(title, places), tuple(renumbered(piece, places) for piece in held))
        for title, held in points
    )
    names = tuple(expert.documents[number - 1] for number in cites)
    left = replace(expert, points=numbered, documents=names)
    return Example(left, tuple(shown[number - 1] for number in cites))


def renumbered(text: str, places: Mapping[int, int]) -> str:
    """Return ``text`` with each citation ``n`` replaced by ``places[n]``; citations of other numbers are
    removed.
    """
    return replace_marks(text, lambda _, cited: [places[n] for n in cited if n in places], apart=True)


def _expert(
    topic: CorpusTopic,
    stance: Stance,
    arguments: Sequence[DebateArgument],
    documents: Mapping[int, str],
    limit: int | None,
) -> Expert | None:
    named: dict[str, int] = {}
    for number in cited_by(arguments):
        if number in documents and (limit is None or len(named) < limit):
            named.setdefault(documents[number], len(named) + 1)
    places = {number: named[document] for number, document in documents.items() if document in named}
    points = tuple(
        (
            renumbered(" ".join(argument.title.split()), places),
            tuple(renumbered(" ".join(text.split()), places) for text in argument.paragraphs if text.strip()),
        )
        for argument in arguments
        if argument.title.strip() or any(text.strip() for text in argument.paragraphs)
    )
    return Expert(topic.id, topic.question, stance, points, tuple(named)) if points else None


def _asked(topic: CorpusTopic) -> str:
    return caseless(topic.question).rstrip("? ")
