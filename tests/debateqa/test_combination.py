"""DebateQA's Table 2 and Figure 3 from the printed columns, and Appendix H's worked example."""

import pytest

from conqret.debateqa.standings import normalised_ranks, ranks, shown, weighted, z_normalised
from conqret.errors import DeclarationError

# system: P.D. by Qwen2 0.5B and GPT-2, its printed normalised rank; D.A. by Phi-3 medium and Qwen2 1.5B, its rank
TABLE_2 = {
    "GPT-4o": (3.07, 4.03, "1", 0.952, 0.979, "1"),
    "GPT-4o mini": (4.09, 5.88, "6", 0.937, 0.964, "4"),
    "GPT-3.5 Turbo": (5.28, 8.25, "10", 0.904, 0.947, "6"),
    "Claude 3.5 Sonnet": (4.63, 6.96, "8", 0.856, 0.920, "10"),
    "Llama3 70B": (3.09, 4.07, "2=", 0.945, 0.977, "2="),
    "Llama3 8B": (3.51, 5.02, "5", 0.928, 0.964, "5"),
    "Qwen2 7B": (4.18, 6.10, "7", 0.895, 0.923, "8"),
    "Phi-3 small": (3.50, 4.31, "4", 0.899, 0.924, "7"),
    "Gemma 2 9B": (3.12, 4.04, "2=", 0.947, 0.967, "2="),
    "Qwen2 1.5B": (5.60, 8.67, "11", 0.864, 0.875, "9"),
    "Qwen2 0.5B": (6.56, 10.87, "12", 0.792, 0.836, "11"),
    "Phi-3 mini": (4.82, 7.33, "9", 0.716, 0.794, "12"),
}
FIGURE_3 = {
    0.0: "GPT-4o,Gemma 2 9B,Llama3 70B,GPT-4o mini,Llama3 8B,GPT-3.5 Turbo,Phi-3 small,Qwen2 7B,"
    "Qwen2 1.5B,Claude 3.5 Sonnet,Qwen2 0.5B,Phi-3 mini",
    0.5: "GPT-4o,Llama3 70B,Gemma 2 9B,Llama3 8B,Phi-3 small,GPT-4o mini,Qwen2 7B,"
    "GPT-3.5 Turbo,Claude 3.5 Sonnet,Qwen2 1.5B,Qwen2 0.5B,Phi-3 mini",
    1.0: "GPT-4o,Llama3 70B,Gemma 2 9B,Phi-3 small,Llama3 8B,GPT-4o mini,Qwen2 7B,"
    "Claude 3.5 Sonnet,Phi-3 mini,GPT-3.5 Turbo,Qwen2 1.5B,Qwen2 0.5B",
}


def column(place):
    return {name: row[place] for name, row in TABLE_2.items()}


@pytest.mark.parametrize("k", FIGURE_3)
def test_figure_3_from_qwen2_and_phi3_medium(k):
    """The columns come out of the P.D. of Qwen2 0.5B and the D.A. of Phi-3 medium."""
    scores = weighted(column(0), column(3), k)
    places = ranks(scores)
    assert sorted(places, key=places.get) == FIGURE_3[k].split(",")
    assert sorted(places.values()) == list(range(1, 13))


def test_normalised_ranks_of_perspective_diversity():
    both = [ranks(column(0), lower_is_better=True), ranks(column(1), lower_is_better=True)]
    assert shown(normalised_ranks(both)) == column(2)


def test_normalised_ranks_of_dispute_awareness():
    """One pair differs from print: both have ranks 9 and 10, so they share the ninth; the table parts them."""
    computed = shown(normalised_ranks([ranks(column(3)), ranks(column(4))]))
    printed = column(5)
    assert {name for name in computed if computed[name] != printed[name]} == {
        "Claude 3.5 Sonnet",
        "Qwen2 1.5B",
    }
    assert computed["Claude 3.5 Sonnet"] == computed["Qwen2 1.5B"] == "9="


def test_z_normalisation():
    assert z_normalised({"a": 1.0, "b": 3.0}) == {"a": -1.0, "b": 1.0}
    assert z_normalised({"a": 0.1, "b": 0.1}) == {"a": 0.0, "b": 0.0}
    assert weighted({"a": 1.0, "b": 2.0}, {"a": 0.0, "b": 1.0}, 0.75) == pytest.approx({"a": 0.5, "b": -0.5})


@pytest.mark.parametrize(
    ("diversity", "awareness", "k", "message"),
    [
        ({"a": 1.0}, {"b": 1.0}, 0.5, "a, b lacks one"),
        ({"a": 1.0}, {"a": 1.0}, 1.5, "between 0 and 1"),
    ],
)
def test_what_cannot_be_combined(diversity, awareness, k, message):
    with pytest.raises(DeclarationError, match=message):
        weighted(diversity, awareness, k)
