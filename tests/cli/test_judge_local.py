"""``conqret judge --format likelihood`` with a model on this machine, as a user types it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conqret.data import Item, Reason
from conqret.judges.likelihood import texts
from conqret.judging.instrument import filled
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_parts import JUDGES, Case
from conqret.prompts import Library
from tests.cli.conftest import Cli
from tests.contract.items import demo
from tests.judging.runs import said, write_items


def short(count: int) -> list[Item]:
    """Items with two documents, which a model on a processor reads quickly."""
    return [item.model_copy(update={"documents": item.documents[:2]}) for item in demo()[:count]]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    from tests.llm.local_models import save_model

    return save_model(tmp_path / "models" / "small", window=32_768)


@pytest.mark.usefixtures("one_thread")
def test_a_folder_judges_resumes_and_replays(
    cli: Cli, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from conqret.local.scorer import ConditionalPerplexity

    monkeypatch.chdir(tmp_path)
    write_items(tmp_path / "items.jsonl", short(1))
    command = ("judge", "items.jsonl", "--format", "likelihood", "--model", "local/./models/small")
    done = cli(*command)
    assert done.code == 0, done.err
    (folder,) = (tmp_path / "runs").iterdir()
    assert re.fullmatch(r"items-likelihood-local-.-models-small-[0-9a-f]{12}", folder.name)
    run = JudgeFolder(folder)
    assert re.fullmatch(r"local/\./models/small@[0-9a-f]{12}", run.record().model)
    assert not run.record().baseline
    found = list(run.judgments())
    scorer, (ask,) = ConditionalPerplexity(str(model), wrapping=5), JUDGES["likelihood"].judge_prompts
    for item, judgment in zip(short(1), found, strict=True):
        measure = judgment.measures["groundedness"]
        whole, parts = texts(item.argument or "")
        assert [part.id for part in measure.parts] == [f"sentence {number}" for number in parts]
        filled_in = [
            filled(Library()["likelihood"], ask, Case(one))
            for one in (item, item.model_copy(update={"documents": ()}))
        ]
        given, bare = scorer.score([(f"{one.system}\n\n{one.user}", [whole]) for one in filled_in])
        assert given.log_likelihood is not None
        assert bare.log_likelihood is not None
        expected = (given.log_likelihood - bare.log_likelihood) / given.tokens
        assert measure.raw == pytest.approx(expected, rel=1e-4)
        assert measure.value == pytest.approx(
            max(0, 1 - given.log_likelihood / bare.log_likelihood), rel=1e-4
        )
    again = cli(*command)
    assert "1 of 1 judgment kept from an earlier run" in again.err
    model.rename(tmp_path / "away")
    replayed = cli("judge", "items.jsonl", "--replay", folder, "-o", "replayed", "--json")
    assert replayed.code == 0, replayed.err
    assert said(JudgeFolder(Path("replayed")).judgments()) == said(found)
    assert json.loads(replayed.out)["total"] == 1


@pytest.mark.usefixtures("one_thread")
def test_a_prompt_that_is_too_long_says_what_to_give(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra perplexity is not installed: torch is missing")
    from tests.llm.local_models import save_model

    model = save_model(tmp_path / "short", window=3_000)
    (item,) = demo()[:1]
    short = (item.argument or "").partition(". ")[0] + "."
    write_items(tmp_path / "items.jsonl", [item.model_copy(update={"argument": short})])
    command = ("judge", tmp_path / "items.jsonl", "--format", "likelihood", "--model", f"local/{model}")
    run = JudgeFolder(tmp_path / "run")
    window, tried = 6_000, 0
    while tried < 8:
        done = cli(*command, "--context-window", window, "-o", run.path, "--overwrite")
        (found,) = run.judgments()
        measure = found.measures["groundedness"]
        if measure.value is not None:
            break
        assert measure.reason is Reason.CONTEXT_OVERFLOW
        advised = re.search(r"--context-window \((\d+), say\)", measure.detail)
        assert advised, measure.detail
        window, tried = int(advised[1]), tried + 1
    assert done.code == 0
    assert 1 <= tried < 8
    assert found.trims
