"""Both engines behind one interface: the same questions find the same documents."""

import importlib.util
import platform

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conqret.errors import DeclarationError, MissingDependencyError, UnknownNameError
from conqret.retrieval.engine import ENGINES as DECLARED
from conqret.retrieval.engine import Engine, WordIndexSettings, default_engine, get_engine
from conqret.text.word_lists import fold, words

ENGINES = [
    name for name in ("pisa", "bm25s") if importlib.util.find_spec({"pisa": "pyterrier_pisa"}.get(name, name))
]
ANIMALS = "ant bee cow doe eel fox gnu hen".split()
TEXTS = [
    "the cat sat on the mat",
    "cats and dogs and more cats",
    "a dog barked at the universal basic income",
    "Pokemon cards",
    "",
]


def search(name, folder, texts, queries, depth=10, **options):
    engine = get_engine(name)
    chosen = WordIndexSettings(**options).settled(engine)
    assert engine.build(iter([fold(text) for text in texts]), folder, chosen) == len(texts)
    hits = engine.open(folder, chosen).search([fold(query) for query in queries], depth)
    found = [[] for _ in queries]
    for query, document, score in zip(hits.queries, hits.documents, hits.scores, strict=True):
        found[query].append((int(document), float(score)))
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_found(engine, tmp_path):
    queries = ["cat", "Dogs!", "the", "", "unheardof", "Pok\u00e9mon", "cat dog"]
    found = search(engine, tmp_path, TEXTS, queries)
    ids = [[document for document, _ in hits] for hits in found]
    assert ids[0][0] == 1
    assert set(ids[0]) == {0, 1}
    assert set(ids[1]) == {1, 2}
    assert ids[2:5] == [[], [], []]
    assert ids[5] == [3]
    assert set(ids[6]) == {0, 1, 2}
    assert all(hits == sorted(hits, key=lambda hit: -hit[1]) for hits in found)


@pytest.mark.parametrize("engine", ENGINES)
def test_depth_is_kept_and_equals_stand_in_the_order_of_documents(engine, tmp_path):
    (hits,) = search(engine, tmp_path, ["same words"] * 30 + ["others"] * 40, ["same words"], depth=7)
    assert sorted(document for document, _ in hits) == sorted({document for document, _ in hits})
    assert len(hits) == 7
    assert len({score for _, score in hits}) == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_stemmer_forms_differ(engine, tmp_path):
    (hits,) = search(engine, tmp_path, TEXTS, ["cat"], stemmer="none")
    assert [document for document, _ in hits] == [0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stop_words", ["english", "lucene"])
def test_stop_words_are_left_out_of_queries(engine, stop_words, tmp_path):
    (hits,) = search(engine, tmp_path, TEXTS, ["the on and"], stop_words=stop_words)
    assert hits == []


@pytest.mark.parametrize("engine", ENGINES)
def test_no_stop_words_at_all(engine, tmp_path):
    (hits,) = search(engine, tmp_path, TEXTS, ["the"], stop_words="none")
    assert {document for document, _ in hits} == {0, 2}


@pytest.mark.parametrize("engine", ENGINES)
def test_texts_with_odd_characters_stay_apart(engine, tmp_path):
    texts = ["alpha\nbeta\r\u2028gamma", "\ud800 delta", "\0 epsilon", "zeta\teta"]
    found = search(engine, tmp_path, texts, ["gamma", "delta", "epsilon", "eta"])
    assert [[document for document, _ in hits] for hits in found] == [[0], [1], [2], [3]]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_while_texts_are_read_is_raised(engine, tmp_path):
    def texts():
        yield "one"
        raise DeclarationError("documents.jsonl:2 is not valid JSON")

    chosen = WordIndexSettings().settled(get_engine(engine))
    with pytest.raises(DeclarationError, match=r"documents\.jsonl:2"):
        get_engine(engine).build(texts(), tmp_path, chosen)


@pytest.mark.skipif(len(ENGINES) < 2, reason="needs both engines")
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(st.sampled_from("ant bee cow doe eel fox gnu hen".split()), max_size=8).map(" ".join),
        min_size=4,
        max_size=12,
    )
)
def test_the_engines_find_the_same_documents(tmp_path_factory, texts):
    folders = [tmp_path_factory.mktemp(name) for name in ENGINES]
    queries = ["ant", "bee fox", "gnu hen eel"]
    one, other = (
        search(name, folder, [*texts, "pad"], queries, 100)
        for name, folder in zip(ENGINES, folders, strict=True)
    )
    for mine, theirs in zip(one, other, strict=True):
        assert {document for document, _ in mine} == {document for document, _ in theirs}


def test_settings_are_checked():
    for wrong in ({"k1": -1.0}, {"b": 1.5}, {"k1": float("nan")}):
        with pytest.raises(DeclarationError):
            WordIndexSettings(**wrong)
    with pytest.raises(UnknownNameError, match="stemmer"):
        WordIndexSettings(stemmer="krovetz").settled(get_engine("bm25s"))
    with pytest.raises(UnknownNameError, match="stop words"):
        WordIndexSettings(stop_words="terrier").settled(get_engine("bm25s"))
    with pytest.raises(UnknownNameError, match="bm25s"):
        get_engine("bm25")


def test_an_engine_that_knows_no_words_has_no_settings_for_them(tmp_path):
    dense = Engine(
        "dense", "json", "conqret", lambda texts, folder, settings: 0, lambda folder, settings: None
    )
    assert WordIndexSettings().settled(dense) == WordIndexSettings("none", "none")
    assert [one.name for one in DECLARED.values()] == ["pisa", "bm25s", "dense", "hnsw"]


def test_without_pisa_the_other_engine_is_chosen(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "arm64")
    assert get_engine().name == default_engine() == "bm25s"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="--engine bm25s"):
        get_engine("pisa")


def test_words():
    assert words(fold("U.S. policy: John\u2019s don\u2019t na\u00efve e-mail 3.5")) == [
        "us", "policy", "john", "don't", "naive", "e", "mail", "3", "5",
    ]  # fmt: skip
