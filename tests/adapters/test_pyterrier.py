"""conqret's formats in PyTerrier's pipelines and experiments."""

import math
from importlib.util import find_spec

import pytest

pytest.importorskip("pyarrow", reason="the extra pyterrier is not installed")
pt = pytest.importorskip("pyterrier", reason="the extra pyterrier is not installed")
pd = pytest.importorskip("pandas", reason="the extra pyterrier is not installed")

import conqret  # noqa: E402
from conqret.adapters.pyterrier import ConqretJudge, as_frame, measure, scored  # noqa: E402
from tests.adapters import referred  # noqa: E402
from tests.adapters.examples import run_example  # noqa: E402
from tests.adapters.referred import LOOKS_AT_A_REFERENCE  # noqa: E402

TOPICS = pd.DataFrame(
    {"qid": ["zoos", "age"], "query": ["Should zoos be banned?", "Should the voting age be lowered?"]}
)
QRELS = pd.DataFrame({"qid": ["zoos", "age"], "docno": ["cages", "taxes"], "label": [1, 1]})
TEXTS = {
    "zoos": [("cages", "Cages are small, and animals suffer."), ("keepers", "Keepers care.")],
    "age": [("taxes", "They pay taxes.")],
}
ANSWERS = {"zoos": "Yes: cages are small, and animals suffer [1].", "age": "Lions are loud [1]."}


@pt.apply.generic
def retriever(topics):
    rows = [
        {**row, "docno": docno, "text": text, "score": -float(rank), "rank": rank}
        for row in topics.to_dict("records")
        for rank, (docno, text) in enumerate(TEXTS[row["qid"]])
    ]
    return pd.DataFrame(rows, columns=["qid", "query", "docno", "text", "score", "rank"])


def reader_of(answers):
    """What a reader of pyterrier-rag does: ranked documents in, one answer a query out."""

    def read(results):
        found = results[["qid", "query"]].drop_duplicates()
        return found.assign(qanswer=[answers[qid] for qid in found["qid"]])

    return pt.apply.generic(read)


GROUNDEDNESS = ConqretJudge("direct", ["groundedness"], documents=retriever)


def test_a_row_an_answer_with_scores():
    found = (retriever >> reader_of(ANSWERS) >> GROUNDEDNESS)(TOPICS)
    assert list(found["qid"]) == ["zoos", "age"]
    assert found["groundedness"].between(0, 1).all()
    assert found["groundedness"][0] > found["groundedness"][1]
    assert not {"docno", "text"} & set(found.columns)
    items = [
        {"topic": topic, "argument": ANSWERS[qid], "documents": [text for _, text in TEXTS[qid]]}
        for qid, topic in TOPICS.itertuples(index=False)
    ]
    alone = conqret.judge(items, format="direct", metrics=["groundedness"])
    assert list(found["groundedness"]) == [one.value("groundedness") for one in alone]


def test_the_measure_in_an_experiment():
    worse = {**ANSWERS, "zoos": "Lions are loud [2]."}
    found = pt.Experiment(
        [retriever >> reader_of(one) >> GROUNDEDNESS for one in (ANSWERS, worse)],
        TOPICS,
        QRELS,
        [measure("groundedness"), scored("groundedness")],
        names=["good", "worse"],
    ).set_index("name")
    assert found["groundedness"]["good"] > found["groundedness"]["worse"]
    assert list(found["groundedness scored"]) == [1.0, 1.0]


def test_what_has_no_score_is_no_zero_in_a_mean():
    judged = (retriever >> reader_of(ANSWERS) >> GROUNDEDNESS)(TOPICS)
    kept = judged["groundedness"][0]
    judged.loc[1, "groundedness"] = None
    measures = [measure("groundedness"), measure("groundedness", 0), measure("groundedness", 1)]
    experiment = pt.Experiment([judged], TOPICS, QRELS, [*measures, scored("groundedness")], names=["judged"])
    row = experiment.to_dict("records")[0]
    assert math.isnan(row["groundedness"])
    assert row["groundedness (missing 0)"] == pytest.approx(kept / 2)
    assert row["groundedness (missing 1)"] == pytest.approx((kept + 1) / 2)
    assert row["groundedness scored"] == 0.5


def test_why_there_is_no_score_stands_beside_it():
    found = (retriever >> reader_of(ANSWERS) >> ConqretJudge("controllability", documents=retriever))(TOPICS)
    assert found["controllability"].isna().all()
    assert set(found["reason"]) == {"nothing_to_judge"}
    assert set(found["status"]) == {"inapplicable"}


def test_items_as_a_frame_and_back():
    item = conqret.Item(
        id="zoos",
        topic="Should zoos be banned?",
        stance="pro",
        argument=ANSWERS["zoos"],
        reference="It depends.",
        documents=[
            {"id": "cages", "text": "Cages are small.", "title": "Zoos"},
            {"id": "b", "text": "Keepers care."},
        ],
    )
    bare = conqret.Item(id="bare", topic="Should the voting age be lowered?", argument="Yes.")
    frame = as_frame([item, bare])
    assert list(frame["docno"].fillna("")) == ["cages", "b", ""]
    found = conqret.judge(frame, format="pointwise", metrics=["clarity"])
    assert list(found["clarity"].notna()) == [True, True, True]
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    first, second = conqret.judge(rows, format="pointwise", metrics=["clarity"]).source
    assert (first.id, first.stance, first.reference) == ("zoos", "pro", "It depends.")
    assert first.documents == item.documents
    assert first.metadata == {}
    assert second.documents == ()


def test_with_pyterrier_rag():
    if find_spec("pyterrier_rag") is None:
        pytest.skip("pyterrier-rag is not installed")
    import pyterrier_rag as rag

    concatenated = retriever >> rag.prompt.Concatenator()
    reader = pt.apply.generic(lambda found: found.assign(qanswer=[ANSWERS[qid] for qid in found["qid"]]))
    gold = QRELS[["qid"]].assign(gold_answer=["cages are small", "taxes"])
    found = pt.Experiment(
        [concatenated >> reader >> ConqretJudge("direct", ["groundedness"])],
        TOPICS,
        gold,
        [rag.measures.F1, measure("groundedness"), scored("groundedness")],
        names=["one text"],
    ).to_dict("records")[0]
    assert 0 < found["F1"] < 1
    assert 0 < found["groundedness"] <= 1
    assert found["groundedness scored"] == 1
    frame = as_frame({"id": qid, "topic": "T?", "documents": [t for _, t in TEXTS[qid]]} for qid in TEXTS)
    contexts = rag.prompt.Concatenator()(frame).set_index("qid")["qcontext"]
    assert all(text in contexts["zoos"] for _, text in TEXTS["zoos"])


def test_the_example_of_the_page():
    assert run_example("PyTerrier and pyterrier-rag")["found"]["groundedness"][0] > 0.3


@LOOKS_AT_A_REFERENCE
def test_a_gold_answer_is_the_reference(format_, metric):
    if metric == "preference":
        pytest.skip("a frame's rival has a column of its own, second_argument")
    frame = pd.DataFrame(
        {
            "qid": "zoos",
            "query": referred.TOPIC,
            "qanswer": referred.ANSWER,
            "gold_answer": referred.REFERENCE,
            "stance": "pro",
            "docno": ["cages", "keepers"],
            "text": referred.DOCUMENTS,
        }
    )
    found = ConqretJudge(format_, [metric])(frame)
    assert found[metric][0] == pytest.approx(referred.value_of(format_, metric))
