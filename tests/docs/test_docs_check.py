"""The check of the docs: what it takes for a step, what it runs, and what it refuses."""

from scripts.docs_check import elsewhere
from scripts.docs_check.elsewhere import why_not
from scripts.docs_check.pages import ROOT, Block, split, steps, words
from scripts.docs_check.running import fault_of_text

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


def test_a_page_falls_into_steps(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
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
    for other in ("conqret info formats | head", "ls; conqret info formats", "conqret retrieve index $HERE"):
        assert words(other) is None


def test_what_is_not_run_has_a_reason(monkeypatch):
    guide, results = ROOT / "docs" / "scale.md", ROOT / "docs" / "results" / "retrieval.md"
    monkeypatch.setattr(elsewhere, "engine_answers", lambda: False)
    assert why_not(guide, "docker build -t conqret .") == "no Docker engine answers here"
    assert why_not(guide, "make test") == "run by .ci/run"
    assert why_not(guide, "conqret info formats") is None
    monkeypatch.delenv("CONQRET_DATA", raising=False)
    assert why_not(results, "python benchmarks/dense.py") == "needs the data sets (CONQRET_DATA)"


def test_blocks_are_what_they_say_they_are():
    assert fault_of_text(Block("json", '{"a": 1}\n{"b": [2,\n 3]}', 1)) is None
    assert "is no JSON" in fault_of_text(Block("json", '{"a": 1', 1))
    assert "has to say what it holds" in fault_of_text(Block("", "conqret info formats", 1))
