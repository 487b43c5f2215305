"""Documents in other scripts than the Latin one are found by their words."""

from pathlib import Path

from conqret.retrieval.engines import WordIndexSettings, bm25s
from conqret.text.words import fold

DOCUMENTS = (
    "税收使排放减少了三分之一。",
    "禁令挽救了生命。",
    "कर उत्सर्जन को घटाता है।",
    "Налог сокращает выбросы.",
    "تخفض الضريبة الانبعاثات.",
    "Die Steuer senkt den Ausstoß.",
)
QUERIES = ("排放税收", "生命禁令", "उत्सर्जन", "выбросы", "الضَّريبة", "Ausstoß")


def test_each_query_finds_its_document(tmp_path: Path) -> None:
    settings = WordIndexSettings("none", "none", 0.9, 0.4)
    bm25s.build([fold(document) for document in DOCUMENTS], tmp_path, settings)
    hits = bm25s.open_index(tmp_path, settings).search([fold(query) for query in QUERIES], 1)
    assert list(zip(hits.queries, hits.documents, strict=True)) == [(n, n) for n in range(len(QUERIES))]


def test_a_stemmer_of_the_language_finds_other_forms(tmp_path: Path) -> None:
    settings = WordIndexSettings("german", "none", 0.9, 0.4)
    bm25s.build(["Die Steuern senken Emissionen.", "Der Hund schläft."], tmp_path, settings)
    hits = bm25s.open_index(tmp_path, settings).search(["Steuer"], 2)
    assert list(hits.documents) == [0]
