"""Score tables that are written while rows come, their means, and the names of instruments."""

from types import SimpleNamespace

import pytest

from conqret.evaluation.debateqa.diversity import DiversityRun
from conqret.evaluation.debateqa.table import (
    DIVERSITY,
    ScoreRow,
    Tally,
    read_tables,
    system_means,
    write_table,
)


def test_rows_of_a_generator_come_back_as_they_were(tmp_path):
    rows = [
        ScoreRow(
            "s",
            str(n),
            DIVERSITY,
            "i",
            None if n % 7 == 0 else n / 3,
            3,
            "refusal" if n % 7 == 0 else "",
            "d",
        )
        for n in range(1201)
    ]
    write_table(iter(rows), tmp_path / "new" / "scores.parquet")
    assert read_tables([tmp_path / "new" / "scores.parquet"]) == rows


def test_a_table_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "scores.parquet"
    write_table([ScoreRow("old", "0", DIVERSITY, "i", 1.0)], path)

    def broken():
        for n in range(1500):
            yield ScoreRow("new", str(n), DIVERSITY, "i", 2.0)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        write_table(broken(), path)
    assert [row.system for row in read_tables([path])] == ["old"]
    assert [one.name for one in tmp_path.iterdir()] == ["scores.parquet"]


def test_means_do_not_depend_on_the_order_of_rows():
    values = [0.1] * 10 + [1e16, 1.0, -1e16]
    forth, back = (
        [ScoreRow("s", "x", DIVERSITY, "i", one) for one in order] for order in (values, values[::-1])
    )
    assert system_means(forth)[0].mean == system_means(back)[0].mean == pytest.approx(2 / 13)


def test_a_tally_hands_rows_on_and_counts_reasons():
    tally = Tally()
    rows = [
        ScoreRow("s", "a", DIVERSITY, "i", None, reason="refusal"),
        ScoreRow("s", "b", DIVERSITY, "i", 4.0),
    ]
    assert list(map(tally.add, rows)) == rows
    (mean,) = tally.means
    assert (mean.mean, mean.scored, mean.total, tally.reasons) == (4.0, 1, 2, {"refusal": 1})


@pytest.mark.parametrize(
    ("model", "definition", "name"),
    [
        ("openai-community/gpt2", "paper", "gpt2, prompt 3, paper (1a2b3c4d)"),
        ("models/gpt2/", "released", "gpt2, released (1a2b3c4d)"),
    ],
)
def test_an_instrument_says_its_prompt(tmp_path, model, definition, name):
    scorer = SimpleNamespace(model=model, definition=definition, wrapping=3, fingerprint="1a2b3c4d5e6f7a8b")
    assert DiversityRun("s", tmp_path, {}, scorer).instrument == name
