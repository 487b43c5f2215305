"""The typed answer, its text, and what reads it back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.generation.cited_argument import Conclusion, GeneratedArgument, Premise, cited, render
from conqret.text.citations import citations, strip_citations
from conqret.text.sentences import sentences

WORD = st.sampled_from(
    ["fares", "fell", "riders", "and", "(nearly)", "“all”", "gained", "in 2019", "Dr. Lee"]
)
WORDS = st.lists(WORD, min_size=4, max_size=12)
SENTENCES = st.builds(
    lambda words, end: "So " + " ".join(words) + end, WORDS, st.sampled_from([".", "!", "?", "", "…", "."])
)
PREMISES = st.builds(Premise, text=SENTENCES, citations=st.lists(st.integers(1, 12), max_size=4))
ARGUMENTS = st.builds(
    GeneratedArgument,
    conclusions=st.lists(
        st.builds(Conclusion, conclusion=SENTENCES, premises=st.lists(PREMISES, min_size=1, max_size=4)),
        min_size=1,
        max_size=4,
    ),
    left_out=st.just([]),
)


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("Fares fell.", [1], "Fares fell [1]."),
        ("Fares fell", [1, 3], "Fares fell [1][3]."),
        ("Fares fell!", [], "Fares fell!"),
        ("It rose [2].", [1], "It rose [2][1]."),
        ("It rose. [2]", [2], "It rose [2]."),
        ("It rose [2] twice.", [1], "It rose [2] twice [1]."),
        ("It rose [2-4].", [], "It rose [2][3][4]."),
        ("And so on...", [1], "And so on [1]..."),
        ("He said: “It fell.”", [4], "He said: “It fell.” [4]"),
        ("Two\n\nlines\there,", [1], "Two lines here [1]."),
        ("Twice.", [1, 1], "Twice [1]."),
        ("Never.", [-1], "Never."),
    ],
)
def test_one_sentence(text, numbers, expected):
    assert cited(text, numbers) == expected


@given(ARGUMENTS)
def test_sentences_and_citations_are_read_back(argument):
    text = render(argument)
    expected = []
    for conclusion in argument.conclusions:
        expected.append(())
        expected += [tuple(dict.fromkeys(premise.citations)) for premise in conclusion.premises]
    found = sentences(text)
    assert [citations(span.text) for span in found] == expected
    stated = [
        line
        for conclusion in argument.conclusions
        for line in (conclusion.conclusion, *(p.text for p in conclusion.premises))
    ]
    assert [strip_citations(span.text).rstrip(".") for span in found] == [line.rstrip(".") for line in stated]
