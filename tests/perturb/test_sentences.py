from hypothesis import given
from hypothesis import strategies as st

from conqret.perturb.sentence_edits import cited_sentences, replace_sentences, same_elsewhere
from conqret.text.citations import citations, marks, replace_marks
from conqret.text.sentences import sentences

mark = st.lists(st.integers(1, 9), min_size=1, max_size=3).map(
    lambda cited: f"[{', '.join(map(str, cited))}]"
)
word = st.sampled_from("trams rise fall in 2019 Verrin 3.5 and [x] (so) of".split())
sentence = st.tuples(st.lists(word, min_size=1, max_size=6), st.lists(mark, max_size=2)).map(
    lambda pair: " ".join(["It", *pair[0], *pair[1]]) + "."
)
text = st.lists(sentence, min_size=1, max_size=6).map(" ".join)


@given(text)
def test_marks_that_stay_leave_the_text_as_it_is(argument: str) -> None:
    assert replace_marks(argument, lambda place, cited: cited) == argument


@given(text, st.permutations(range(1, 10)))
def test_renumbering_there_and_back(argument: str, order: list[int]) -> None:
    there = dict(enumerate(order, start=1))
    back = {new: old for old, new in there.items()}
    moved = replace_marks(argument, lambda place, cited: [there[n] for n in cited])
    again = replace_marks(moved, lambda place, cited: [back[n] for n in cited])
    assert marks(again) == marks(argument)
    assert len(sentences(moved)) == len(sentences(argument))


@given(text)
def test_without_marks_nothing_is_cited(argument: str) -> None:
    bare = replace_marks(argument, lambda place, cited: ())
    assert citations(bare) == ()
    assert cited_sentences(bare) == []


@given(text, st.data())
def test_only_the_chosen_sentences_change(argument: str, data: st.DataObject) -> None:
    total = len(sentences(argument))
    chosen = data.draw(st.sets(st.integers(1, total)))
    changed = replace_sentences(argument, dict.fromkeys(chosen, "Quite another matter."))
    assert same_elsewhere(argument, changed, chosen)
    if chosen:
        assert not same_elsewhere(argument, changed, set())


def test_a_range_is_written_out_where_it_changes() -> None:
    assert (
        replace_marks("So it is [2-4].", lambda place, cited: [n + 1 for n in cited]) == "So it is [3, 4, 5]."
    )
    assert replace_marks("So it is [2-4].", lambda place, cited: cited) == "So it is [2-4]."


def test_a_mark_that_would_stand_alone_belongs_to_the_sentence_before_it() -> None:
    assert cited_sentences("They came, etc.) [4]. And so [2].") == [1, 2]
