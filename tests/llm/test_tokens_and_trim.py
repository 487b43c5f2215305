"""Counting and cutting: offline, fast, and never over the budget."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.llm.text_trimming import allot, trim_proportionally
from conqret.llm.tokens import CL100K, O200K, count_tokens, encoder, pieces

PROSE = (
    "The committee heard that fares fell by half. Riders doubled, and costs rose! Did anyone object? Yes.\n"
)
TEXTS = st.lists(
    st.builds(
        lambda words, times: " ".join(words) * times,
        st.lists(
            st.sampled_from([*PROSE.split(), "x" * 50, "统一的交通政策。", "<|endoftext|>", "\n\n", "🙂"]),
            max_size=8,
        ),
        st.integers(0, 40),
    ),
    max_size=6,
)


def test_counts_are_tiktokens():
    import tiktoken

    for encoding in (O200K, CL100K):
        encode = encoder(encoding)
        assert encode is not None
        assert count_tokens(PROSE, encode) == len(tiktoken.get_encoding(encoding).encode(PROSE))
    whole = PROSE * 200
    assert count_tokens(whole) == pytest.approx(len(encoder(O200K)(whole)), rel=0.001)


@given(st.text(max_size=30), st.integers(0, 400))
def test_pieces_make_up_the_text_and_those_of_a_prefix_are_the_same(seed, cut):
    text = (seed + PROSE) * 30
    whole = list(pieces(text))
    assert "".join(whole) == text
    assert all(len(piece) <= 2000 for piece in whole)
    prefix = list(pieces(text[: len(text) - cut]))
    assert prefix[:-1] == whole[: len(prefix) - 1]


def test_a_long_run_without_spaces_is_counted_fast():
    began = time.process_time()  # what others do on the machine does not count
    count_tokens("a" * 300_000)
    assert time.process_time() - began < 2


@settings(deadline=None, max_examples=150)
@given(TEXTS, st.integers(0, 600), st.integers(0, 60))
def test_trimming(texts, budget, floor):
    before = [count_tokens(text) for text in texts]
    trimmed = trim_proportionally(texts, budget, min_tokens=floor)
    assert [t.before for t in trimmed] == before
    assert [t.after for t in trimmed] == [count_tokens(t.text) for t in trimmed]
    assert sum(t.after for t in trimmed) <= max(budget, 0)
    for text, after in zip(texts, trimmed, strict=True):
        assert text.startswith(after.text)
    if sum(before) <= budget:
        assert [t.text for t in trimmed] == texts


@given(st.lists(st.integers(0, 500), max_size=8), st.integers(0, 1500), st.integers(0, 200))
def test_the_shares(sizes, budget, floor):
    kept = allot(sizes, budget, floor)
    assert all(0 <= keep <= size for keep, size in zip(kept, sizes, strict=True))
    assert sum(kept) <= budget or kept == sizes
    if sum(sizes) <= budget:
        assert kept == sizes
    elif sum(min(size, floor) for size in sizes) <= budget:
        assert all(keep >= min(size, floor) for keep, size in zip(kept, sizes, strict=True))
        assert sum(kept) > budget - max(1, len(sizes))
        shares = [k / s for k, s in zip(kept, sizes, strict=True) if s and k > min(s, floor)]
        assert not shares or max(shares) - min(shares) <= max(1 / s for s in sizes if s) + 1e-9
    else:
        assert len({keep for keep, size in zip(kept, sizes, strict=True) if keep < min(size, floor)}) <= 1


def test_a_cut_ends_with_a_sentence_where_one_is_near():
    (trimmed,) = trim_proportionally([PROSE * 50], 300)
    assert trimmed.text.endswith((".", "!", "?"))
    assert trimmed.after > 250
    (words,) = trim_proportionally(["word " * 2000], 300)
    assert words.text.endswith("word")
    assert words.after > 290
