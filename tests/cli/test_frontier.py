"""``conqret judges pareto``: from folders and labels to tables and a page."""

import json
from pathlib import Path

from tests.reliability.cards import write_gold

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"


def test_two_judges_and_what_they_cost(cli, tmp_path):
    runs = [tmp_path / name for name in ("listwise", "pointwise")]
    for run in runs:
        judged = cli("judge", ITEMS, "-f", run.name, "--metric", "clarity", "-o", run, "-q")
        assert judged.code == 0
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("judges", "pareto", *runs, "--labels", labels)
    done = cli(*asked, "--scale", "1:3", "-o", tmp_path / "buy.html")
    assert done.code == 0
    assert "Compared with judges that cost no more" in done.out
    assert (tmp_path / "buy.html").is_file()
    found = json.loads(cli(*asked, "--scale", "1:3", "--json").out)
    assert [one["usd"] for one in found["offers"]] == [0.0, 0.0]
    for wrong, message in (
        (asked, "--scale"),
        ((*asked, "--scale", "1:3", "-o", tmp_path / "x.png"), "ends in .png"),
        (("judges", "pareto", runs[0], "--labels", labels, "--scale", "1:3"), "at least two different runs"),
        (("judges", "pareto", runs[0], tmp_path, "--labels", labels), "contains no run"),
    ):
        refused = cli(*wrong)
        assert refused.code == 2
        assert message in " ".join(refused.err.split())
