"""Questions, titles and ids."""

import pytest

from conqret.scrapers.debates.layouts import debate_id
from conqret.scrapers.debates.page_arguments import choose_question


@pytest.mark.parametrize(
    ("candidates", "question"),
    [
        (["Should Zoos Exist?", "Zoos - Pros & Cons - ProCon.org"], "Should Zoos Exist?"),
        (["Vaping – Top 3 Pros and Cons", "Is Vaping Safe? Top 3 Pros and Cons"], "Is Vaping Safe?"),
    ],
)
def test_questions(candidates: list[str], question: str) -> None:
    assert choose_question(candidates) == question


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.example.org/headlines/zoos-top-3/", "zoos-top-3"),
        ("https://x.example/view.php?id=7&x=../..", "view-php-id-7-x"),
        ("https://x.example/a/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("https://x.example/Ünï%C3%A9 Cödé/", "unie-code"),
    ],
)
def test_ids(url: str, expected: str) -> None:
    assert debate_id(url) == expected
