"""Items translated by a model over HTTP: what is kept, what is left out and why, and the probe that compares them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conqret.data import Item
from conqret.io import open_items
from conqret.perturb.translating import groups_of
from conqret.text.language import language_code
from tests.cli.conftest import Cli
from tests.server import FaultServer

FIXTURE = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
VERSIONS: dict[str, dict[str, Item]] = {}
for _item in open_items(FIXTURE):
    VERSIONS.setdefault(str(_item.metadata["translation_of"]), {})[_item.language] = _item
_TEXT = re.compile(r'<text number="(\d+)">\n(.*?)\n</text>', re.DOTALL)
Model = Callable[[Mapping[str, Any]], Any]


def translator(change: Callable[[str, str], str] = lambda text, language: text) -> Model:
    """A model that knows the fixture by heart; ``change`` spoils what it writes in a language."""
    known: dict[tuple[str, str], str] = {}
    for versions in VERSIONS.values():
        for language, version in versions.items():
            for other in versions.values():
                for texts, same in zip(groups_of(other), groups_of(version), strict=True):
                    known |= {(texts[number].strip(), language): same[number] for number in texts}

    def model(body: Mapping[str, Any]) -> Any:
        system, user = (str(message["content"]) for message in body["messages"][:2])
        named = re.search(r"translate texts into (\w+)\.", system)
        assert named is not None
        language = language_code(named[1]) or ""
        return {
            "texts": [
                {"number": int(number), "translation": change(known.get((text, language), text), language)}
                for number, text in _TEXT.findall(user)
            ]
        }

    return model


@pytest.fixture
def english(tmp_path: Path) -> Path:
    """Eight items in English, as a file."""
    items = [versions["en"] for versions in VERSIONS.values()][:8]
    file = tmp_path / "items.jsonl"
    rows = [item.model_dump(mode="json", exclude={"metadata", "language"}) for item in items]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def run(cli: Cli, english: Path, model: Model, *more: object) -> tuple[int, dict[str, Any], list[Item]]:
    """The exit code, the facts, and the items of the file."""
    out = english.parent / "translated.jsonl"
    with FaultServer(answer=model) as server:
        answer = cli(
            *f"generate translations {english} --model openai/judge --api-base {server.url} --json -o {out}".split(),
            *more,
        )
    return answer.code, json.loads(answer.out), list(open_items(out)) if out.exists() else []


def test_items_and_translations_are_tied_and_the_probe_compares_them(
    cli: Cli, english: Path, tmp_path: Path
) -> None:
    code, facts, items = run(cli, english, translator(), "--into", "de,Chinese")
    assert code == 0
    assert len(facts["translations"]) == 16
    assert min(row["overlap"] for row in facts["translations"]) > 0.95
    assert [item.language for item in items] == ["en", "de", "zh"] * 8
    for item in items:
        known = VERSIONS[str(item.metadata["translation_of"]).removesuffix("-en")][item.language]
        assert (item.topic, item.argument) == (known.topic, known.argument)
        assert [document.text for document in item.documents] == [
            document.text for document in known.documents
        ]
    probe = "--probe language --format rag-fine-grained --metric groundedness --json".split()
    probed = cli("bias", tmp_path / "translated.jsonl", *probe, "-o", tmp_path / "bias")
    found = {row["probe"] for row in json.loads(probed.out)["rows"]}
    assert found == {"language (German)", "language (Chinese)"}


def test_what_does_not_come_back_is_left_out_with_the_reason(cli: Cli, english: Path) -> None:
    def spoiled(text: str, language: str) -> str:
        if language == "en" and "240 million" in text:
            return text.replace("240 million", "many million")
        if language == "en" and "wage" in text:
            return "It is another matter, of which nobody has spoken so far [1]."
        return text

    code, facts, items = run(cli, english, translator(spoiled), "--into", "de")
    assert code == 1
    reasons = {row["item"]: row["reason"] for row in facts["left_out"]}
    assert "240" in reasons["tram-en"]
    assert reasons.keys() >= {"tram-en", "wage-en"}
    assert not {item.id for item in items} & {"tram-en-de", "wage-en-de"}


@pytest.mark.parametrize(
    "wrong",
    [lambda text: text.replace("[1]", "[2]"), lambda text: "Bees are harmed by these [1]. They are not."],
    ids=["other citations", "not translated"],
)
def test_an_answer_that_breaks_the_rules_is_asked_again_and_never_kept(
    cli: Cli, english: Path, wrong: Callable[[str], str]
) -> None:
    model = translator(lambda text, language: wrong(text) if language == "de" else text)
    code, facts, _ = run(cli, english, model, "--into", "de")
    assert code == 1
    assert all("invalid_answer" in row["reason"] for row in facts["left_out"])
    assert "bees-en" in {row["item"] for row in facts["left_out"]}


def test_a_dry_run_prices_and_asks_nothing(cli: Cli, english: Path) -> None:
    typed = ("generate", "translations", english, "--into", "de,zh", "--model", "gpt-4o-mini", "--dry-run")
    facts = json.loads(cli(*typed, "--json").out)
    calls = sum(2 * 2 * len(list(groups_of(versions["en"]))) for versions in list(VERSIONS.values())[:8])
    assert facts["calls"] == calls
    assert facts["cost_usd"] > 0
