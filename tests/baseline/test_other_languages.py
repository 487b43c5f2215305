"""The offline baseline in other languages: it answers by overlap, figures and names, and by no English word list."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import pytest

from conqret import judge
from conqret.baseline import Evidence
from conqret.baseline.alignment import quoted
from conqret.data import Document, Item, Nugget
from conqret.judging.judge_parts import JUDGES
from conqret.text.analysis import other_stem

ITEMS = Path(__file__).parents[2] / "fixtures" / "languages" / "items.jsonl"
LANGUAGES = ("en", "de", "fr", "es", "pt", "ru", "ar", "hi", "zh", "ja")
OTHERS = LANGUAGES[1:]
TOPICS = ("bees", "tram")

EMPTIED = """
import sys
import conqret.text.lexicons as lexicons, conqret.text.numbers as numbers

for name, value in list(vars(lexicons).items()):
    if isinstance(value, frozenset):
        setattr(lexicons, name, frozenset())
lexicons.OPPOSITES.clear()
for name in ("_WORDS", "_SCALES", "_FRACTIONS"):
    getattr(numbers, name).clear()
for name in ("_ABOUT", "_MONEY", "_CUES", "_PARTS", "_FOLLOWERS"):
    setattr(numbers, name, frozenset())
import conqret.text.stance_detection as stance_words

for name in ("GOOD", "BAD", "LESSEN", "AGAINST"):
    setattr(stance_words, name, frozenset())
stance_words.DECLARES_FOR = stance_words.DECLARES_AGAINST = "(?!)"
import conqret.text.analysis as analysis

analysis._INFLEXIONS, analysis._BY_LAST = (), {}
import conqret.baseline.relevance as nuggets

for name in nuggets.aspects():
    nuggets.aspects()[name] = frozenset()
import conqret.text.boilerplate as boilerplate

boilerplate._KINDS = ()
"""
"""Before anything else is imported: no English word is known any more."""

SCORES = """
import json, sys
from tests.baseline.test_other_languages import scores
print(json.dumps(scores()))
"""


def everything(item: Item) -> Item:
    """The item with all fields that any format looks at."""
    text = item.documents[0].text if item.documents else item.topic
    nuggets = (
        Nugget(text=text, importance="vital", assignment="support"),
        Nugget(text=item.topic, importance="okay", assignment="not_support"),
    )
    second = f"{item.argument} {item.topic}"
    return item.model_copy(update={"second_argument": second, "reference": text, "nuggets": nuggets})


def parallel() -> list[Item]:
    lines = ITEMS.read_text(encoding="utf-8").splitlines()
    return [everything(Item.model_validate(json.loads(line))) for line in lines]


def few() -> list[Item]:
    """The items of some topics, in all languages: all formats judge them, with every word and without."""
    return [item for item in parallel() if item.id.rsplit("-", 1)[0] in TOPICS]


def scores() -> dict[str, dict[str, dict[str, float | None]]]:
    """By format, item and metric the value; None where it has none for the language."""
    every = {}
    for name in JUDGES:
        judgments = judge(few(), format=name, model="offline")
        every[name] = {
            judgment.item: {
                metric: measure.value
                for metric, measure in judgment.measures.items()
                if measure.value is not None or measure.reason == "language"
            }
            for judgment in judgments
        }
    return every


@pytest.fixture(scope="module")
def known() -> Mapping[str, Mapping[str, Mapping[str, float | None]]]:
    return scores()


def test_no_score_of_another_language_rests_on_english_words(known) -> None:
    made = subprocess.run(
        [sys.executable, "-c", EMPTIED + SCORES],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        encoding="utf-8",
    )
    without = json.loads(made.stdout.splitlines()[-1])
    moved = [
        (name, item, metric)
        for name, items in known.items()
        for item, values in items.items()
        for metric, value in values.items()
        if without[name][item].get(metric, "gone") != value
    ]
    assert {item.rsplit("-", 1)[1] for _, item, _ in moved} <= {"en"}
    assert {name for name, _, _ in moved} >= {
        "rag-fine-grained",
        "listwise",
        "query-rubric",
        "controllability",
    }


def test_what_has_no_evidence_in_a_language_is_unscored_in_all_of_them_alike(known) -> None:
    for name, items in known.items():
        lost = {
            code: {
                metric
                for item, values in items.items()
                if item.endswith(f"-{code}")
                for metric, value in values.items()
                if value is None
            }
            for code in LANGUAGES
        }
        assert lost["en"] == set(), name
        assert all(lost[code] == lost["de"] for code in OTHERS), name
        assert all(
            value is None
            for item, values in items.items()
            if not item.endswith("-en")
            for metric, value in values.items()
            if metric in lost["de"]
        ), name


def test_groundedness_goes_with_the_english_one() -> None:
    found = {item.id: Evidence(item).groundedness().value for item in parallel()}
    for code in OTHERS:
        english = [name.removesuffix("-en") for name in found if name.endswith("-en")]
        pairs = [(found[f"{name}-en"], found[f"{name}-{code}"]) for name in english]
        assert abs(fmean(a for a, _ in pairs) - fmean(b for _, b in pairs)) < 0.35, code
        assert sum(abs(a - b) < 0.35 for a, b in pairs) >= 8, code


def claim(text: str, document: str, code: str) -> float:
    item = Item(id="a", topic="?", language=code, argument=text, documents=(Document(id="d", text=document),))
    return Evidence(item).groundedness().value


@pytest.mark.parametrize(
    ("code", "document", "says", "differs"),
    [
        (
            "de",
            "6,7 Mio. Menschen fuhren Bahn.",
            "6,7 Millionen fuhren Bahn [1].",
            "9,1 Millionen fuhren Bahn [1].",
        ),
        ("ar", "زار المتحف ١٢٠٠ طالب في عام ٢٠٢٠.", "زار المتحف 1200 طالب [1].", "زار المتحف 5400 طالب [1]."),
        ("zh", "博物馆有12万名学生参观。", "有120000名学生参观博物馆[1]。", "有540000名学生参观博物馆[1]。"),
    ],
)
def test_figures_are_read_as_the_language_writes_them(
    code: str, document: str, says: str, differs: str
) -> None:
    assert claim(says, document, code) > 0.8
    assert claim(differs, document, code) < 0.2


def test_a_nouns_capital_is_a_name_where_nouns_have_none() -> None:
    assert claim("El estudio de Rojas lo muestra [1].", "El estudio de Vega lo muestra.", "es") < 0.6
    assert claim("Die Studie zeigt die Wirkung [1].", "Die Studie zeigt diese Wirkung.", "de") > 0.9


def test_documents_in_another_language_say_nothing_to_words() -> None:
    items = {item.id: item for item in parallel()}
    mixed = items["bees-zh"].model_copy(update={"documents": items["bees-en"].documents})
    (judgment,) = judge([mixed], format="direct", model="offline")
    assert (
        judgment.measures["groundedness"].reason
        == judgment.measures["context_relevance"].reason
        == "language"
    )
    assert "documents in English" in judgment.measures["groundedness"].detail
    partly = mixed.model_copy(update={"documents": (*mixed.documents, *items["bees-zh"].documents)})
    (judgment,) = judge([partly], format="direct", model="offline")
    assert judgment.value("groundedness") is not None


def test_an_unread_metric_costs_no_request_and_says_the_language() -> None:
    items = [item for item in parallel() if item.id == "bees-zh"]
    (judgment,) = judge(items, format="listwise", model="offline")
    assert judgment.trace.calls == ()
    assert {measure.reason for measure in judgment.measures.values()} == {"language"}
    assert "Chinese" in judgment.measures["cogency"].detail
    (mixed,) = judge(items, format="rag-fine-grained", model="offline")
    assert mixed.value("groundedness") is not None
    assert mixed.value("overall_quality") is None
    assert len(mixed.trace.calls) == 1


def test_a_korean_word_is_the_same_with_another_particle() -> None:
    assert other_stem("자동차를") == other_stem("자동차가")
    assert other_stem("자동차를") != other_stem("대기를")


def test_words_from_right_to_left_keep_their_place_in_an_english_sentence() -> None:
    assert quoted(["ban", "запретить"]) == "“ban”, “запретить”"
    assert quoted(["حظر", "ban"]) == "“حظر”\u200e, “ban”"
