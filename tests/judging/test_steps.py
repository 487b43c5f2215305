"""Evaluation steps for g-eval: written from criteria, put into a prompt file."""

from pathlib import Path

import pytest

from conqret import DeclarationError, ExecutionError
from conqret.judges.g_eval import generate_steps, with_steps
from conqret.llm.client_options import ClientOptions
from conqret.prompts import Library
from tests.server import FaultPlan, FaultServer

LIBRARY = Library()


def test_steps_are_written_and_the_file_holds_them(tmp_path: Path) -> None:
    prompt = LIBRARY["g-eval/preference"]
    steps = generate_steps(prompt, ClientOptions("offline"), LIBRARY)
    assert 3 <= len(steps) <= 10
    (tmp_path / "g-eval").mkdir()
    (tmp_path / "g-eval" / "preference.j2").write_text(with_steps(prompt, steps), encoding="utf-8")
    changed = Library(tmp_path)[prompt.id]
    assert tuple(changed.data["steps"]) == steps
    assert changed.version == prompt.version + 1
    assert changed.digest != prompt.digest
    assert {**changed.data, "steps": 0} == {**prompt.data, "steps": 0}


def test_a_model_writes_them() -> None:
    said = ['Read "all" of it {{ twice }}.', "Weigh <each> claim \\ figure.", "Choose the rating. ]"]
    prompt = LIBRARY["g-eval/groundedness"]
    with FaultServer(answer=lambda body: {"steps": said}) as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        steps = generate_steps(prompt, client, LIBRARY)
    assert steps[0] == said[0]
    assert '"Read \\"all\\" of it {{ twice }}."' in with_steps(prompt, steps)


def test_no_steps_could_be_had() -> None:
    with FaultServer(FaultPlan(always="refusal")) as server:
        client = ClientOptions("openai/judge", api_base=server.url, api_key="sk-none")
        with pytest.raises(ExecutionError, match="refusal") as caught:
            generate_steps(LIBRARY["g-eval/groundedness"], client, LIBRARY)
    assert caught.value.reason == "refusal"


def test_prompts_without_criteria_or_steps() -> None:
    from dataclasses import replace

    with pytest.raises(DeclarationError, match="contains no criteria"):
        generate_steps(LIBRARY["listwise"], ClientOptions("offline"), LIBRARY)
    prompt = LIBRARY["g-eval/groundedness"]
    with pytest.raises(DeclarationError, match="contains no steps to replace"):
        with_steps(replace(prompt, text=prompt.text.replace("steps = [\n", "steps = [")), ["one"])
