"""Runs over topics: items, failures, recordings, resuming, and what is refused."""

import re

import pytest

from conqret.data import Reason
from conqret.errors import UnknownNameError
from conqret.generation.generation_run import ArgumentRun, GenerationFolder, make_tasks
from conqret.generation.generator import ANSWER_ROOM, GenerateOptions, GenerationTask, Generator
from conqret.io import open_items
from conqret.io.trec import ScoredDoc, read_rankings, write_run
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import MESSAGE_OVERHEAD
from conqret.llm.request import Answer
from conqret.llm.tokens import count_tokens
from conqret.prompts import Library
from conqret.runs.session import SessionCounts
from conqret.text.citations import citations
from tests.generation.corpora import write_corpus

OFFLINE = ClientOptions("offline")
DEFAULTS = GenerateOptions()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture
def ranking(tmp_path):
    path = tmp_path / "pro.res.gz"
    lines = [ScoredDoc(topic, f"{topic}-{n}", 9.0 - n) for topic in ("buses", "planes") for n in (2, 4, 1, 3)]
    write_run(path, lines)
    return path


def write(tasks, out, options=DEFAULTS, model=OFFLINE, **settings):
    with ArgumentRun(GenerationFolder(out), tasks, options, model, settings, made_of={}) as run:
        return run.written()


def tasks_of(corpus, ranking, options=DEFAULTS):
    return make_tasks(corpus, read_rankings(ranking), "pro", options)


def test_items_that_the_judges_read(corpus, ranking, tmp_path):
    options, folder = GenerateOptions(expert=True, documents=3), GenerationFolder(tmp_path / "out")
    outcome = write(tasks_of(corpus, ranking, options), folder.path, options)
    assert (outcome.written, outcome.failed, outcome.session.sent) == (2, {}, 2)
    items = list(open_items(folder.items_file))
    assert [item.id for item in items] == ["buses-pro", "planes-pro"]
    assert [document.id for document in items[0].documents] == ["buses-1", "buses-2", "buses-3"]
    assert citations(items[0].argument)
    assert "Health improved by 12 percent. [1] Incomes rose too [2]." in items[0].second_argument
    facts = items[0].metadata["generation"]
    assert facts["model"] == "offline"
    assert len(facts["examples"]) == 3
    assert facts["trimmed"] == []
    assert {one["document"] for one in facts["left_out"]} == set(facts["citations"]["never_cited"])
    assert [row.status for row in folder.rows().rows()] == ["written", "written"]


def test_the_same_again_is_the_same_and_asks_nothing(corpus, ranking, tmp_path):
    tasks, out = tasks_of(corpus, ranking), tmp_path / "out"
    write(tasks, out)
    before = (out / "items.jsonl").read_bytes()
    again = write(tasks, out)
    assert again.session == SessionCounts(sent=0, recorded=0, kept=2, cost_usd=0.0)
    assert (out / "items.jsonl").read_bytes() == before
    replayed = write(tasks, tmp_path / "replayed", replay=out)
    assert (replayed.session.sent, replayed.missing) == (0, ())
    assert (tmp_path / "replayed" / "items.jsonl").read_bytes() == before
    fewer = GenerateOptions(shots=1)
    shots = write(tasks_of(corpus, ranking, fewer), tmp_path / "other", fewer, replay=out)
    assert shots.failed == {str(Reason.NOT_RECORDED): 2}  # other examples are another prompt
    assert len(shots.missing) == 2


class _Failing:
    """A client whose model never gives a valid answer."""

    context_window, model_id = None, "gpt-4o-mini"

    def count_tokens(self, text: str) -> int:
        return len(text)

    async def request(self, request):
        return Answer(None, (), reason=Reason.REFUSAL, detail="I would rather not")


async def test_a_failure_is_recorded_and_is_no_item(corpus, ranking):
    (task, _) = make_tasks(corpus, read_rankings(ranking), "con", GenerateOptions())
    generator = Generator(GenerateOptions(), Library(), _Failing(), "gpt-4o-mini")
    found = await generator.write(task)
    assert task.item(found) is None
    assert (found.status, found.reason, found.detail) == ("unscored", "refusal", "I would rather not")
    nothing = await generator.write(GenerationTask(task.topic, "con", ()))
    assert nothing.reason is Reason.NOTHING_TO_JUDGE
    with pytest.raises(UnknownNameError):
        await generator.write(GenerationTask(task.topic, "none", task.documents))


class _Empty(_Failing):
    """A client whose model finds nothing in the documents."""

    async def request(self, request):
        left_out = [{"document": 1, "reason": "another subject"}]
        return Answer(request.response.model_validate({"conclusions": [], "left_out": left_out}), ())


def test_no_evidence_is_counted_by_itself_and_asked_for_once(corpus, ranking, tmp_path, monkeypatch):
    ask = Client.request

    async def sometimes(client, request):
        return await (_Empty().request(request) if request.item == "buses-pro" else ask(client, request))

    monkeypatch.setattr(Client, "request", sometimes)
    tasks, out = tasks_of(corpus, ranking), tmp_path / "out"
    outcome = write(tasks, out)
    assert (outcome.written, outcome.no_evidence, outcome.failed) == (1, 1, {})
    assert [item.id for item in open_items(outcome.items_file)] == ["planes-pro"]
    again = write(tasks, out)
    assert (again.session.kept, again.session.recorded, again.no_evidence) == (2, 0, 1)


async def test_a_small_window_is_told_apart_from_one_that_is_too_small(corpus, ranking):
    (task, _) = make_tasks(corpus, read_rankings(ranking), "pro", GenerateOptions())

    def generator(window):
        client = Client(ClientOptions("offline", context_window=window), store=None)
        return Generator(GenerateOptions(), Library(), client, "offline")

    question = next(generator(None).questions(task))
    rendered = question.rendered(question.shown)
    whole = count_tokens(rendered.system) + count_tokens(rendered.user) + ANSWER_ROOM + MESSAGE_OVERHEAD
    found = await generator(whole - 100).write(task)
    facts = task.item(found).metadata["generation"]
    lost = [one["before"] - one["after"] for one in (*facts["trimmed"], *facts["examples_trimmed"])]
    assert sum(lost) >= 100
    assert (await generator(whole).write(task)).facts["trimmed"] == []
    overflow = await generator(ANSWER_ROOM + 500).write(task)
    assert overflow.reason is Reason.CONTEXT_OVERFLOW
    assert re.search(
        r"needs [\d,]+ tokens even without .*, and 436 are available of .*: lower --shots", overflow.detail
    )
