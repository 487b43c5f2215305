"""Tuning a small model: what is learnt of a row, that it is learnt, kills, and what is refused."""

import json
import shutil

import pytest

from conqret.debate.debatune import debater_training as training
from conqret.debate.debatune.debate_files import read_instructions
from conqret.debate.debatune.debater_training import DebaterFolder, TuningSettings, prepared, tune_debater
from conqret.errors import DeclarationError, ItemsError
from conqret.local import training_loop
from tests.debate.tunable import ROWS, SUBJECTS, row, save_model, write_rows

pytestmark = pytest.mark.usefixtures("one_thread")


def tune(rows, model, folder, settings, **more):
    return tune_debater(rows, model=model, settings=settings, output=folder.path, **more)[0]


QUICK = TuningSettings(epochs=3, batch_size=8, learning_rate=0.01, save_every=2)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return {
        chat: save_model(tmp_path_factory.mktemp("models") / str(chat), chat=chat) for chat in (False, True)
    }


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return read_instructions(write_rows(tmp_path_factory.mktemp("rows") / "train.jsonl", ROWS))


@pytest.fixture(scope="module")
def whole(models, rows, tmp_path_factory):
    """A run that was left alone: its folder and what came of it."""
    folder = DebaterFolder(tmp_path_factory.mktemp("whole") / "tuned")
    return folder, tune(rows, models[False], folder, QUICK)


def test_the_defaults_are_those_of_the_paper():
    chosen = TuningSettings()
    assert (chosen.epochs, chosen.batch_size, chosen.max_length) == (3, 128, 2048)
    assert (chosen.rate(chat=False), chosen.rate(chat=True)) == (2e-5, 1e-5)
    assert chosen.steps(630 * 2 * 3) == 90  # 630 topics, 3 arguments a side
    assert TuningSettings(batch_size=6).rows_at_once == 3


@pytest.mark.parametrize("chat", [False, True])
def test_only_responses_are_learnt(models, rows, tmp_path, chat):
    inputs = prepared(rows, models[chat], QUICK)
    base = training.loaded(inputs)
    trainer, _, _ = training.assembled(inputs, base, DebaterFolder(tmp_path))
    end = "<|im_end|>" if chat else "<|end|>"
    seen = 0
    for batch in trainer.get_train_dataloader():
        for ids, labels in zip(batch["input_ids"], batch["labels"], strict=True):
            learnt = labels[labels != training.UNLEARNT]
            text = inputs.tokenizer.decode(learnt)
            response = text.removesuffix(end).strip()
            assert text.rstrip().endswith(end)
            assert response in {one.response for one in rows}
            assert "Argue" in inputs.tokenizer.decode(ids[labels == training.UNLEARNT])
            seen += 1
    assert seen == len(rows)
    assert inputs.plan.chat == chat
    assert inputs.plan.response_tokens == sum(one.learnt for one in inputs.rows) < inputs.plan.tokens


def test_the_loss_falls_and_the_model_is_stored_with_a_plain_template(whole, rows):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, found = whole
    assert [step.step for step in found.steps] == [1, 2, 3, 4, 5, 6]
    assert found.steps[-1].loss < found.steps[0].loss - 0.5
    assert json.loads(folder.summary_file.read_text())["steps"][0]["loss"] == found.steps[0].loss
    assert AutoTokenizer.from_pretrained(folder.model).chat_template == training.PLAIN_TEMPLATE
    assert AutoModelForCausalLM.from_pretrained(folder.model).config.vocab_size > 30
    assert not folder.checkpoints.exists()


def test_a_run_that_was_stopped_ends_like_one_that_was_left_alone(whole, models, rows, tmp_path):
    left_alone, expected = whole
    folder = DebaterFolder(tmp_path / "tuned")

    def killed(step):
        if step.step == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(rows, models[False], folder, QUICK, on_step=killed)
    assert not folder.summary_file.exists()
    torn = folder.checkpoints / "checkpoint-6"  # the kill came while it was written
    shutil.copytree(folder.checkpoints / "checkpoint-4", torn)
    (torn / training_loop.STATE).unlink()
    done, again = [], []
    found = tune(
        rows,
        models[False],
        folder,
        QUICK,
        on_start=lambda plan, kept: done.append(kept),
        on_step=again.append,
    )
    assert done == [4]
    assert [one.step for one in again] == [5, 6]
    assert found == expected
    weights = [one.model / "model.safetensors" for one in (left_alone, folder)]
    assert weights[0].read_bytes() == weights[1].read_bytes()
    trained = []
    assert tune(rows, models[False], folder, QUICK, on_step=trained.append) == found
    assert trained == []


def test_an_adapter_is_trained_and_merged(models, rows, tmp_path):
    from peft import AutoPeftModelForCausalLM
    from safetensors.torch import load_file

    folder = DebaterFolder(tmp_path / "tuned")
    chosen = TuningSettings(epochs=1, batch_size=8, lora=True)
    found = tune(rows, models[True], folder, chosen, test=read_held_out(tmp_path))
    assert found.steps[0].learning_rate < found.steps[1].learning_rate == pytest.approx(1e-4, rel=1e-3)
    assert found.before is not None
    assert found.steps[-1].held_out == pytest.approx(found.before, abs=0.2)
    names = load_file(folder.model / "model.safetensors")
    assert set(names) == set(load_file(models[True] / "model.safetensors"))
    adapter = AutoPeftModelForCausalLM.from_pretrained(folder.adapter)
    assert adapter.peft_config["default"].r == training.LORA_RANK


def read_held_out(tmp_path, subject="Bicycles"):
    return read_instructions(write_rows(tmp_path / "test.jsonl", [row(subject, "pro", "it is fair")]))


def test_a_topic_in_both_files_is_named_with_its_lines(models, rows, tmp_path):
    with pytest.raises(
        ItemsError, match=r"test.jsonl:1 \[topic\] is 'Trams should be free', which .*train.jsonl:1"
    ):
        prepared(rows, models[False], held_out=read_held_out(tmp_path, SUBJECTS[0]))


def test_what_is_too_long_is_cut_and_said(models, tmp_path):
    long = {"instruction": "Yes", "output": "Yes " * 200}
    data = read_instructions(write_rows(tmp_path / "long.jsonl", [long, ROWS[0]]))
    found = prepared(data, models[False]).plan
    assert found.limit == 96  # the window of the model
    assert found.cut == (f"{tmp_path / 'long.jsonl'}:1",)
    no_room = {"instruction": "Yes " * 200, "output": "Yes"}
    data = read_instructions(write_rows(tmp_path / "long.jsonl", [ROWS[0], no_room]))
    with pytest.raises(DeclarationError, match=r"long.jsonl:2: the instruction alone takes 20\d tokens"):
        prepared(data, models[False])


def test_a_template_that_rewrites_the_instruction_is_refused(models, rows, tmp_path):
    folder = shutil.copytree(models[True], tmp_path / "model")
    template = (
        "{% if add_generation_prompt %}Now: {% endif %}{% for m in messages %}{{ m['content'] }}{% endfor %}"
    )
    (folder / "chat_template.jinja").write_text(template)
    with pytest.raises(DeclarationError, match="changes an instruction once a response follows"):
        prepared(rows, folder)
