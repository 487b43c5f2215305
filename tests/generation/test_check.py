"""Citations out of range, never cited, and quotations that are not there."""

from conqret.data import Document
from conqret.generation.cited_argument import check_citations

DOCUMENTS = [
    Document(
        id="a", text="The panel said that “fares fell by half” last year.\nRiders – all of them – doubled."
    ),
    Document(id="b", text="Costs rose sharply in every city that we know of.", title="What the audit found"),
    Document(id="c", text="Nothing to see."),
]


def test_out_of_range_and_never_cited():
    check = check_citations("Fares fell [1]. Costs rose [2][7].\n\nAll agree [0]. So there.", DOCUMENTS)
    assert [(one.sentence, one.number) for one in check.out_of_range] == [(2, 7), (3, 0)]
    assert check.never_cited == (3,)
    assert (check.sentences, check.cited_sentences) == (4, 3)
    assert check.out_of_range or check.misquoted


def test_quotations_are_looked_up_in_what_is_cited():
    text = (
        'It is said that "Fares fell, by half" [1]. “Costs rose sharply” [1]. “Nobody ever paid this” [2]. '
        "“Riders - all of them - doubled” [1, 2]. The “audit” [1] and “what the audit found” [2]."
    )
    check = check_citations(text, DOCUMENTS)
    assert check.quotes == 5
    assert [(one.quote, one.cites, one.found_in) for one in check.misquoted] == [
        ("Costs rose sharply", (1,), (2,)),
        ("Nobody ever paid this", (2,), ()),
    ]


def test_left_out_words_stand_for_anything_in_order():
    documents = [Document(id="a", text="Fares fell by half in the spring, and riders doubled by the autumn.")]
    good = check_citations(
        "“Fares fell … riders doubled by” [1]. “Fares fell by half [last year] and riders” [1].", documents
    )
    assert not good.out_of_range
    assert not good.misquoted
    bad = check_citations("“riders doubled … fares fell by half” [1].", documents)
    assert len(bad.misquoted) == 1


def test_a_quotation_without_a_citation_belongs_to_the_next_one_of_its_paragraph():
    check = check_citations(
        "They call it “a total failure”. Costs rose [2].\n\n“A total failure” again.", DOCUMENTS
    )
    assert [one.sentence for one in check.misquoted] == [1]
