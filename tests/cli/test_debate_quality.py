"""`conqret debate score --against` from statements of several systems to wins, ties and losses."""

import json

import pytest

from tests.server import FaultServer

pytestmark = pytest.mark.usefixtures("model_key")
TEXTS = {
    "base": ("Trams are cheap.", "Trams are loud."),
    "ours": ("Trams: best.", "Trams are loud, I think."),
}


@pytest.fixture
def statements(tmp_path):
    files = []
    for system, texts in TEXTS.items():
        files.append(tmp_path / f"{system}.csv")
        rows = zip(("affirmative", "negative"), texts, strict=True)
        files[-1].write_text(
            "topic,side,statement\n" + "".join(f'Trams?,{side},"{text}"\n' for side, text in rows)
        )
    return files


def best_wins(body):
    shown = body["messages"][1]["content"]
    ratings = [9 if "best" in text else 5 for text in shown.split("<response_2>")]
    return {"explanation": "so", "response_1": ratings[0], "response_2": ratings[1]}


def test_both_orders_are_asked_and_kept(cli, statements, tmp_path):
    out = tmp_path / "out"
    with FaultServer(answer=best_wins) as server:
        call = ("--model", "openai/judge", "--api-base", server.url, "-o", out)
        first = cli("debate", "score", "--against", "base", *statements, *call, "--json")
        assert first.code == 0, first.err
        again = cli("debate", "score", "--against", "base", *statements, *call)
        assert len(server.requests) == 4
    found = json.loads(first.out)
    (ours,) = found["systems"]
    assert found["against"] == "base"
    assert (ours["system"], ours["win"], ours["tie"], ours["lose"]) == ("ours", 1, 1, 0)
    assert (ours["score"]["value"], ours["flip_rate"]) == (1.5, 0)
    assert "Response quality against base" in again.out
