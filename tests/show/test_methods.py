"""The paragraphs of a run that did not go well."""

from conqret.data import Measure, Reason
from conqret.judging.judge_folder import JudgeRecord
from conqret.judging.tally import summarise
from conqret.studies.card.methods import methods
from tests.studies.judged import judgment, scored

RECORD = JudgeRecord(
    format="listwise",
    model=r"m_1 {\input{x}}",
    baseline=False,
    fingerprint="f",
    metrics=["clarity"],
    identity={"model": "m", "samples": 3, "temperature": 0.7, "max_tokens": 900, "prompt listwise": "abc"},
    options={},
    model_options={},
    items_name="a%b.jsonl",
    items_layout="",
    items_count=4,
    items_digest="0" * 64,
    items_left_out=1,
)


def test_what_failed_is_said_and_names_do_not_act():
    kept = [
        judgment("a", {"clarity": scored(0.5)}),
        judgment("b", {"clarity": Measure.missing(Reason.REFUSAL, "I <will> not | 100%")}),
        judgment("c", {"clarity": Measure.missing(Reason.TIMEOUT)}),
    ]
    summary = summarise(kept).model_copy(update={"outstanding": 1})
    said = methods(RECORD, summary, topics=1)
    scores, judge = said.paragraphs["Scores"], said.paragraphs["Judge"]
    assert "4 items: 1 scored, 1 unscored, 1 failed, 1 not judged yet." in scores
    assert "Each request was sent 3 times, at temperature 0.7, and the mean counts." in judge
    assert "Answers had room for 900 tokens. Prompts, by their digests: listwise abc." in judge
    assert "1 further item had faults and took no part." in judge
    assert [table.title for table in said.tables] == [
        rf"Scores in [0, 1] of {RECORD.model}",
        "Missing scores",
    ]
    latex, markdown = said.latex(), said.markdown()
    assert r"m\_1 \{\textbackslash{}input\{x\}\}" in latex
    assert r"a\%b.jsonl" in latex
    assert r"I \textless{}will\textgreater{} not \textbar{} 100\%" in latex
    assert r"I &lt;will> not \| 100%" in markdown
