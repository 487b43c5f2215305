"""The file of an experiment: what it may hold, and that every fault is named with its line."""

from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.experiments.experiment import _copy_file, experiment_job, experiment_record
from conqret.experiments.reading import read_experiment
from tests.generation.corpora import write_corpus

GOOD = """corpus = "corpus"

[retrievers.bm25]
depth = 20

[retrievers.deep]

[rerankers.side]
model = "offline"

[generators.floor]

[[systems]]
retriever = ["bm25", "deep"]
reranker = ["none", "side"]
generator = ["floor"]

[[judges]]
format = "rag-fine-grained"

[[judges]]
format = "direct"
model = "gpt-4o-mini"
metrics = ["groundedness"]

[[perturbations]]
name = "irrelevant"
"""


@pytest.fixture
def file(tmp_path):
    write_corpus(tmp_path / "corpus")
    path = tmp_path / "experiment.toml"
    path.write_text(GOOD)
    return path


def faults(file: Path, *changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for before, after in changes:
        assert before in text
        text = text.replace(before, after, 1)
    file.write_text(text)
    with pytest.raises(DeclarationError) as caught:
        read_experiment(file)
    return str(caught.value).splitlines()[1:]


LOCAL = """
[[judges]]
format = "likelihood"
model = "local/{place}"

[models."local/{place}"]
context_window = 900
"""


def test_a_local_model_s_folder_is_relative_to_the_file(file, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    place = "../x@0123456789ab"
    file.write_text(GOOD + LOCAL.format(place=place))
    experiment = read_experiment(file)
    judge = experiment.judges[-1]
    assert judge.model == f"local/{file.parent / place}"
    assert str(tmp_path_factory.getbasetemp()) not in judge.label
    assert experiment.client(judge.model).context_window == 900
    file.write_text(GOOD + LOCAL.format(place="gpt2"))
    assert read_experiment(file).judges[-1].model == "local/gpt2"


def test_every_fault_of_the_types_is_named_with_its_line(file):
    found = faults(
        file,
        ("depth = 20", "depth = 0"),
        ('"groundedness"]', '"groundedness"]\nsamples = "many"'),
        ("[generators.floor]", "[generators.floor]\nshot = 3"),
    )
    assert [line.split(":")[1].split(" ")[:2] for line in found] == [
        ["4", "retrievers.bm25.depth"],
        ["12", "generators.floor.shot"],
        ["26", "judges[1].samples"],
    ]
    assert "did you mean 'shots'" in found[1]


def test_every_fault_of_the_names_is_named_with_its_line(file):
    found = faults(
        file,
        ('corpus = "corpus"', 'corpus = "corps"\nprompts = "nowhere"'),
        ('["none", "side"]', '["none", "sides"]'),
        ('"rag-fine-grained"', '"rag-fine"'),
        ('"groundedness"', '"grounding"'),
        ('"irrelevant"', '"irelevant"'),
    )
    lines = [int(line.split(":")[1].split(" ")[0]) for line in found]
    assert lines == [1, 2, 16, 20, 23, 28]
    assert "did you mean 'rag-fine-grained'" in found[3]


def test_a_model_that_is_only_read_cannot_write(file):
    (found,) = faults(file, ("[generators.floor]", '[generators.floor]\nmodel = "local/gpt2"'))
    assert ":12 generators.floor.model: the question for an argument needs a response in a given" in found


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ('model = "gpt-4o-mini"', 'name = "rag-fine-grained-offline"', "judges[0]"),
        ("[rerankers.side]", "[rerankers.side]\nstep = 30", "more than the window"),
        ("[retrievers.deep]", '[retrievers.deep]\nencoder = "x"', "an engine that compares vectors"),
        ('name = "irrelevant"', 'name = "irrelevant"\nlevels = [0, 200]', "from 0 to 100"),
        ('corpus = "corpus"', 'corpus = "corpus"\nmodels.x.input_price = 1.0', "both input_price and"),
    ],
)
def test_other_faults(file, before, after, expected):
    assert any(expected in line for line in faults(file, (before, after)))


def test_a_password_in_an_address_is_in_no_file_of_the_run(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    address = "https://me:hunter2pass@example.org:8000/v1"
    file = tmp_path / "experiment.toml"
    file.write_text(f'{GOOD}\n[models.offline]\napi_base = "{address}"\n', encoding="utf-8")
    job = experiment_job(file, output=tmp_path / "run", trust=True)
    with job.out.claimed(experiment_record(job), begin=lambda: _copy_file(job)):
        pass
    assert job.experiment.models["offline"].api_base == address
    for name in ("run.json", "experiment.toml"):
        text = (tmp_path / "run" / name).read_text(encoding="utf-8")
        assert "https://[key]@example.org:8000/v1" in text
        assert "hunter2pass" not in text
