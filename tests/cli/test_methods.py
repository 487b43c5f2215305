"""``conqret runs methods``: paragraphs and tables of a run, for a paper."""

import json
from pathlib import Path

import pytest

from conqret.data import Measure, Reason
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.tally import summarise
from conqret.studies.card.methods import methods as paragraphs
from tests.studies.cards import write_gold
from tests.studies.judged import judgment, scored

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"


@pytest.fixture
def run(cli, tmp_path):
    judged = cli("judge", ITEMS, "-f", "listwise", "--metric", "clarity", "-o", tmp_path / "run", "-q")
    assert judged.code == 0
    return tmp_path / "run"


def test_every_table_as_latex(cli, run, tmp_path):
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("labels", "agreement", labels, "--scale", "1:3")
    shown = cli(*asked, "--latex")
    assert shown.code == 0
    assert shown.out.count(r"\begin{tabular}") == 1
    assert r"{}Clarity & " in shown.out
    assert "prints no table" in cli("runs", "list", tmp_path, "--latex").err


def test_of_a_run_and_its_labels(cli, run, tmp_path):
    alone = cli("runs", "methods", run)
    assert "24 items on 12 topics (items.jsonl, sha256 87047e5a4fe1a377)" in alone.out
    assert "without --labels the text states no agreement" in alone.err
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("runs", "methods", run, "--labels", labels, "--scale", "1:3")
    found = json.loads(cli(*asked, "--json").out)
    assert list(found["paragraphs"]) == ["Judge", "Scores", "Agreement", "Limits"]
    said = "24 items had labels by 2 annotators (labels.csv), on 1 dimension."
    assert said in found["paragraphs"]["Agreement"]
    assert found["tables"][1]["rows"][0][0] == "Clarity"
    written = cli(*asked, "-o", tmp_path / "methods.tex")
    assert (written.code, written.out) == (0, "")
    latex = (tmp_path / "methods.tex").read_text(encoding="utf-8")
    assert r"\paragraph{Agreement.}" in latex
    assert cli(*asked, "--latex").out.split() == latex.split()


def test_what_failed_is_said_and_names_do_not_act():
    identity = {"samples": 3, "temperature": 0.7, "max_tokens": 900, "prompt listwise": "abc"}
    items = {"items_name": "a%b.jsonl", "items_layout": "", "items_count": 4, "items_digest": "0" * 64}
    record = JudgeRecord(
        format="listwise",
        model=r"m_1 {\input{x}}",
        baseline=False,
        fingerprint="f",
        metrics=["clarity"],
        identity=identity,
        options={},
        model_options={},
        **{**items, "items_left_out": 1},
    )
    measures = (
        scored(0.5),
        Measure.missing(Reason.REFUSAL, "I <will> not | 100%"),
        Measure.missing(Reason.TIMEOUT),
    )
    summary = summarise(judgment(f"{n}", {"clarity": one}) for n, one in enumerate(measures))
    said = paragraphs(record, summary.model_copy(update={"outstanding": 1}), topics=1)
    assert "4 items: 1 scored, 1 unscored, 1 failed, 1 not judged yet." in said.paragraphs["Scores"]
    judge = said.paragraphs["Judge"]
    assert "Each request was sent 3 times, at temperature 0.7, and the mean counts." in judge
    assert "1 further item had faults and took no part." in judge
    latex = said.latex()
    assert r"m\_1 \{\textbackslash{}input\{x\}\}" in latex
    assert r"a\%b.jsonl" in latex
    assert r"I &lt;will> not \| 100%" in said.markdown()


def test_what_cannot_be_written(cli, tmp_path):
    done = cli("runs", "methods", tmp_path, "-o", "x.pdf")
    assert (done.code, "ends in neither .tex nor .md" in " ".join(done.err.split())) == (2, True)
