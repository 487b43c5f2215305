"""BM25 over words: what is found, and how the engine is set."""

from conqret.retrieval.engines import WordIndexSettings, get_engine
from conqret.text.words import fold

TEXTS = [
    "the cat sat on the mat",
    "cats and dogs and more cats",
    "a dog barked at the universal basic income",
    "Pokemon cards",
    "",
]


def search(folder, texts, queries, depth=10, **options):
    engine = get_engine("bm25s")
    chosen = WordIndexSettings(**options).settled(engine)
    assert engine.build(iter([fold(text) for text in texts]), folder, chosen) == len(texts)
    hits = engine.open(folder, chosen).search([fold(query) for query in queries], depth)
    found = [[] for _ in queries]
    for query, document, score in zip(hits.queries, hits.documents, hits.scores, strict=True):
        found[query].append((int(document), float(score)))
    return found


def test_what_is_found(tmp_path):
    queries = ["cat", "Dogs!", "the", "", "unheardof", "Pok\u00e9mon", "cat dog"]
    found = search(tmp_path, TEXTS, queries)
    ids = [[document for document, _ in hits] for hits in found]
    assert ids[0][0] == 1
    assert set(ids[0]) == {0, 1}
    assert set(ids[1]) == {1, 2}
    assert ids[2:5] == [[], [], []]
    assert ids[5] == [3]
    assert set(ids[6]) == {0, 1, 2}
    assert all(hits == sorted(hits, key=lambda hit: -hit[1]) for hits in found)


def test_texts_with_odd_characters_stay_apart(tmp_path):
    texts = ["alpha\nbeta\r\u2028gamma", "\ud800 delta", "\0 epsilon", "zeta\teta"]
    found = search(tmp_path, texts, ["gamma", "delta", "epsilon", "eta"])
    assert [[document for document, _ in hits] for hits in found] == [[0], [1], [2], [3]]
