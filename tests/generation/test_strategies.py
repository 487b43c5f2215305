"""The ways to answer, by name: what each asks of a model, and what an item says of its making."""

import asyncio
from pathlib import Path

import pytest

from conqret.data import Reason
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generation_run import (
    ArgumentRun,
    GenerationFolder,
    generate,
    gold_rankings,
    make_tasks,
)
from conqret.generation.generator import GenerateOptions, Generator
from conqret.generation.strategies import STRATEGIES
from conqret.io import open_items
from conqret.io.trec import ScoredDoc, read_rankings, write_run
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer
from conqret.prompts import Library
from conqret.text.citations import citations
from tests.generation.corpora import write_corpus

NOWHERE = GenerationFolder(Path("none"))


def write(tasks, options, model, folder=NOWHERE, **settings):
    with ArgumentRun(folder, tasks, options, model, settings, made_of={}) as run:
        return run.written()


def test_extractive_writes_what_the_offline_model_answers_and_asks_nobody(tmp_path):
    corpus, ranking = write_corpus(tmp_path / "corpus"), tmp_path / "pro.res"
    write_run(ranking, [ScoredDoc("buses", f"buses-{n}", 9.0 - n) for n in (1, 2, 3)])
    items, records = {}, {}
    for name in STRATEGIES:
        options = GenerateOptions(strategy=name)
        tasks = make_tasks(corpus, read_rankings(ranking), "pro", options)
        folder = GenerationFolder(tmp_path / name)
        sent = write(tasks, options, ClientOptions("offline"), folder).session.sent
        assert sent == {"cited": 1, "debate": 3, "extractive": 0, "expert": 0, "takeaways": 1}[name]
        (items[name],) = open_items(folder.items_file)
        records[name] = folder.record()
    assert items["extractive"].argument == items["cited"].argument
    facts = items["extractive"].metadata["generation"]
    assert (facts["strategy"], facts["model"], facts.get("prompt")) == ("extractive", "offline", None)
    assert records["extractive"].baseline
    differences = [
        "options",
        "prompt",
        "answer schema",
        "ranking, documents or examples",
    ]  # it shows no examples
    assert records["extractive"].differences(records["cited"]) == differences
    assert not records["expert"].baseline


def test_expert_arguments_have_the_documents_that_they_cite(tmp_path):
    corpus = write_corpus(tmp_path / "corpus")
    outcome = generate(corpus.path, stance="both", strategy="expert", output=tmp_path / "gold")
    relevant = {side: gold_rankings(corpus, side) for side in ("pro", "con")}
    for item in open_items(outcome.items_file):
        assert [document.id for document in item.documents] == relevant[item.stance][
            item.metadata["topic_id"]
        ]
        assert item.second_argument is None
        cited = dict.fromkeys(citations(item.argument))
        assert list(cited) == list(range(1, len(item.documents) + 1))
    assert outcome.written == sum(map(len, relevant.values()))


def argued(*premises):
    """An argument of one conclusion, its premises each with the numbers that it cites."""
    made = [{"text": f"It rests on {numbers}.", "citations": list(numbers)} for numbers in premises]
    conclusions = [{"conclusion": "So it is.", "premises": made}] if made else []
    return {"conclusions": conclusions, "left_out": []}


class Speakers:
    """Answers by prompt, and what each of them was shown."""

    def __init__(self, **answers):
        self.answers, self.shown = answers, {}
        self.options, self.context_window, self.model_id, self.count_tokens = None, None, "m", len

    async def request(self, request):
        name = request.ask.rpartition("/")[2]
        self.shown[name] = request.messages[1].content
        said = self.answers[name]
        if isinstance(said, Reason):
            return Answer(value=None, reason=said, calls=())
        return Answer(value=GeneratedArgument.model_validate(said), calls=())


@pytest.fixture
def task(tmp_path):
    corpus = write_corpus(tmp_path / "corpus")
    return make_tasks(
        corpus, {"buses": ["buses-1", "buses-3"]}, "con", GenerateOptions(strategy="debate", shots=0)
    )[0]


def written(task, **answers):
    speakers = Speakers(**answers)
    options = GenerateOptions(strategy="debate", shots=0)
    return asyncio.run(Generator(options, Library(), speakers, "m").write(task)), speakers.shown


def test_in_a_debate_each_turn_is_shown_what_was_said_before(task):
    found, shown = written(task, con=argued([1]), counter=argued([2]), revise=argued([1, 2]))
    assert found.argument == "So it is. It rests on [1][2]."
    assert found.facts["turns"] == {
        "argument": "So it is. It rests on [1].",
        "counter": "So it is. It rests on [2].",
        "revised": found.argument,
    }
    assert found.facts["prompt"].startswith("generate/revise")
    assert "It rests on" not in shown["con"]
    assert "It rests on [1]." in shown["counter"]
    assert "<stance>pro" in shown["counter"]  # the other side answers
    assert all(f"It rests on [{n}]." in shown["revise"] for n in (1, 2))
    assert "<stance>con" in shown["revise"]
    assert all("harms the budget" in text for text in shown.values())  # all see the documents
