"""The check of the docs: what it takes for a step, what it runs, and what it refuses."""

from contextlib import closing

import pytest

from scripts.docs_check import elsewhere
from scripts.docs_check.elsewhere import job_faults, why_not
from scripts.docs_check.pages import ROOT, Block, split, steps, words
from scripts.docs_check.running import fault_of_text
from scripts.docs_check.stand_ins import in_python, in_shell, kind_of
from tests.labels.answered import answer_all
from tests.labels.debates import begun_debate, begun_writing
from tests.labels.studies import begun

PAGE = """# A page

Run `conqret info formats`, as in

```bash
conqret judge a.jsonl \\
    --format direct   # a remark
export X=1

conqret runs show runs/a "#1"
```

`code/one.py`:

```python
x = 1
```

```bash
python code/one.py
```
"""


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "page.md"
    file.write_text(PAGE, encoding="utf-8")
    return file


def test_a_page_falls_into_steps(page):
    found = steps(page)
    assert [(one.line, one.text) for one in found[:3]] == [
        (6, "conqret judge a.jsonl --format direct"),
        (8, "export X=1"),
        (10, 'conqret runs show runs/a "#1"'),
    ]
    assert (found[3].file, found[3].text) == ("code/one.py", "x = 1\n")
    assert (found[4].file, found[4].text) == (None, "python code/one.py")
    assert len(split(page)[1]) == 3


def test_only_a_plain_call_is_run_without_a_shell():
    wanted = ["judge", "a.jsonl", "--require", "x >= 0.5"]
    assert words("conqret judge a.jsonl --require 'x >= 0.5'") == wanted
    for other in (
        "conqret info formats | head",
        "conqret info formats > a.txt",
        "ls; conqret info formats",
        "conqret retrieve index $HERE",
    ):
        assert words(other) is None


def test_hosted_models_are_offline_but_where_a_price_is_asked_for():
    asked = "conqret debate two-turn write a.jsonl --model gpt-4o-mini --against gpt-4o"
    assert in_shell(asked) == "conqret debate two-turn write a.jsonl --model offline"
    assert in_shell(f"{asked} --dry-run") == f"{asked} --dry-run"
    assert in_shell("conqret judge a --model local/gpt2") == "conqret judge a --model local/gpt2"
    assert in_python('judge(a, model="gpt-4o")') == 'judge(a, model="offline")'
    assert (
        in_shell("conqret debate score a.jsonl --model …") == "conqret debate score a.jsonl --model offline"
    )
    asked = "conqret debateqa curate a.jsonl --search google,brave --user-agent 'us (mailto:a@b.org)' -o web/"
    assert in_shell(asked) == "conqret debateqa curate a.jsonl --corpus fixtures/corpus -o web/"
    assert in_shell("python benchmarks/abstention.py") == "python benchmarks/abstention.py --draws 1"
    assert in_shell("python benchmarks/offline.py --seeds 5").endswith("--seeds 5 --seeds 1")
    names = ("facebook/bart-large", "models/gte-large", "Qwen/Qwen2-0.5B")
    assert [kind_of(name) for name in names] == ["bart", "encoder", "decoder"]


def test_what_is_not_run_has_a_reason(monkeypatch):
    guide, results = ROOT / "docs" / "scale.md", ROOT / "docs" / "results" / "retrieval.md"
    for answers, why in ((True, None), (False, "no Docker engine answers here")):
        monkeypatch.setattr(elsewhere, "engine_answers", lambda answers=answers: answers)
        assert why_not(guide, "docker build -t conqret .") == why
    assert why_not(guide, "make test") == "run by .ci/run"
    assert why_not(guide, "pip install 'conqret[web]'") == "run by scripts/extras.txt"
    for text in ("pip install fixtures/plugin", "conqret info formats"):
        assert why_not(guide, text) is None
    study = why_not(ROOT / "docs" / "adding-a-study.md", "conqret info formats")
    assert study == "run by tests/studies/test_adding_a_study.py"
    monkeypatch.delenv("CONQRET_DATA", raising=False)
    assert why_not(results, "python benchmarks/dense.py") == "needs the data sets (CONQRET_DATA)"
    monkeypatch.setenv("CONQRET_DATA", "data")
    assert why_not(results, "python benchmarks/dense.py") is None


def test_a_job_that_does_not_run_a_step_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr(elsewhere, "ROOT", tmp_path)
    monkeypatch.setattr(elsewhere, "JOBS", {r": (make \w+)$": ("run.sh", "{0}")})
    page = tmp_path / "page.md"
    page.write_text("```bash\nmake test\nmake tea\n```\n", encoding="utf-8")
    (tmp_path / "run.sh").write_text("make test\n", encoding="utf-8")
    elsewhere.texts.cache_clear()
    try:
        assert list(job_faults(page)) == [(3, "run.sh does not run this (make tea is not in it): make tea")]
    finally:
        elsewhere.texts.cache_clear()


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        ("json", '{"a": 1}\n{"b": [2,\n 3]}', None),
        ("json", '{"a": 1', "is no JSON"),
        ("", "conqret info formats", "has to say what it holds"),
    ],
)
def test_blocks_are_what_they_say_they_are(kind, text, fault):
    found = fault_of_text(Block(kind, text, 1))
    assert found is None if fault is None else fault in found


@pytest.mark.parametrize("study", [begun, begun_debate, begun_writing])
def test_everybody_answers_all_of_a_study(tmp_path, study):
    with closing(study(tmp_path)) as ledger:
        assert ledger.wanted()[0] == 0
        answer_all(tmp_path)
        done, wanted = ledger.wanted()
        assert done == wanted > 0
        assert len({str(record.answers) for record in ledger.given()}) > 1
