"""Expert arguments, and the examples drawn from them."""

import pytest

from conqret.data import Document
from conqret.generation.examples import Expert, ExpertArguments, borne_out, draw_examples
from conqret.text.citations import citations
from tests.generation.corpora import SUBJECTS, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def texts(corpus):
    return {document.id: document for document in corpus.documents()}


def test_an_expert_argument_cites_its_documents_by_place(corpus):
    topic = next(topic for topic in corpus.topics() if topic.id == "cars")
    expert = ExpertArguments(corpus).find(topic, "pro")
    assert expert.documents == ("cars-1", "cars-2")
    assert expert.text() == (
        "Cars are good for health. Health improved by 12 percent. [1] Incomes rose too [2]. Nobody doubts it.\n\n"
        "They are fair. Everybody gains [2][1]."
    )
    assert citations(expert.text({"cars-2": 7})) == (7,)
    assert ExpertArguments(corpus).find(topic, "con").documents == ("cars-3",)


def test_examples_come_from_train_topics_and_never_from_the_topic_itself(corpus, texts):
    topics, experts = list(corpus.topics()), ExpertArguments(corpus)
    for topic in topics:
        drawn = draw_examples(topics, experts, texts, "pro", 3, exclude=topic)
        names = [one.expert.topic for one in drawn]
        assert len(set(names)) == 3
        assert topic.id not in names
        assert all(SUBJECTS[name] == "train" for name in names)
    assert draw_examples(topics, experts, texts, "pro", 3) == draw_examples(topics, experts, texts, "pro", 3)
    assert draw_examples(topics, experts, texts, "pro", 0) == ()


def shown(points, *texts):
    names = tuple(f"d{n}" for n in range(1, len(texts) + 1))
    documents = {name: Document(id=name, text=text) for name, text in zip(names, texts, strict=True)}
    return borne_out(Expert("t", "Should fares be abolished?", "pro", points, names), documents)


def test_an_example_shows_only_what_its_documents_bear_out():
    points = (
        (
            "Free buses get people moving",
            (
                "Riders of the buses doubled in Vellmar after fares ended [2]. Nobody doubts it.",
                "Riders rose by 300 percent [1]. A study by Oxbridge found that cars vanished [1].",
            ),
        ),
        ("Half of all drivers gave up their cars", ("Riders of the buses doubled in Vellmar [2].",)),
        ("It costs nothing", ("The moon pays for all of it [1].",)),
    )
    example = shown(
        points,
        "The riders of trams rose by 12 percent in the first year.",
        "After fares ended, the riders of the buses in Vellmar doubled.",
    )
    assert example.expert.text() == (
        "Free buses get people moving. Riders of the buses doubled in Vellmar after fares ended [1]."
    )
    assert [document.id for document in example.documents] == ["d2"]
    assert example.expert.documents == ("d2",)
