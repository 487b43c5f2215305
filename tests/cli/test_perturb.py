"""``conqret generate perturbations`` and ``conqret sensitivity`` on the fixtures."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conqret.cli.main import app
from conqret.console.printing import out
from conqret.errors import ConqretError, DeclarationError
from conqret.io import open_items
from conqret.perturb import PERTURBATIONS, records
from conqret.perturb.perturbing import rising_levels
from conqret.studies.sensitivity.sensitivity_plan import damages_of

ITEMS = str(Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl")
LABELS = str(Path(ITEMS).with_name("labels.jsonl"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, ConqretError):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def test_every_level_of_every_item_is_written(here: Path) -> None:
    out = run(
        "generate", "perturbations", "irrelevant", ITEMS, "--levels", "0,10,50", "-o", "out.jsonl", "--json"
    )
    facts = json.loads(out[out.index("{") :])
    assert [row["items"] for row in facts["levels"]] == [24, 24, 24]
    items = list(open_items(here / "out.jsonl"))
    assert len(items) == 72
    assert [len(records(item)) for item in items[:25]] == [0] * 24 + [1]


def test_a_pool_of_ones_own(here: Path) -> None:
    (here / "pool.jsonl").write_text(
        json.dumps(
            {
                "id": "p",
                "topic": "Bread?",
                "documents": [{"id": f"b{n}", "text": f"bread {n}"} for n in range(20)],
            }
        )
    )
    run(
        "generate",
        "perturbations",
        "irrelevant",
        ITEMS,
        "--levels",
        "50",
        "--pool",
        "pool.jsonl",
        "-o",
        "out.jsonl",
    )
    changed = next(iter(open_items(here / "out.jsonl")))
    assert sum(document.text.startswith("bread") for document in changed.documents) == 6


def test_sentences_is_another_word_for_levels(here: Path) -> None:
    run("generate", "perturbations", "hallucinate", ITEMS, "--sentences", "0,2")
    assert len(list(open_items(here / "items-hallucinate.jsonl"))) == 48


def test_the_list_in_words_and_as_json() -> None:
    assert "wrong-citations" in run("generate", "perturbations", "--list")
    listed = json.loads(run("generate", "perturbations", "--list", "--json"))
    assert len(listed) == 16
    assert listed[0]["expects"]["context_relevance"] == "fall"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            (
                "generate",
                "perturbations",
            ),
            "name a perturbation and items",
        ),
        (("generate", "perturbations", "irelevant", ITEMS), "did you mean 'irrelevant'"),
        (("generate", "perturbations", "irrelevant", ITEMS, "--levels", "0,200"), "levels from 0 to 100"),
        (("generate", "perturbations", "irrelevant", ITEMS, "--levels", "20,10"), "must rise"),
        (
            ("generate", "perturbations", "irrelevant", ITEMS, "--levels", "some"),
            "is not a level: write numbers",
        ),
        (
            ("generate", "perturbations", "hallucinate", ITEMS, "--levels", "0%"),
            "hallucinate-share needs a level above 0",
        ),
        (
            ("generate", "perturbations", "hallucinate", ITEMS, "--levels", "150%"),
            "from 0 to 100 (percent of the cited sentences)",
        ),
        (
            ("generate", "perturbations", "hallucinate", ITEMS, "--levels", "10,20%"),
            "cannot mix counts and shares in one curve (10, 20%)",
        ),
        (
            ("generate", "perturbations", "hallucinate", ITEMS, "--levels", "2.5"),
            "takes whole numbers as levels (sentences), not 2.5",
        ),
        (("generate", "perturbations", "hallucinate", ITEMS, "--levels", "50%,25%"), "must rise"),
        (
            ("generate", "perturbations", "padding", ITEMS, "--levels", "50%"),
            "padding takes counts (sentences), not shares",
        ),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:0%"), "hallucinate-share needs a level above 0"),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:150%"), "from 0 to 100"),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:-5%"), "from 0 to 100"),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:nan%"), "from 0 to 100"),
        (
            ("sensitivity", ITEMS, "--perturb", "hallucinate:10,20%"),
            "cannot mix counts and shares in one curve (10, 20%)",
        ),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:a%"), "'a%' is not a level"),
        (("sensitivity", ITEMS, "--perturb", "hallucinate:%"), "'%' is not a level"),
        (("sensitivity", ITEMS, "--perturb", "25%,hallucinate"), "begins with the level 25%"),
        (("sensitivity", ITEMS, "--perturb", "padding:50%"), "not shares: write its levels without %"),
        (
            ("sensitivity", ITEMS, "--perturb", "hallucinate:20"),
            "10 sentences cite, and 20 are to change (a share, such as 50%, suits any item)",
        ),
        (("sensitivity", ITEMS, "--format", "direkt"), "did you mean 'direct'"),
        (("sensitivity", ITEMS, "--perturb", "5,irrelevant"), "begins with the level"),
        (("sensitivity", ITEMS, "--labels", "none.txt"), "does not exist"),
        (("sensitivity", ITEMS, "--format", ","), "format or a model is missing"),
        (
            ("generate", "perturbations", "paraphrase", ITEMS, "--model", "local/gpt2"),
            "a rewrite needs a response in a given structure",
        ),
        (
            ("sensitivity", ITEMS, "--perturb-model", "local/gpt2"),
            "a rewrite needs a response in a given structure",
        ),
        (
            ("sensitivity", ITEMS, "--perturb-model", "local/gpt2", "--dry-run"),
            "a rewrite needs a response in a given structure",
        ),
    ],
)
def test_wrong_calls(arguments: tuple[str, ...], said: str, here: Path) -> None:
    with pytest.raises(DeclarationError, match=re.escape(said)):
        run(*arguments)
    assert list(here.iterdir()) == []


def test_levels_belong_to_the_name_before_them() -> None:
    found = {damage.perturbation.name: damage.levels for damage in damages_of("irrelevant:0,10,50,shuffle")}
    assert found == {"irrelevant": (0, 10, 50), "shuffle": (0, 50, 100)}
    assert rising_levels(PERTURBATIONS["padding"]) == (PERTURBATIONS["padding"], (0, 2, 5, 10))


def test_shares_and_counts_are_two_curves() -> None:
    found = damages_of("hallucinate:25%, 50%, irrelevant:20%")
    assert [(damage.perturbation.name, damage.levels) for damage in found] == [
        ("hallucinate-share", (0, 25, 50)),
        ("irrelevant", (0, 20)),
    ]
    by_name = damages_of({"hallucinate": ["0", "100%"], "padding": [2, "5"]})
    assert [(damage.perturbation.name, damage.levels) for damage in by_name] == [
        ("hallucinate-share", (0, 100)),
        ("padding", (0, 2, 5)),
    ]


def test_shares_in_a_file_of_items(here: Path) -> None:
    out = run(
        "generate",
        "perturbations",
        "hallucinate",
        ITEMS,
        "--levels",
        "0,25%,100%",
        "-o",
        "out.jsonl",
        "--json",
    )
    facts = json.loads(out[out.index("{") :])
    assert (facts["perturbation"], facts["unit"]) == ("hallucinate-share", "percent of the cited sentences")
    assert [(row["level"], row["items"]) for row in facts["levels"]] == [(0, 24), (25, 24), (100, 24)]
    assert facts["levels"][2]["reached"] == 100
    ids = [item.id for item in open_items(here / "out.jsonl")]
    assert ids[24] == "animal-testing-pro+hallucinate-share-25"


def test_a_level_out_of_reach_is_not_written_and_counted(here: Path) -> None:
    out = run(
        "generate",
        "perturbations",
        "hallucinate",
        ITEMS,
        "--levels",
        "0,2,10,20",
        "-o",
        "out.jsonl",
        "--json",
    )
    facts = json.loads(out[out.index("{") :])
    assert [(row["level"], row["items"]) for row in facts["levels"]] == [(0, 24), (2, 24), (10, 23), (20, 0)]
    assert len(facts["left_out"]) == 25
    assert {one["level"] for one in facts["left_out"]} == {10, 20}
    assert "out of reach of every item" in run(
        "generate", "perturbations", "hallucinate", ITEMS, "--levels", "2,20", "-o", "o.jsonl"
    )


def test_levels_out_of_reach_are_left_out_of_the_curve_and_said(here: Path) -> None:
    out = run(
        "sensitivity", ITEMS, "--perturb", "hallucinate:2,10,20", "--metric", "groundedness", "-o", "sens", "--json"
    )  # fmt: skip
    results = json.loads(out[out.index("{") :])
    (curve,) = results["curves"]
    assert [point["level"] for point in curve["points"]] == [0, 2, 10]
    assert (curve["n"], curve["total"]) == (23, 23)
    assert results["left_out"] == {
        "hallucinate": [
            "item voting-age-pro: 9 sentences cite, and 10 are to change (a share, such as 50%, suits any item)"
        ]
    }
    (level,) = results["unreached"]
    assert (level["level"], level["items"], level["total"]) == (20, 24, 24)
    page = (here / "sens" / "report.html").read_text()
    assert "hallucinate: level 20 (sentences) is left out, 24 of 24 items cannot reach it" in page
    assert results["judgments"] == 24 + 2 * 23


def test_sensitivity_from_items_to_report(here: Path) -> None:
    arguments = (
        "sensitivity", ITEMS, "--format", "direct,rag-fine-grained",
        "--perturb", "irrelevant:50,100,hallucinate:50%,100%",
        "--model", "offline", "--metric", "context-relevance", "--metric", "groundedness", "--labels", LABELS,
        "-o", "sens",
    )  # fmt: skip
    out = run(*arguments)
    assert "that should change when items are perturbed" in " ".join(out.split())
    assert {"report.html", "tables.md", "results.json", "run.json", "judgments.jsonl", "scores.parquet"} <= {
        path.name for path in (here / "sens").iterdir()
    }
    tables = (here / "sens" / "tables.md").read_text()
    assert "ConQRet, Tables 16 and 18" in tables
    assert "ConQRet, Table 15" in tables
    again = run(*arguments, "--json")
    results = json.loads(again[again.index("{") :])
    assert results == json.loads((here / "sens" / "results.json").read_text())
    assert {curve["perturbation"] for curve in results["curves"]} == {"irrelevant", "hallucinate-share"}


def test_a_dry_run_says_what_it_would_take(here: Path) -> None:
    facts = json.loads(run("sensitivity", ITEMS, "--perturb", "irrelevant:50", "--dry-run", "--json"))
    assert (facts["items"], facts["judgments"], facts["requests"]) == (24, 48, 48)
    assert not (here / "runs").exists()
    assert facts["calls"] == 48
    assert facts["cost_usd"] == 0
    assert facts["prompt_tokens"] > 48 * 1000
    assert facts["completion_tokens"] == 48 * 1488  # a fine-grained answer over twelve documents


def test_a_dry_run_says_what_it_would_cost(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    asked = (
        "sensitivity",
        ITEMS,
        "--format",
        "direct,rag-fine-grained",
        "--perturb",
        "irrelevant:50",
        "--dry-run",
    )
    facts = json.loads(run(*asked, "--model", "gpt-4o-mini", "--budget-usd", "0.01", "--json"))
    assert [one["stage"] for one in facts["stages"]] == ["judge by direct", "judge by rag-fine-grained"]
    assert facts["cost_usd"] == pytest.approx(sum(one["cost_usd"] for one in facts["stages"]))
    assert "would stop the run" in facts["budget_note"]
    facts = json.loads(run(*asked, "--model", "gpt-4o-mini", "--budget-usd", "1000", "--json"))
    assert facts["budget_note"] is None
    facts = json.loads(
        run(*asked, "--model", "gpt-4o-mini,nobody/knows", "--budget-usd", "1", "--json", code=2)
    )
    assert [one["cost_usd"] is None for one in facts["stages"]] == [False, True, False, True]
    assert facts["cost_usd"] is None
    assert "price of nobody/knows is unknown" in facts["refusal"]


@pytest.mark.parametrize("width", [80, 120])
def test_a_dry_run_is_readable(here: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(out(), "width", width)
    models = "offline,gpt-4o-mini,nobody/knows-this-one"
    text = run(
        "sensitivity", ITEMS, "--format", "direct,rag-fine-grained", "--perturb", "irrelevant:50", "--dry-run",
        "--model", models, "--perturb-model", "gpt-4o", code=2,
    )  # fmt: skip
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    for word in (
        "rag-fine-grained",
        "gpt-4o-mini",
        "nobody/knows-this-one",
        "unknown",
        "$0.00",
        "tokens",
        "all",
    ):
        assert word in text.split()
    assert "24 items in 2 versions: 288 judgments" in text


def test_where_no_item_can_be_changed_no_file_is_written(here: Path) -> None:
    items = here / "swahili.jsonl"
    items.write_text(
        json.dumps(
            {
                "id": "a",
                "language": "sw",
                "topic": "Je, shule zitoe chakula?",
                "documents": [{"id": "d", "text": "Watoto 400 walikula."}],
                "argument": "Watoto walikula [1].",
            }
        )
        + "\n",
        encoding="utf-8",
    )
    called = CliRunner().invoke(
        app, ["generate", "perturbations", "paraphrase", str(items), "-o", str(here / "none.jsonl")]
    )
    assert isinstance(called.exception, DeclarationError)
    assert not (here / "none.jsonl").exists()
