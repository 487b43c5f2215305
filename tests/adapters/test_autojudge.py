"""conqret's formats in TREC AutoJudge's own command: leaderboards, qrels and nugget banks, offline and over HTTP."""

import json
from pathlib import Path

import pytest
import yaml

import conqret.adapters
from conqret.judging.judge_parts import JUDGES
from tests.adapters.reports import REQUESTS, TOPICS, reports, stop_words
from tests.server import FaultPlan, FaultServer


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLTK_DATA", str(stop_words(tmp_path_factory.mktemp("words"))))
        yield pytest.importorskip("autojudge_base", reason="the extra autojudge is not installed")


@pytest.fixture
def run(base, tmp_path, monkeypatch):
    """AutoJudge's command on nine reports: its exit code and all that it said; files go to ``out``."""
    from autojudge_base.cli import main
    from click.testing import CliRunner

    from conqret.adapters.autojudge import WORKFLOW

    (tmp_path / "runs").mkdir()
    for number, report in enumerate(reports()):
        (tmp_path / "runs" / f"{number}.jsonl").write_text(json.dumps(report) + "\n")
    requests = tmp_path / "requests.jsonl"
    requests.write_text("\n".join(map(json.dumps, REQUESTS)))
    monkeypatch.setenv("OPENAI_MODEL", "offline")

    def call(*arguments):
        where = [
            *("--rag-responses", str(tmp_path / "runs"), "--rag-topics", str(requests)),
            *("--out-dir", str(tmp_path)),
        ]
        done = CliRunner().invoke(main, ["run", "--workflow", str(WORKFLOW), *where, *arguments])
        return done.exit_code, done.output

    return call


def table(path):
    return {tuple(line.split()[:3]): float(line.split()[3]) for line in path.read_text().splitlines()}


WORKFLOW_FILE = Path(conqret.adapters.__file__).with_name("workflow.yml")


def test_the_workflow_has_every_format():
    variants = yaml.safe_load(WORKFLOW_FILE.read_text())["variants"]
    assert {variant["format"] for variant in variants.values()} == set(variants)
    # they need a reference or a side, which requests have not, or banks of nuggets, which stand in the place of
    # query-rubric
    referenced = {name for name in JUDGES if any(ask.against for ask in JUDGES[name].judge_prompts)}
    formats = set(JUDGES) - referenced - {"controllability", "nuggets", "nugget-assignments"}
    assert set(variants) == formats, f"each format is a variant in {WORKFLOW_FILE}"


def test_every_format_of_the_workflow(run, tmp_path):
    code, said = run("--all-variants")
    assert code == 0, said
    for name in yaml.safe_load(WORKFLOW_FILE.read_text())["variants"]:
        found = table(tmp_path / f"{name}.eval.txt")
        assert {system for system, _, _ in found} == {"alpha", "beta", "gamma"}
        assert {topic for _, topic, _ in found} <= {*TOPICS, "all"}
        for (system, topic, metric), value in found.items():
            if topic == "all":
                rows = [found[system, topic, metric] for topic in TOPICS if (system, topic, metric) in found]
                assert value == pytest.approx(sum(rows) / len(rows))
        measures = yaml.safe_load((tmp_path / f"{name}.eval.measures.yml").read_text())["measures"]
        assert {measure["name"] for measure in measures} == {metric for _, _, metric in found}
    assert sorted(path.name for path in tmp_path.glob("*.qrels*")) == ["rag-fine-grained.qrels.txt"]
    assert len((tmp_path / "rag-fine-grained.qrels.txt").read_text().splitlines()) == 6


def test_what_has_no_score_is_in_the_evaldata_and_in_no_row(run, tmp_path, monkeypatch):
    with FaultServer(FaultPlan(script=("policy",))) as server:
        monkeypatch.setenv("OPENAI_MODEL", "my-model")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, said = run("--variant", "two-sided", "--augment-report")
    assert code == 0, said
    lines = (tmp_path / "two-sided.responses.jsonl").read_text().splitlines()
    written = [json.loads(line) for line in lines]
    judgments = [side["evaldata"]["conqret"] for side in written]
    assert all(judgment["fingerprint"] for judgment in judgments)
    lost = {
        (one["metadata"]["run_id"], one["metadata"]["topic_id"]): judgment["measures"]["two_sided"]
        for one, judgment in zip(written, judgments, strict=True)
        if "value" not in judgment["measures"]["two_sided"]
    }
    assert lost  # reports that say the same share the answer
    assert {(count["status"], count["reason"]) for count in lost.values()} == {("unscored", "refusal")}
    rows = table(tmp_path / "two-sided.eval.txt")
    assert {(system, topic) for system, topic, _ in rows if topic != "all"}.isdisjoint(lost)
    (told,) = yaml.safe_load((tmp_path / "two-sided.eval.measures.yml").read_text())["measures"]
    assert f"{9 - len(lost)} of 9 reports have a score ({len(lost)} refusal)" in told["description"]
    assert "with them the mean over all reports lies between" in told["description"]


@pytest.mark.parametrize("format_", ["query-rubric", "rag-rubric"])
def test_nugget_banks_are_written_and_read_back(run, tmp_path, format_):
    from autojudge_base.workflow.paths import load_nugget_banks_from_path

    from conqret.adapters import autojudge

    code, said = run("--variant", format_)
    assert code == 0, said
    kind = autojudge.ConqretJudge.nugget_banks_type
    banks = load_nugget_banks_from_path(tmp_path / f"{format_}.nuggets.jsonl", kind)
    found = {str(topic): bank.nuggets_as_list() for topic, bank in banks.banks.items()}
    assert set(found) == set(TOPICS)
    assert len(found["leaf"]) >= 20
    coverages = [nugget.metadata[autojudge.METADATA] for nugget in found["leaf"]]
    covered = next(coverage["groundedness"] for coverage in coverages if "groundedness" in coverage)
    assert set(covered) == {"alpha", "beta", "gamma"}
    given = ("--no-create-nuggets", "--nugget-banks", str(tmp_path / f"{format_}.nuggets.jsonl"))
    code, said = run("--variant", format_, *given)
    assert code == 0, said


def test_a_model_over_http_is_asked_once(run, tmp_path, monkeypatch):
    with FaultServer(FaultPlan()) as server:
        monkeypatch.setenv("OPENAI_MODEL", "my-model")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
        code, said = run("--variant", "rag-fine-grained")
        assert code == 0, said
        asked = len(server.requests)
        assert asked >= 9
        code, said = run("--variant", "rag-fine-grained", "--filebase", "again")
        assert code == 0, said
        assert len(server.requests) == asked
    assert (tmp_path / "cache" / "conqret.sqlite").is_file()
    record = json.loads((tmp_path / "rag-fine-grained.conqret" / "run.json").read_text())
    assert record["model"] == "hosted_vllm/my-model"


@pytest.mark.parametrize("variant", ["rag-fine-grained", "query-rubric"])
def test_a_run_of_empty_reports_is_scored_without_a_model(run, tmp_path, monkeypatch, variant):
    for path in (tmp_path / "runs").iterdir():
        path.unlink()
    (tmp_path / "runs" / "0.jsonl").write_text(json.dumps({**reports()[0], "responses": []}) + "\n")
    monkeypatch.setenv("OPENAI_MODEL", "my-model")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    code, said = run("--variant", variant, "--topic", "leaf")
    assert code == 0, said
    (written,) = tmp_path.glob("*.eval.txt")
    found = table(written)
    assert {key[:2] for key in found} == {("alpha", "leaf"), ("alpha", "all")}
    assert set(found.values()) == {0.0}
    assert "1 report without a sentence counted as 0, as the track requires" in said


@pytest.mark.parametrize("variant", ["query-rubric", "direct"])
def test_banks_that_are_given_are_judged_by_formats_of_nuggets_and_a_note_says_so(run, tmp_path, variant):
    code, said = run("--variant", "query-rubric")
    assert code == 0, said
    assert "given banks" not in said
    banks = tmp_path / "query-rubric.nuggets.jsonl"
    others = tmp_path / "others.jsonl"
    others.write_text(banks.read_text().replace("conqret query-rubric", "annotators"))
    for create in ((), ("--no-create-nuggets",)):
        code, said = run("--variant", variant, "--filebase", "given", "--nugget-banks", str(others), *create)
        assert code == 0, said
        metrics = {metric for _, _, metric in table(tmp_path / "given.eval.txt")}
        if variant == "direct":
            assert "note: the format direct uses no nuggets, so the 60 nuggets of the given banks" in said
            assert metrics == {"context_relevance", "groundedness"}
        else:  # these nuggets have neither importance nor sub-narratives
            assert "note: judged by the 60 nuggets of the given banks, with the format nuggets" in said
            assert metrics == {"all_score", "strict_all_score"}
        (tmp_path / "given.nuggets.jsonl").unlink(missing_ok=True)


def test_a_bank_of_claims_and_questions_with_importance(run, tmp_path):
    bank = {
        "query_id": "leaf",
        "title_query": "Why do leaves fall?",
        "claim_bank": {"a": {"claim": "A cause is known.", "query_id": "leaf", "importance": "vital"}},
        "nugget_bank": {"b": {"question": "Who tells of it?", "query_id": "leaf", "importance": "okay"}},
    }
    bank["nugget_bank"]["b"]["answers"] = {"many books": {"answer": "many books"}}
    (tmp_path / "banks.jsonl").write_text(json.dumps(bank) + "\n")
    code, said = run(
        "--variant", "query-rubric", "--topic", "leaf", "--nugget-banks", str(tmp_path / "banks.jsonl")
    )
    assert code == 0, said
    # the kit puts tmp- before what it writes of some topics only
    found = table(tmp_path / "tmp-query-rubric.eval.txt")
    assert {metric for _, _, metric in found} >= {"all_score", "vital_score", "weighted_score"}
    items = (tmp_path / "tmp-query-rubric.conqret" / "items.jsonl").read_text().splitlines()
    (nuggets,) = {json.dumps(json.loads(line)["nuggets"]) for line in items}
    assert json.loads(nuggets) == [
        {"text": "Who tells of it? many books", "importance": "okay"},
        {"text": "A cause is known.", "importance": "vital"},
    ]


def test_their_configuration_as_ours(base):
    from conqret.adapters.autojudge import client_settings

    config = base.LlmConfigBase(model="m", base_url="http://127.0.0.1:1/v1", api_key="k")
    wanted = {"model": "openai/m", "api_base": "http://127.0.0.1:1/v1", "api_key": "k"}
    assert client_settings(config) == wanted
    assert client_settings(base.LlmConfigBase(model="gpt-x")) == {"model": "gpt-x"}
    assert client_settings(base.LlmConfigBase(model="offline", base_url="x")) == {"model": "offline"}


def test_wrong_settings_are_said_in_a_line(run):
    code, said = run("--set", "format=dircet")
    assert (code, "did you mean 'direct'" in said, "Traceback" in said) == (1, True, False)


def test_a_topic_without_a_rated_document_has_a_sentence_and_no_qrels(run, tmp_path):
    with (tmp_path / "requests.jsonl").open("a") as requests:
        requests.write('\n{"request_id": "moss", "title": "Where does moss grow?"}')
    code, said = run("--variant", "rag-fine-grained")
    assert code == 0, said
    assert "there are no qrels: AutoJudge needs some for every topic" in said
    assert "  moss" in said.splitlines()
    assert not (tmp_path / "rag-fine-grained.qrels.txt").exists()
    assert ("alpha", "leaf", "context_relevance") in table(tmp_path / "rag-fine-grained.eval.txt")


def test_a_provider_that_never_answers_is_no_leaderboard_of_zeros(run, tmp_path, monkeypatch):
    with FaultServer(FaultPlan(always="bad_request")) as server:
        monkeypatch.setenv("OPENAI_MODEL", "my-model")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        code, said = run("--variant", "two-sided")
    assert code == 1
    assert "no report has a score: {'bad_request': 9}" in said
    assert not (tmp_path / "two-sided.eval.txt").exists()
