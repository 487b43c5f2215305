"""What every adapter hands over besides question, answer and documents: the reference and the stance."""

import pytest

import conqret

TOPIC = "Should zoos be banned?"
ANSWER = "Yes: cages are small, and animals suffer [1]."
DOCUMENTS = ["Cages are small, and animals suffer.", "Keepers care."]
REFERENCE = "Cages are small. Lions are loud."
LOOKS_AT_A_REFERENCE = pytest.mark.parametrize(
    ("format_", "metric"), [("answer-correctness", "completeness"), ("rag-direct", "preference")]
)


def value_of(format_: str, metric: str) -> float:
    """What conqret itself makes of these texts; formats that compare take the reference for the second argument."""
    expected = "second_argument" if metric == "preference" else "reference"
    item = {"topic": TOPIC, "argument": ANSWER, "documents": DOCUMENTS, "stance": "pro", expected: REFERENCE}
    return conqret.judge(item, format=format_, metrics=[metric])[0].values[metric]
