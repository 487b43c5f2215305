"""A wrong call of any command: exit code 2, one sentence that says what to correct, and nothing written."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
INPUTS = {
    "ITEMS": str(FIXTURES / "demo" / "items.jsonl"),
    "LABELS": str(FIXTURES / "demo" / "labels.jsonl"),
    "QUESTIONS": str(FIXTURES / "questions.jsonl"),
}

WRONG = [
    ("judge ITEMS -f rag-fine-graind", "did you mean 'rag-fine-grained'"),
    ("judge ITEMS --samples 0", "--samples is 0, but it must be >= 1"),
    ("judge ITEMS --samples 3.7", "--samples is '3.7', which is not a whole number"),
    ("judge ITEMS --replay nowhere", "no recordings were found here"),
    ("judge ITEMS --model openai/unpriced --budget-usd 1", "a budget needs prices"),
    ("judge ITEMS --frobnicate", "No such option: --frobnicate"),
    ("judge ITEMS --model a -m b", "--model is given twice but takes one value"),
    ("judge ITEMS -f direct --require 'preference >= much'", "cannot be read"),
    ("judge ITEMS --format likelihood --model local/./nowhere", "there is no folder"),
    ("judge ITEMS --format likelihood --model local/.", "config.json is missing"),
    ("judge ITEMS --metric beauty --dry-run", "there is no metric 'beauty'"),
    ("judge ITEMS --model nobody/knows --dry-run", "does not know the provider"),
    ("judge ITEMS --model openai/m --api-base http://127.0.0.1:9/v1 --dry-run", "was refused"),
    ("tournament ITEMS --by side", "there is no"),
    ("tournament ITEMS --format pointwise", "pointwise"),
    ("bias ITEMS --require 'alarm == 0'", "did you mean 'alarms'"),
    ("bias ITEMS --require 'alarms[length] == 0'", "names a probe"),
    ("bias ITEMS --require 'flip_rate.high < 0.1'", "has no interval"),
    ("bias ITEMS --language Klingonish", "Klingonish"),
    ("labels agreement LABELS --json --latex", "--json and --latex exclude each other: keep one of them."),
    ("labels collect ITEMS --port 0 -o out", "name the annotators"),
    ("labels collect ITEMS --port 0 -o out --annotators anna --scale 5:1", "--scale takes LOW:HIGH"),
    ("labels collect ITEMS --port 0 -o out --annotators anna --url x.example", "an address such as https://"),
    ("generate perturbations", "name a perturbation and items"),
    ("generate perturbations irelevant ITEMS", "did you mean 'irrelevant'"),
    ("generate perturbations hallucinate ITEMS --levels 0%", "hallucinate-share needs a level above 0"),
    ("generate translations ITEMS --into de -o out", "offline baseline does not translate"),
    ("generate translations ITEMS --model gpt-4o -o out", "--into de,zh"),
    ("sensitivity ITEMS --perturb hallucinate:a%", "'a%' is not a level"),
    ("sensitivity ITEMS --perturb-model local/gpt2", "a rewrite needs a response in a given structure"),
    ("judges power --for agreement --topics x", "--topics is a list of whole numbers"),
    ("judges power --for agreement --pilot runs/x", "--pilot and --labels must be given together"),
    ("judges power --for agreement --sd 0.2", "--sd has no meaning with --for agreement"),
    ("judges power --for bias --topics 8 --items 2 --probe stance", "no probe fits these items"),
    ("judges power --for tournament --topics 8,10", "one number of --topics"),
    ("judges power --for tournament --sd 11", "spread is 11"),
    ("debateqa answer QUESTIONS --strategy raq", "rag"),
    ("debateqa answer QUESTIONS --strategy rag", "--index CORPUS"),
    ("debateqa answer QUESTIONS --agent gpt-4o", "--agent has no effect on the strategy none"),
    ("debateqa questions QUESTIONS -o out --threshold 1.5", "a cosine above 0 and at most 1"),
    ("debateqa curate QUESTIONS -o out", "--corpus FOLDER, or --search for the web"),
    (
        "debateqa curate QUESTIONS --search searxng -o out",
        "needs the environment variable CONQRET_SEARXNG_URL",
    ),
    ("debateqa curate QUESTIONS --corpus none -o out", "is not a corpus"),
    ("debateqa score ITEMS --references ITEMS --metric blue", "did you mean 'bleu'"),
    ("debateqa score ITEMS --references ITEMS --metric perspective-diversity", "name it with --backbone"),
    ("debateqa score ITEMS --references ITEMS --metric bleu,dispute-awareness", "dispute-awareness alone"),
    (
        "debateqa score ITEMS --references ITEMS --metric g-eval --model local/x",
        "a response in a given structure",
    ),
    ("debateqa rank ITEMS", "not a table of conqret debateqa score"),
    ("perspectives collect QUESTIONS -o out", "--search for the web, or --pages FILE"),
    ("perspectives collect QUESTIONS --pages ITEMS --user-agent me -o out", "--user-agent needs --search"),
    ("perspectives collect QUESTIONS --search bing -o out", "there is no search provider 'bing'"),
    ("perspectives score nowhere.res --perspectives QUESTIONS", "nowhere.res"),
    ("perspectives detect absent.tsv -o out", "absent.tsv does not exist"),
    ("generate arguments none --run pro.res --stance pro --strategy citd -o out", "did you mean 'cited'"),
]


@pytest.mark.parametrize(("call", "said"), WRONG)
def test_a_wrong_call_is_told_and_writes_nothing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "CONQRET_SEARXNG_URL"):
        monkeypatch.delenv(name, raising=False)
    done = cli(*(INPUTS.get(word, word) for word in shlex.split(call)))
    assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err
    assert list(tmp_path.iterdir()) == []
