import pytest

from conqret.baseline import Evidence
from conqret.baseline.alignment import align, best_passage
from conqret.text.analysis import Sentence, Text
from tests.baseline.items import ELSEWHERE, UNIFORMS, item

SOURCE = Text(
    "The reed beds were quiet. In 1994 there were 19 Kellan cranes alive on Earth. This census found 412 cranes "
    "living free in three river basins. The programme did not harm the herons."
)


def label(claim: str) -> str:
    return align(Sentence(claim), SOURCE).label


def test_the_passage_and_its_coverage_by_hand() -> None:
    # crane and census weigh 1, live 1/2; lion weighs 1 and is not there.
    start, end, coverage = best_passage(Sentence("The census has cranes and lions living."), SOURCE)
    assert (
        SOURCE.words[start:end]
        == SOURCE.words[SOURCE.words.index("cranes") : SOURCE.words.index("living") + 1]
    )
    assert coverage == pytest.approx(2.5 / 3.5)


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The census found 412 cranes living free.", "supports"),
        ("The census found 214 cranes living free.", "contradicts"),
        ("The programme did harm the herons.", "contradicts"),
        ("Lions have returned to the savannah as well.", "silent"),
        ("The census found Pellworth cranes living free.", "silent"),
    ],
)
def test_verdicts(claim: str, expected: str) -> None:
    assert label(claim) == expected


def test_groundedness_falls_with_each_contradicted_sentence() -> None:
    good = [
        "Uniforms took 64% of the clothing budget [1].",
        "Students have a right to express themselves [3].",
    ]
    bad = [
        "Uniforms took 46% of the clothing budget [1].",
        "Students have no right to express themselves [3].",
    ]
    arguments = [" ".join(bad[:n] + good[n:]) for n in range(3)]
    values = [Evidence(item(*UNIFORMS, argument=one)).groundedness().value for one in arguments]
    assert values[0] > 0.9
    assert values == sorted(set(values), reverse=True)


def test_a_citation_of_another_document_bears_nothing_out() -> None:
    claim = "In Larkfield the reports fell from 90 to 30"
    right = Evidence(item(*UNIFORMS, *ELSEWHERE, argument=f"{claim} [2]."))
    wrong = Evidence(item(*UNIFORMS, *ELSEWHERE, argument=f"{claim} [5]."))
    assert right.groundedness().value > wrong.groundedness().value
    assert [v.label for v in right.citation_support()] == ["supports"]
    assert [v.label for v in wrong.citation_support()] == ["silent"]


def test_a_verdict_for_each_citation_in_order_and_none_for_a_missing_document() -> None:
    evidence = Evidence(
        item(*UNIFORMS, argument="No citation. Uniforms cost money [1, 9]. Bullying falls [2].")
    )
    assert [(v.sentence, v.document) for v in evidence.citation_support()] == [(2, 1), (2, 9), (3, 2)]
    assert evidence.citation_support()[1].label is None
