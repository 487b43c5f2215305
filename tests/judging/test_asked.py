"""What was asked and answered: only the very prompts that were sent, raw answers, re-asks; and the pages of it."""

import json
import re
import shutil

import pytest

from conqret.data import Document, Item
from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.page import write_report
from conqret.judging.recorded_requests import requests_of, write_report_with_requests
from tests.server import FaultPlan, FaultServer

ITEMS = [
    Item(
        id=name,
        topic=f"Should {name} be allowed? <script>alert(1)</script>",
        stance="pro",
        documents=(Document(id="d", text=f"All of {name} is well."),),
        argument=f"It is well [1]: {name}.",
    )
    for name in ("trams", "buses")
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Two judged items, of which one was asked again for an answer that was no JSON."""
    import conqret

    out = tmp_path_factory.mktemp("asked") / "run"
    with FaultServer(FaultPlan(script=("bad_json",))) as server:
        conqret.judge(
            ITEMS,
            format="direct",
            metrics=("groundedness",),
            model="gpt-4o-mini",
            api_base=server.url,
            api_key="k",
            max_concurrency=1,
            output=out,
        )
    return JudgeFolder(out)


def test_the_prompts_as_sent_with_the_answers_and_what_was_asked_again(run):
    first, second = requests_of(run, ["trams", "buses"])
    again = max(first, second, key=lambda one: len(one.exchanges))
    bad, mended = again.exchanges
    assert [message.role for message in bad.messages] == ["system", "user"]
    assert again.judgment.item in bad.messages[1].content
    assert bad.call.error.startswith("invalid_json")
    assert (bad.again, mended.again) == (False, True)
    assert [message.role for message in mended.messages] == ["user"], "what was said before is not repeated"
    assert "could not be used" in mended.messages[0].content
    assert json.loads(mended.completion.text)
    assert not (*bad.lacks, *mended.lacks)


def test_no_other_prompt_than_the_one_that_was_sent_is_shown(run, tmp_path):
    copy = shutil.copytree(run.path, tmp_path / "copy")
    file = copy / "items.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("is well", "is bad"), encoding="utf-8")
    (found,) = requests_of(JudgeFolder(copy), ["trams"])
    for exchange in found.exchanges:
        assert (exchange.messages, exchange.completion is not None) == ((), True)
        assert "is not that of the run" in exchange.lacks[0]


def test_a_folder_of_prompts_is_asked_for_by_name(run, tmp_path):
    """The run keeps no prompts, so whoever looks has to say which they were: the message names the option."""
    import conqret
    from conqret.prompts import Library

    mine = tmp_path / "mine" / "direct" / "groundedness.j2"
    mine.parent.mkdir(parents=True)
    mine.write_text(
        Library().source("direct/groundedness.j2").replace("You grade", "Grade"), encoding="utf-8"
    )
    made = tmp_path / "run"
    conqret.judge(
        ITEMS[:1], format="direct", metrics=["groundedness"], prompts=tmp_path / "mine", output=made
    )
    (found,) = requests_of(JudgeFolder(made), ["trams"])
    assert "prompt direct/groundedness is not that of the run" in found.exchanges[0].lacks[0]
    assert "--prompts" in found.exchanges[0].lacks[0]
    (found,) = requests_of(JudgeFolder(made), ["trams"], prompts=tmp_path / "mine")
    assert found.exchanges[0].messages[0].content.startswith("Grade")
    write_report_with_requests(JudgeFolder(made), prompts=tmp_path / "mine")
    page = (made / "asked" / "1.html").read_text(encoding="utf-8")
    assert "Grade groundedness" in page
    assert "calls no model" in page
    assert "0 tokens in" not in page
    assert re.search(r"<details><summary>prompt, \d+ words</summary>", page), "a prompt is opened whole"
    assert re.search(r"<details open><summary>raw answer, \d+ words?</summary>", page)


def test_a_run_without_recordings_says_so_and_takes_them_from_elsewhere(run, tmp_path):
    copy = shutil.copytree(run.path, tmp_path / "copy", ignore=shutil.ignore_patterns("recordings*"))
    (found,) = requests_of(JudgeFolder(copy), ["buses"])
    last = found.exchanges[-1]
    assert last.completion is None
    assert "--recordings" in last.lacks[-1]
    (found,) = requests_of(JudgeFolder(copy), ["buses"], recordings=run.path)
    assert found.exchanges[-1].completion is not None
    with pytest.raises(DeclarationError, match="no recordings were found here"):
        list(requests_of(JudgeFolder(copy), ["buses"], recordings=tmp_path / "nothing"))


def test_the_report_leads_to_a_page_that_asks_nothing_and_runs_nothing(run, tmp_path):
    report = write_report_with_requests(run, tmp_path / "report.html")
    assert 'href="asked/2.html"' in report.read_text(encoding="utf-8")
    page = "".join((tmp_path / "asked" / f"{n}.html").read_text(encoding="utf-8") for n in (1, 2))
    assert 'id="i2"' in page
    assert 'href="../report.html"' in page
    assert "<script>alert" not in page
    assert "default-src &#39;none&#39;" in page
    assert page.count("requested again") == 1
    plain = write_report(run, tmp_path / "plain.html").read_text(encoding="utf-8")
    assert f"conqret runs show {run.path} trams" in plain
