"""The check of the docs: what it takes for a step, what it runs, and what it refuses."""

import os
from contextlib import closing

import pytest

from scripts.docs_check.pages import ROOT, Block, commands, mentions, split, steps, words
from scripts.docs_check.running import fault_of_text, forked, shell, told
from scripts.docs_check.stand_ins import (
    NOT_RUN,
    TESTED,
    answer_all,
    in_python,
    in_shell,
    kind_of,
    why_not,
)
from tests.annotation.debates import begun_debate, begun_writing
from tests.annotation.studies import begun

PAGE = """# A page

Run `conqret formats`, as in

```bash
conqret judge a.jsonl \\
    --format direct   # a remark
export X=1

conqret show runs/a "#1"
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
        (10, 'conqret show runs/a "#1"'),
    ]
    assert (found[3].file, found[3].text) == ("code/one.py", "x = 1\n")
    assert (found[4].file, found[4].text) == (None, "python code/one.py")
    assert list(mentions(page)) == [(3, "conqret formats")]
    assert len(split(page)[1]) == 3


def test_only_a_plain_call_is_run_without_a_shell():
    assert words("conqret judge a.jsonl --require 'x >= 0.5'") == [
        "judge",
        "a.jsonl",
        "--require",
        "x >= 0.5",
    ]
    for other in ("conqret formats | head", "conqret formats > a.txt", "ls; conqret formats", "python a.py"):
        assert words(other) is None


def test_hosted_models_are_offline_but_where_a_price_is_asked_for():
    asked = "conqret debate argue a.jsonl --model gpt-4o-mini --against gpt-4o"
    assert in_shell(asked) == "conqret debate argue a.jsonl --model offline"
    assert in_shell(f"{asked} --dry-run") == f"{asked} --dry-run"
    assert in_shell("conqret judge a --model local/gpt2") == "conqret judge a --model local/gpt2"
    assert in_python('judge(a, model="gpt-4o")') == 'judge(a, model="offline")'
    assert in_shell("python benchmarks/abstention.py") == "python benchmarks/abstention.py --draws 1"
    names = ("facebook/bart-large", "models/gte-large", "models/my-reward-model", "Qwen/Qwen2-0.5B")
    assert [kind_of(one) for one in names] == ["bart", "encoder", "reward", "decoder"]


def test_what_is_not_run_has_a_reason():
    guide = ROOT / "docs" / "guides" / "many-items.md"
    assert why_not(guide, "pip install conqret") in NOT_RUN.values()
    assert why_not(guide, "pip install fixtures/plugin") is None
    assert why_not(guide, "conqret formats") is None
    assert TESTED["docs/adding-a-backend.md"] in why_not(
        ROOT / "docs" / "adding-a-backend.md", "conqret formats"
    )


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        ("json", '{"a": 1}\n{"b": [2,\n 3]}', None),
        ("json", '{"a": 1', "is no JSON"),
        ("toml", "a = 1", None),
        ("toml", "a = ", "is no TOML"),
        ("", "conqret formats", "has to say what it holds"),
        ("text", "anything", None),
    ],
)
def test_blocks_are_what_they_say_they_are(kind, text, fault):
    found = fault_of_text(Block(kind, text, 1))
    assert found is None if fault is None else fault in found


def test_a_command_that_fails_is_told(tmp_path):
    def fails():
        os.write(1, b"error: no such file\n")
        raise SystemExit(2)

    assert forked(fails, "conqret x") == "ended with 2: conqret x: error: no such file"
    assert forked(lambda: None, "conqret x") is None
    assert shell("true", tmp_path) is None
    assert shell("echo lost; exit 3", tmp_path) == "ended with 3: echo lost; exit 3: lost"
    assert told(0, "x", "much") is None


def test_commands_of_a_block_are_joined():
    assert [one.text for one in commands(Block("bash", "a \\\n  b\n# c\n\nd", 1))] == ["a b", "d"]


@pytest.mark.parametrize("study", [begun, begun_debate, begun_writing])
def test_everybody_answers_all_of_a_study(tmp_path, study):
    with closing(study(tmp_path)) as ledger:
        assert ledger.wanted()[0] == 0
        answer_all(tmp_path)
        done, wanted = ledger.wanted()
        assert done == wanted > 0
        assert len({str(one.answers) for one in ledger.given()}) > 1
