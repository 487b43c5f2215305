"""Decision models under other orders of levels and negated questions, and calibrations that stay with their model."""

import asyncio
import json

import pytest

from conqret import judge
from conqret.errors import DeclarationError
from conqret.io.labels import read_labels
from conqret.studies.bias.bias_run import bias
from conqret.studies.calibrate.fit_calibration import calibrate
from conqret.studies.validate.validate import validate
from tests.contract.items import DEMO, demo
from tests.llm.decider import served
from tests.llm.scripted import serving


async def test_levels_are_reversed_and_yes_no_questions_negated():
    """The server goes by places alone: the second level has .7, and every yes has."""
    async with serving(served()) as (url, heard):
        table = await asyncio.to_thread(
            bias,
            list(demo()[:12]),
            criteria=["The answer cites a source.", "clarity: How clear is the wording? 1-5"],
            model="decision/judge-1",
            api_base=url,
            probes=["levels"],
        )
    rating = (1 * 0.27 + 2 * 0.7 + 0.01 * (3 + 4 + 5) - 1) / 4
    assert {(row.probe, row.metric): row.effect.value for row in table.rows} == {
        ("levels (from high to low)", "clarity"): pytest.approx(1 - 2 * rating),
        ("levels (negated)", "cites_source"): pytest.approx(0.7 + 0.7 - 1),
    }
    asked = [json.loads(one.raw)["questions"] for one in heard]
    assert {tuple(one["criterion_2"]["criteria"]) for one in asked} == {tuple("12345"), tuple("54321")}
    texts = {one["criterion_1"]["instructions"] for one in asked}
    assert {text.startswith('Is "no" the right answer to this question? ') for text in texts} == {True, False}


def test_other_judges_cannot_be_probed_so():
    with pytest.raises(DeclarationError, match="levels: it is for decision models"):
        bias(list(demo()[:3]), probes=["levels"])


async def test_a_calibration_stays_with_its_model_and_version(tmp_path):
    labels = read_labels(DEMO.with_name("labels.jsonl"))

    def alter(name, said):  # ratings that differ between items
        heat = len(name) % 5 / 10
        if said["type"] == "score":
            count = len(said["probabilities"])
            said["probabilities"] = {str(n): (1 - heat) * (n == 1) + heat / count for n in range(count)}
        return said

    async with serving(served(alter)) as (url, _):
        runs = [
            await asyncio.to_thread(
                judge, list(demo()), metrics=["context_relevance"], model=f"decision/{name}", api_base=url
            )
            for name in ("jev-1.13", "jev-1.14")
        ]
    fitted = calibrate(runs[0], labels=labels)
    validate(runs[0], labels=labels, calibration=fitted)
    with pytest.raises(DeclarationError, match=r"fitted for rag-fine-grained with decision/jev-1\.13 "):
        validate(runs[1], labels=labels, calibration=fitted)
