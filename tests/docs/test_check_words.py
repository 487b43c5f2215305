"""The check of words looks at what stands outside of code."""

from scripts.check_words import faults, prose


def test_words_are_found_outside_code() -> None:
    text = "People `ask` the judge beside a [floor](floor.md).\n\n```bash\nconqret labels people.csv\n```\n"
    assert [word for word, *_ in faults(prose(text))] == ["people", "floor", "beside"]
    assert not list(faults("A persona, a seaside, askew, two Pareto frontiers and a frontier LLM."))
