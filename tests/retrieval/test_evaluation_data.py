"""The bars on real data: they hold for any honest BM25 and any stance baseline worth its name."""

import csv
import gzip
import json

import pytest

from conqret.data.corpus import CorpusTopic, Qrel
from conqret.data.item import Document
from conqret.io.corpus_folder import CorpusDirectory, write_models
from conqret.io.trec import write_qrels
from conqret.retrieval import BM25, build_index
from conqret.retrieval.evaluate import evaluate
from conqret.retrieval.system_names import PipelinePlan
from conqret.retrieval.systems import judgments, queries, rankings, run_systems
from conqret.runs.session import Session


def write(folder, texts, topics, qrels):
    corpus = CorpusDirectory(folder)
    write_models(corpus.documents_file, [Document(id=name, text=text) for name, text in texts.items()])
    write_models(corpus.topics_file, topics)
    for view in ("pro", "con", "all"):
        write_qrels(corpus.qrels_file(view, "test"), qrels.get(view, []))
    return corpus


def test_bm25_on_webis(data_dir, tmp_path):
    folder = data_dir / "webis-argquality20"
    with (folder / "webis-argquality20-arguments.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    texts, relevant = {}, []
    for row in rows:
        name = f"{row['Discussion ID']}-{row['Argument ID']}"
        texts.setdefault(name, row["Premise"])
        if row["Is Argument?"] == "True" and float(row["Relevance"]) > -2:
            relevant.append(Qrel(row["Topic ID"], name, 1))
    with (folder / "webis-argquality20-topics.csv").open(newline="", encoding="utf-8") as file:
        topics = [
            CorpusTopic(id=row["Topic ID"], question=row["Long Query"], split="test")
            for row in csv.DictReader(file)
        ]
    corpus = write(tmp_path, texts, topics, {"all": relevant})
    run = rankings(BM25(build_index(tmp_path), texts=False)(queries(topics)))
    found = evaluate({"bm25": run}, {"all": judgments(corpus, "test")["all"]})
    assert len(texts) == 1_606
    assert found.score("all", "bm25", "nDCG@10").interval.value >= 0.89
    assert found.score("all", "bm25", "P@10").interval.value >= 0.88
    assert found.score("all", "bm25", "R@100").interval.value >= 0.96


@pytest.mark.parametrize("models", [("DEBATunE_7b", "vicuna_7b_15"), ("vicuna_7b_15", "Llama_2_7b_chat")])
def test_the_offline_reranker_beats_bm25_for_either_side(data_dir, tmp_path, models):
    names, texts, qrels = {}, {}, {"pro": [], "con": [], "all": []}
    for model in models:
        with gzip.open(
            data_dir / "debatune" / f"statements_{model}.jsonl.gz", "rt", encoding="utf-8"
        ) as file:
            for number, line in enumerate(file):
                row = json.loads(line)
                topic = names.setdefault(row["topic"], f"t{len(names)}")
                texts[f"{model}-{number}"] = row["response"]
                qrels["pro" if row["side"] == "affirmative" else "con"].append(
                    Qrel(topic, f"{model}-{number}", 1)
                )
    topics = [CorpusTopic(id=name, question=question, split="test") for question, name in names.items()]
    corpus = write(tmp_path, texts, topics, qrels)
    runs = run_systems(
        ["bm25", "pro", "con"], build_index(tmp_path), topics, PipelinePlan(), Session("offline")
    )
    judged = judgments(corpus, "test")
    del judged["all"]
    found = evaluate({run.name: run.run for run in runs}, judged)
    for side in ("pro", "con"):
        score = found.score(side, side, "nDCG@10")
        assert score.significant, (side, score.p)
        assert score.difference is not None
        assert score.difference > 0
