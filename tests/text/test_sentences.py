import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It ends. [3] Next one [3]. Last", ["It ends. [3]", "Next one [3].", "Last"]),
        ("It ends. [1] [2, 4-6] Next", ["It ends. [1] [2, 4-6]", "Next"]),
        ("Dr. Who met J. K. Smith, i.e. me.", ["Dr. Who met J. K. Smith, i.e. me."]),
        ("See p. 4 and Fig. 2. Then go.", ["See p. 4 and Fig. 2.", "Then go."]),
        ("He left the U.S. It rained.", ["He left the U.S.", "It rained."]),
        ('"Stop." "Why?" He ran.', ['"Stop."', '"Why?"', "He ran."]),
        ("Well... maybe. Well... Maybe.", ["Well... maybe.", "Well...", "Maybe."]),
        ("Heading\n\nBody text", ["Heading", "Body text"]),
        ("Items:\n- one\n\u2022 two\n3. three", ["Items:", "- one", "\u2022 two", "3. three"]),
        (
            "\u5b83\u7ed3\u675f\u3002\u4e0b\u4e00\u53e5\u3002",
            ["\u5b83\u7ed3\u675f\u3002", "\u4e0b\u4e00\u53e5\u3002"],
        ),
    ],
)
def test_splits(text: str, expected: list[str]) -> None:
    assert [span.text for span in sentences(text)] == expected


@settings(max_examples=50, deadline=None)
@given(
    st.text(alphabet=st.sampled_from("ab A1.!?\u2026\"')[]2,-\n\t\u3002\U0001f600"), max_size=80) | st.text()
)
def test_spans_hold_every_visible_character_once(text: str) -> None:
    spans = sentences(text)
    assert all(text[span.start : span.end] == span.text == span.text.strip() != "" for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert "".join("".join(span.text for span in spans).split()) == "".join(text.split())


FILE = Path(__file__).parents[2] / "fixtures" / "languages" / "sentences.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
MISSED = {("held-out", "de", 5), ("held-out", "ar", 13), ("held-out", "hi", 14)}
"""Cases that need to be understood: a word that is an abbreviation, too, and who speaks where there are no capitals."""


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case['set']}-{case['language']}-{place}" for place, case in enumerate(CASES)]
)
def test_sentences_of_every_language(case: dict[str, Any]) -> None:
    place = CASES.index(case) - (25 if case["set"] == "held-out" else 0)
    right = [span.text for span in sentences(case["text"])] == case["sentences"]
    assert right is ((case["set"], case["language"], place) not in MISSED)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Es kostet 5 Mio. Danach mehr.", "de", ["Es kostet 5 Mio. Danach mehr."]),
        ("6,7 Mio. t CO2 ein [1].", None, ["6,7 Mio. t CO2 ein [1]."]),
        ("It is so.[1] It stays.【2】 Yes.¹ No.", None, ["It is so.[1]", "It stays.【2】", "Yes.¹", "No."]),
        ("Zachránily 15 druhů [1]. 62 % lidí.", None, ["Zachránily 15 druhů [1].", "62 % lidí."]),
        ("Sie sahen 15 Arten [1]. 62 % der Leute.", "de", ["Sie sahen 15 Arten [1].", "62 % der Leute."]),
        ("Bolo to 3. 10. 2019, napr. 40 ľudí.", "sk", ["Bolo to 3. 10. 2019, napr. 40 ľudí."]),
        (
            "Γιατί όχι; Ο καθ. Δήμου λέει «γιατί;» και φεύγει.",
            None,
            ["Γιατί όχι;", "Ο καθ. Δήμου λέει «γιατί;» και φεύγει."],
        ),
        ("TS. Nguyễn Văn An đo được. Vì sao?", "vi", ["TS. Nguyễn Văn An đo được.", "Vì sao?"]),
    ],
)
def test_abbreviations_and_ordinals(text: str, language: str | None, expected: list[str]) -> None:
    assert [span.text for span in sentences(text, language)] == expected
