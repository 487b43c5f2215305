"""The ways to answer, by name: what each asks of a model, and what an item says of its making."""

import pytest

from conqret.data import Document
from conqret.errors import UnknownNameError
from conqret.generation import STRATEGIES
from conqret.generation.arguments import GeneratedArgument
from conqret.generation.budget import Question
from conqret.generation.generate import GenerateOptions
from conqret.generation.tasks import make_tasks
from conqret.generation.writing import GenerationRun, generate
from conqret.io import open_items
from conqret.io.trec import ScoredDoc, read_rankings, write_run
from conqret.llm.options import ClientOptions
from conqret.prompts import Library
from tests.generation.corpora import write_corpus

DOCUMENTS = (
    Document(id="a", text="Free buses raised ridership by 20 percent in two cities, a study found."),
)


@pytest.mark.parametrize("name", STRATEGIES)
def test_what_every_strategy_declares(name):
    strategy, library = STRATEGIES[name], Library()
    assert strategy.name == name
    made = strategy.baseline("Should buses be free?", "pro", DOCUMENTS)
    assert GeneratedArgument.model_validate(made).conclusions
    for stance in strategy.prompts:
        question = Question(strategy.prompt(library, stance), "Should buses be free?", stance, DOCUMENTS)
        assert "Free buses raised ridership" in question.rendered(DOCUMENTS).user


def test_extractive_writes_what_the_offline_model_answers_and_asks_nobody(tmp_path):
    corpus, ranking = write_corpus(tmp_path / "corpus"), tmp_path / "pro.res"
    write_run(ranking, [ScoredDoc("buses", f"buses-{n}", 9.0 - n) for n in (1, 2, 3)])
    items, records = {}, {}
    for name in STRATEGIES:
        options = GenerateOptions(strategy=name)
        tasks = make_tasks(corpus, read_rankings(ranking), "pro", options)
        run = GenerationRun(tasks, options, ClientOptions("offline"), tmp_path / name)
        assert generate(run).session.sent == (name == "cited")
        (items[name],) = open_items(run.items_file)
        records[name] = run.folder.record()
    assert items["extractive"].argument == items["cited"].argument
    facts = items["extractive"].metadata["generation"]
    assert (facts["strategy"], facts["model"], facts.get("prompt")) == ("extractive", "offline", None)
    assert records["extractive"].baseline
    assert records["extractive"].differences(records["cited"]) == ["options", "prompt", "answer schema"]


def test_unknown_strategies_are_told_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'extractive'"):
        GenerateOptions(strategy="extractiv")
