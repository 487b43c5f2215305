"""From rankings to arguments that are to be written: the topic, side, documents and examples; and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from conqret.data import Document, Stance
from conqret.data.corpus import CorpusTopic
from conqret.errors import DeclarationError
from conqret.generation.examples import ExpertArguments, draw_examples
from conqret.generation.generator import GenerateOptions, GenerationTask
from conqret.io.corpus_folder import CorpusDirectory


def make_tasks(
    corpus: CorpusDirectory,
    rankings: Mapping[str, Sequence[str]],
    stance: Stance,
    options: GenerateOptions,
    topics: Iterable[CorpusTopic] | None = None,
) -> list[GenerationTask]:
    """A task for each ranked topic, in the order of the rankings, with its first ``options.documents`` documents.

    ``topics`` (default: all of the corpus) are those that may be ranked and that examples are drawn from.

    Raises:
        DeclarationError: a topic or document of the rankings is not in the corpus, or there are too few examples.
    """
    known = list(corpus.topics() if topics is None else topics)
    by_id = {topic.id: topic for topic in known}
    strangers = [name for name in rankings if name not in by_id]
    if strangers:
        raise DeclarationError(
            f"the run ranks {len(strangers)} topics that {corpus.topics_file} lacks (for example {strangers[0]!r}): "
            "give the corpus that it was made from"
        )
    experts = ExpertArguments(corpus) if options.shots or options.expert else None
    wanted = {document for ranking in rankings.values() for document in ranking[: options.documents]}
    written = [experts.of(topic, stance) for topic in known] if experts is not None and options.shots else []
    cited = {document for expert in written if expert is not None for document in expert.documents}
    texts = _read(corpus, wanted, cited)
    return [
        GenerationTask(
            by_id[name],
            stance,
            tuple(texts[document] for document in ranking[: options.documents]),
            draw_examples(
                known, experts, texts, stance, options.shots, seed=options.seed, exclude=by_id[name]
            )
            if experts is not None
            else (),
            experts.of(by_id[name], stance) if experts is not None and options.expert else None,
        )
        for name, ranking in rankings.items()
    ]


def _read(corpus: CorpusDirectory, wanted: set[str], cited: set[str]) -> dict[str, Document]:
    """Only the documents that are wanted, and what is there of those cited, in one pass over the file."""
    documents = {
        document.id: document
        for document in corpus.documents()
        if document.id in wanted or document.id in cited
    }
    lacking = sorted(wanted - documents.keys())
    if lacking:
        raise DeclarationError(
            f"{corpus.documents_file} lacks {len(lacking)} documents that are ranked ({lacking[0]!r} is "
            "one): give the corpus that the run was made from"
        )
    return documents
