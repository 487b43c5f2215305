"""What each perturbation does to a small item."""

import pytest

from conqret.data import Document, Item
from conqret.perturb import PERTURBATIONS, InapplicableError, Materials, Pool, records
from conqret.perturb.contradictions import FAMILY
from conqret.perturb.kinds.added_texts import LEFT_OUT
from conqret.text.citations import citations
from conqret.text.sentences import sentences


def test_irrelevant_documents_stand_in_place(demo: list[Item], materials: Materials) -> None:
    for item in demo[:4]:
        topic = item.id.rpartition("-")[0]
        for level, count in ((10, 1), (20, 2), (50, 6), (70, 8), (100, 12)):
            changed = PERTURBATIONS["irrelevant"].apply(item, level, materials=materials)
            new = [d for d, old in zip(changed.documents, item.documents, strict=True) if d != old]
            assert len(new) == count
            assert not any(document.id.startswith(topic) for document in new)
            assert changed.argument == item.argument
            assert len({document.id for document in changed.documents}) == 12


def test_an_irrelevant_document_of_the_same_id_gets_another() -> None:
    items = [
        Item(
            id=str(n),
            topic=f"Topic {n}?",
            documents=(Document(id="d1", text=f"a{n}"), Document(id="d2", text=f"b{n}")),
        )
        for n in range(3)
    ]
    changed = PERTURBATIONS["irrelevant"].apply(items[0], 50, materials=Materials(Pool.from_items(items)))
    assert len({document.id for document in changed.documents}) == 2


def test_shuffled_citations_point_to_the_same_documents(demo: list[Item]) -> None:
    for item in demo[:6]:
        changed = PERTURBATIONS["shuffle"].apply(item, 100)
        assert changed.documents != item.documents
        assert sorted(d.id for d in changed.documents) == sorted(d.id for d in item.documents)
        pairs = ((item.argument, changed.argument), (item.second_argument, changed.second_argument))
        for old, new in pairs:
            for before, after in zip(sentences(old or ""), sentences(new or ""), strict=True):
                cited = {item.documents[n - 1].id for n in citations(before.text)}
                assert {changed.documents[n - 1].id for n in citations(after.text)} == cited


def test_citations_dropped(small: Item) -> None:
    changed = PERTURBATIONS["drop-citations"].apply(small, 100)
    assert changed.argument == (
        "Trams work. Trips rose to 55 per cent in Verrin. The mayor of Astermere backed it. Costs fell by 12 million."
    )
    half = PERTURBATIONS["drop-citations"].apply(small, 50).argument or ""
    assert half.count("[") == 2


def test_citations_to_the_wrong_document(small: Item) -> None:
    changed = PERTURBATIONS["wrong-citations"].apply(small, 100)
    for before, after in zip(sentences(small.argument or ""), sentences(changed.argument or ""), strict=True):
        assert not set(citations(before.text)) & set(citations(after.text))
        assert all(1 <= n <= 4 for n in citations(after.text))


def test_stance_flipped(small: Item) -> None:
    assert PERTURBATIONS["flip-stance"].apply(small, 1).stance == "con"
    with pytest.raises(InapplicableError, match="no stance"):
        PERTURBATIONS["flip-stance"].apply(small.model_copy(update={"stance": "none"}), 1)


def test_injections_are_found_by_the_guard(small: Item) -> None:
    from conqret.judging.instrument import flags

    in_documents = PERTURBATIONS["inject-document"].apply(small, 100)
    assert {flag.where for flag in flags(in_documents)} == {f"document:d{n}" for n in range(1, 5)}
    in_argument = PERTURBATIONS["inject-argument"].apply(small, 1)
    assert {flag.where for flag in flags(in_argument)} == {"argument"}
    assert in_argument.documents == small.documents


def test_truncation_ends_at_a_sentence(small: Item) -> None:
    assert (
        PERTURBATIONS["truncate"].apply(small, 50).argument
        == "Trams work. Trips rose to 55 per cent in Verrin [1]."
    )
    assert PERTURBATIONS["truncate"].apply(small, 75).argument == "Trams work."


def test_shares_are_of_the_cited_sentences(demo: list[Item], small: Item) -> None:
    shares = PERTURBATIONS["hallucinate-share"]
    for item in demo[:4]:
        cited = [n for n, span in enumerate(sentences(item.argument or ""), 1) if citations(span.text)]
        for level in (25, 50, 100):
            changed = shares.apply(item, level)
            (record,) = records(changed)
            count = int(len(cited) * level / 100 + 0.5)
            assert len(record.changes) == count
            assert record.reached == pytest.approx(100 * count / len(cited))
            assert {change.where for change in record.changes} <= {f"argument sentence {n}" for n in cited}
    assert records(shares.apply(small, 50))[0].reached == pytest.approx(200 / 3)
    assert shares.expects == PERTURBATIONS["hallucinate"].expects


def test_paraphrase_keeps_figures_and_citations(demo: list[Item]) -> None:
    for item in demo:
        if item.id == "zoos-pro":  # it holds no set phrase
            continue
        changed = PERTURBATIONS["paraphrase"].apply(item, 100)
        for old, new in zip(sentences(item.argument or ""), sentences(changed.argument or ""), strict=True):
            assert citations(old.text) == citations(new.text)
            assert [c for c in old.text if c.isdigit()] == [c for c in new.text if c.isdigit()]


def test_a_source_gets_a_name_that_its_documents_do_not_have(small: Item) -> None:
    said = (
        "According to the Audit Chamber of Verrin trips rose [1]. Halden (2019) shows it [2]. Costs fell [3]."
    )
    item = small.model_copy(update={"argument": said})
    found = sentences(PERTURBATIONS["wrong-names"].apply(item, 100).argument or "")
    names = [next(name for name in FAMILY if name in one.text) for one in found]
    assert found[0].text == f"According to the {names[0]} trips rose [1]."
    assert found[1].text == f"{names[1]} (2019) shows it [2]."
    assert found[2].text.startswith("Costs fell, as ")
    assert found[2].text.endswith(" [3].")
    with pytest.raises(InapplicableError, match="cites nothing"):
        PERTURBATIONS["wrong-names"].apply(item.model_copy(update={"argument": "Whales sing."}), 100)
    with pytest.raises(InapplicableError, match="every name that could be put in"):
        PERTURBATIONS["wrong-names"].apply(item.model_copy(update={"topic": " ".join(FAMILY)}), 100)


def test_outdated_documents_and_what_cites_them_move_together(small: Item) -> None:
    dated = Document(
        id="d1", title="Trips in 2021", text="In 2019 trips rose, and by 2021 to 1,990 and 2010.5."
    )
    argument = "In 2021 it rose [1]. All fell [2]. So [9]."
    item = small.model_copy(update={"documents": (dated, *small.documents[1:]), "argument": argument})
    changed = PERTURBATIONS["outdated-evidence"].apply(item, 100)
    assert changed.documents[0].title == "Trips in 1981"
    assert changed.documents[0].text == (
        "Published in 1981.\n\nIn 1979 trips rose, and by 1981 to 1,990 and 2010.5."
    )
    assert changed.documents[1].text.startswith("Published in 1980.\n\nThe mayor")
    assert changed.argument == "In 1981 it rose [1]. All fell, as of 1980 [2]. So [9]."


def test_an_argument_owns_that_it_is_one_sided(small: Item) -> None:
    changed = PERTURBATIONS["one-sided-evidence"].apply(small, 3)
    assert sum(changed.argument.count(one) for one in LEFT_OUT) == 3  # type: ignore[union-attr]
    assert changed.documents == small.documents
    with pytest.raises(InapplicableError, match="changes its argument, but it has none"):
        PERTURBATIONS["one-sided-evidence"].apply(small.model_copy(update={"argument": None}), 1)
