"""The queries that the search of the site must answer, and the check of its results."""

from conqret.cli.commands import COMMANDS
from scripts.check_search import ROOT, missed, queries

ELSEWHERE = {"security.md": "SECURITY.md"}
"""Pages of the site that stand outside of docs/."""


def test_each_query_names_a_page_of_the_site() -> None:
    assert len(queries()) >= 50
    for page in queries().values():
        command = page.removeprefix("commands/").removesuffix(".md")
        assert (ROOT / ELSEWHERE.get(page, f"docs/{page}")).is_file() or command in COMMANDS, page


def test_a_page_beyond_the_first_three_is_missed() -> None:
    wanted = {"azure": "models.md", "ray": "scale.md", "qrels": "layouts.md"}
    results = [
        ["a.html", "b.html", "models.html"],
        ["a.html", "b.html", "c.html", "scale.html"],
        [],
    ]
    assert [line.partition(":")[0] for line in missed(wanted, results)] == ["ray", "qrels"]
