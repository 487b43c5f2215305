"""Expert arguments, and the examples drawn from them."""

import pytest

from conqret.errors import DeclarationError
from conqret.generation.examples import ExpertArguments, draw_examples, renumbered
from conqret.text.citations import citations
from tests.generation.corpora import SUBJECTS, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


def test_an_expert_argument_cites_its_documents_by_place(corpus):
    topic = next(topic for topic in corpus.topics() if topic.id == "cars")
    expert = ExpertArguments(corpus).of(topic, "pro")
    assert expert.documents == ("cars-1", "cars-2")
    assert expert.text() == (
        "Cars are good for health. Health improved by 12 percent. [1] Incomes rose too [2]. Nobody doubts it.\n\n"
        "They are fair. Everybody gains [2][1]."
    )
    assert citations(expert.text({"cars-2": 7})) == (7,)
    assert ExpertArguments(corpus).of(topic, "con").documents == ("cars-3",)


def test_examples_come_from_train_topics_and_never_from_the_topic_itself(corpus):
    topics, experts = list(corpus.topics()), ExpertArguments(corpus)
    for topic in topics:
        drawn = draw_examples(topics, experts, "pro", 3, exclude=topic)
        names = [one.topic for one in drawn]
        assert len(set(names)) == 3
        assert topic.id not in names
        assert all(SUBJECTS[name] == "train" for name in names)
    assert draw_examples(topics, experts, "pro", 3) == draw_examples(topics, experts, "pro", 3)
    seeds = {
        tuple(one.topic for one in draw_examples(topics, experts, "pro", 3, seed=seed)) for seed in range(20)
    }
    assert len(seeds) > 3
    assert draw_examples(topics, experts, "pro", 0) == ()


def test_a_topic_with_the_same_question_is_the_topic_itself(corpus):
    topics, experts = list(corpus.topics()), ExpertArguments(corpus)
    twin = topics[0].model_copy(
        update={"id": "twin", "question": topics[0].question.upper(), "split": "test"}
    )
    assert topics[0].id not in [
        one.topic for one in draw_examples([*topics, twin], experts, "pro", 3, exclude=twin)
    ]


def test_too_few_examples_are_named(corpus):
    with pytest.raises(DeclarationError, match="hold 4 pro arguments"):
        draw_examples(list(corpus.topics()), ExpertArguments(corpus), "pro", 5)


def test_renumbering():
    assert renumbered("A [1]. B [2, 3] C [1-3].", {1: 4, 3: 5}) == "A [4]. B [5] C [4][5]."
    assert renumbered("A [1]. B [2].", {}) == "A. B."
