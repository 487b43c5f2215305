import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.text.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It ends. [3] Next one [3]. Last", ["It ends. [3]", "Next one [3].", "Last"]),
        ("It ends. [1] [2, 4-6] Next", ["It ends. [1] [2, 4-6]", "Next"]),
        ("Dr. Who met J. K. Smith, i.e. me.", ["Dr. Who met J. K. Smith, i.e. me."]),
        ("At 3.5 per cent it stopped.", ["At 3.5 per cent it stopped."]),
        ("See p. 4 and Fig. 2. Then go.", ["See p. 4 and Fig. 2.", "Then go."]),
        ("He left the U.S. It rained.", ["He left the U.S.", "It rained."]),
        ("The U.S. economy grew.", ["The U.S. economy grew."]),
        ("In 2010. Then so did I. She went.", ["In 2010.", "Then so did I.", "She went."]),
        ('"Stop." "Why?" He ran.', ['"Stop."', '"Why?"', "He ran."]),
        ("Well... maybe. Well... Maybe.", ["Well... maybe.", "Well...", "Maybe."]),
        ("Heading\n\nBody text", ["Heading", "Body text"]),
        ("a wrapped\nline.", ["a wrapped\nline."]),
        ("Items:\n- one\n\u2022 two\n3. three", ["Items:", "- one", "\u2022 two", "3. three"]),
        (
            "\u5b83\u7ed3\u675f\u3002\u4e0b\u4e00\u53e5\u3002",
            ["\u5b83\u7ed3\u675f\u3002", "\u4e0b\u4e00\u53e5\u3002"],
        ),
    ],
)
def test_splits(text: str, expected: list[str]) -> None:
    assert [span.text for span in sentences(text)] == expected


@given(
    st.text(alphabet=st.sampled_from("ab A1.!?\u2026\"')[]2,-\n\t\u3002\U0001f600"), max_size=80) | st.text()
)
def test_spans_hold_every_visible_character_once(text: str) -> None:
    spans = sentences(text)
    assert all(text[span.start : span.end] == span.text == span.text.strip() != "" for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    assert "".join("".join(span.text for span in spans).split()) == "".join(text.split())


@pytest.mark.parametrize("unit", [".", ". ", "\n", "\n ", "[1]", '."', " .[1]", "a. b"])
def test_a_long_text_takes_linear_time(unit: str) -> None:
    start = time.process_time()  # what others do on the machine does not count
    sentences(unit * 100_000)
    assert time.process_time() - start < 5


def test_a_citation_after_the_last_full_stop_stays_with_the_last_sentence() -> None:
    assert [span.text for span in sentences("So it was. [1] So it is. [2]")] == [
        "So it was. [1]",
        "So it is. [2]",
    ]


def test_a_mark_that_would_stand_alone_joins_the_sentence_before_it() -> None:
    found = [span.text for span in sentences("They came, etc.) [4]. Then more came. [1] [2]. And more.")]
    assert found == ["They came, etc.) [4].", "Then more came. [1] [2].", "And more."]
