"""The handler of docs/serve.md in a real FastAPI application; and what ``conqret serve http`` says of itself, under the
validator of OpenAPI documents."""

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")

from fastapi.testclient import TestClient

import conqret
from conqret.judging.judge_parts import JUDGES
from tests.adapters.examples import run_example


def test_the_example_answers_and_names_faults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    item = {"topic": "Ban zoos?", "argument": "Cages are small [1].", "documents": ["Cages are small."]}
    with TestClient(run_example("In a web handler of your own", "serve.md")["app"]) as client:
        good, bad = (client.post("/check", json=body) for body in (item, {"topic": 3}))
    own = conqret.judge(item, format="direct", metrics=["groundedness"])[0]
    assert good.json() == {"groundedness": own.values["groundedness"], "reason": None}
    assert bad.status_code == 422
    assert "[topic] is a number" in bad.json()["detail"]


@pytest.mark.parametrize("keyed", [False, True])
def test_the_document_of_the_service_is_valid(keyed):
    validator = pytest.importorskip(
        "openapi_spec_validator", reason="openapi-spec-validator is not installed"
    )
    from conqret.serve.contract import openapi

    validator.validate(openapi(JUDGES.values(), keyed=keyed))
