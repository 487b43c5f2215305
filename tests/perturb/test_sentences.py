from hypothesis import given
from hypothesis import strategies as st

from conqret.perturb.sentence_edits import cited_sentences, replace_sentences, same_elsewhere
from conqret.text.sentences import sentences

mark = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(
    lambda cited: f"[{', '.join(map(str, cited))}]"
)
word = st.sampled_from("trams rise fall in 2019 Verrin 3.5 and [x] (so) of".split())
sentence = st.tuples(st.lists(word, min_size=1, max_size=6), st.lists(mark, max_size=2)).map(
    lambda pair: " ".join(["It", *pair[0], *pair[1]]) + "."
)
text = st.lists(sentence, min_size=1, max_size=6).map(" ".join)


@given(text, st.data())
def test_only_the_chosen_sentences_change(argument: str, data: st.DataObject) -> None:
    total = len(sentences(argument))
    chosen = data.draw(st.sets(st.integers(1, total)))
    changed = replace_sentences(argument, dict.fromkeys(chosen, "Quite another matter."))
    assert same_elsewhere(argument, changed, chosen)
    if chosen:
        assert not same_elsewhere(argument, changed, set())


def test_a_mark_that_would_stand_alone_belongs_to_the_sentence_before_it() -> None:
    assert cited_sentences("They came, etc.) [4]. And so [2].") == [1, 2]
