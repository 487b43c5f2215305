"""Hugging Face datasets in and out."""

import pytest

datasets = pytest.importorskip("datasets", reason="the extra huggingface is not installed")

import conqret  # noqa: E402
from conqret.adapters.huggingface import CARD, dataset_of, save_dataset  # noqa: E402
from tests.adapters.examples import run_example  # noqa: E402
from tests.adapters.judged import METRIC, WHY, judged  # noqa: E402
from tests.contract.items import demo  # noqa: E402


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return judged(tmp_path_factory.mktemp("hf") / "run")


def test_a_dictionary_of_one_split_is_judged_and_of_several_one_has_to_be_named():
    item = {"question": "Ban zoos?", "answer": "Yes: cages are small [1].", "contexts": ["Cages are small."]}
    given = datasets.Dataset.from_list([item])
    values = conqret.judge([item], format="direct")[0].values
    for split in (given, given.to_iterable_dataset()):
        kind = datasets.DatasetDict if split is given else datasets.IterableDatasetDict
        for source in (split, kind({"train": split})):
            assert conqret.judge(source, format="direct")[0].values == values
        with pytest.raises(
            conqret.DeclarationError, match=r"several splits \('train', 'test'\): give one of them"
        ):
            conqret.judge(kind({"train": split, "test": split}), format="direct")


@pytest.mark.parametrize("where", ["folder", "memory", "path"])
def test_a_run_is_a_dataset_with_nulls_and_reasons(run, where):
    given = {"folder": run, "memory": judged(), "path": run.folder.path}[where]
    found = dataset_of(given)
    assert found.num_rows == 4
    assert found[0]["value"] is None
    assert found[0]["status"] == "inapplicable"
    assert found[0]["reason"].startswith(WHY)
    assert found["value"][1:] == [one.value(METRIC) for one in run[1:]]
    assert found[1]["argument"] == demo()[1].argument
    assert [one["id"] for one in found[1]["documents"]] == [document.id for document in demo()[1].documents]
    assert set(found["fingerprint"]) == {run.record.fingerprint}
    assert not {"trace", "calls"} & set(found.column_names), "the run has them"


def test_a_folder_with_a_card_loads_again(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    folder = save_dataset(run, tmp_path / "published")
    loaded = datasets.load_dataset(str(folder), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == 4
    assert loaded[0]["value"] is None
    card = (folder / CARD).read_text(encoding="utf-8")
    assert card.startswith("---\ntags:")
    assert f"`{METRIC}.missing`: {WHY} (1)" in card
    assert "a lexical baseline, and no model" in card
    assert run.record.fingerprint in card
    one = run.summary.metrics[METRIC]
    assert f"{one.worst_case:.3f}" in card
    assert f"{one.best_case:.3f}" in card
    save_dataset(run, folder)  # again, over itself


def test_other_files_are_not_written_over(run, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(conqret.DeclarationError, match="contains other files"):
        save_dataset(run, tmp_path)
    with pytest.raises(conqret.DeclarationError):
        dataset_of(tmp_path / "none")


def test_the_example_of_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_example("Hugging Face datasets")["result"].summary.scored == 1
    assert (tmp_path / "published" / CARD).is_file()
