"""The scorer against one pair at a time."""

import json
import shutil
from pathlib import Path

import pytest

from conqret.debateqa.scoring import TargetStore
from conqret.errors import DeclarationError, UnknownNameError
from conqret.local.prefix import WRAPPINGS
from conqret.local.scorer import ConditionalPerplexity
from tests.local.reference import Naive, transformers
from tests.local.small_models import ANSWERS, PAIRS, TARGETS, WINDOW

CLOSE = 1e-4


@pytest.fixture(scope="module")
def naive(folder):
    known = {}

    def get(kind, chat=False):
        return known.setdefault((kind, chat), Naive(folder(kind, chat)))

    return get


def numbers(rows):
    assert [row.reason for row in rows] == [""] * len(rows)
    return [row.perplexity for row in rows]


@pytest.mark.parametrize(
    ("kind", "chat", "side"), [("gpt2", False, "left"), ("llama", False, "right"), ("qwen2", True, "left")]
)
def test_equals_one_pair_at_a_time(folder, naive, kind, chat, side):
    """Whatever side the model's own tokenizer pads on."""
    reference = naive(kind, chat)
    expected = [
        reference.perplexity(reference.context(answer), target)
        for answer, targets in PAIRS
        for target in targets
    ]
    for size, budget in [(1, 10**6), (3, 700), (32, 1)]:
        scorer = ConditionalPerplexity(folder(kind, chat), batch_size=size, token_budget=budget)
        scorer._encoder._tokenizer.padding_side = side
        assert scorer.templated is chat
        rows = scorer.score(PAIRS)
        assert numbers(rows) == pytest.approx(expected, rel=CLOSE), (size, budget)
        assert [(row.context, row.target) for row in rows] == [
            (i, j) for i, targets in enumerate(TARGETS) for j in range(len(targets))
        ]
        assert [row.tokens for row in rows] == [
            len(reference.words(target, add_special_tokens=False).input_ids)
            for targets in TARGETS
            for target in targets
        ]


@pytest.mark.parametrize(
    ("kind", "chat", "padding"),
    [("gpt2", False, "right"), ("llama", False, "left"), ("qwen2", True, "right")],
)
def test_the_released_definition(folder, naive, kind, chat, padding, tmp_path):
    """It pads on the tokenizer's own side, as the script does."""
    reference = naive(kind, chat)
    place = str(shutil.copytree(folder(kind, chat), tmp_path / "padded"))
    words = Path(place, "tokenizer_config.json")
    words.write_text(json.dumps({**json.loads(words.read_text()), "padding_side": padding}))
    scorer = ConditionalPerplexity(place, definition="released")
    expected = [value for answer, targets in PAIRS for value in reference.released(answer, targets, padding)]
    assert numbers(scorer.score(PAIRS)) == pytest.approx(expected, rel=CLOSE)
    wrapped = ConditionalPerplexity(place, definition="released", wrapping=3)
    texts = [(WRAPPINGS[3].replace("{answer}", answer), targets) for answer, targets in PAIRS]
    assert numbers(wrapped.score(PAIRS)) == pytest.approx(numbers(scorer.score(texts)), rel=CLOSE)
    assert wrapped.fingerprint != scorer.fingerprint


def test_a_template_that_writes_the_date_gives_the_same_prompt_every_day(folder, tmp_path):
    place = shutil.copytree(folder("qwen2", True), tmp_path / "dated")
    words = transformers.AutoTokenizer.from_pretrained(place)
    plain = words.chat_template
    today = "{% if not date_string is defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    words.chat_template = today + "{{ date_string }}" + plain
    words.save_pretrained(place)
    head, _ = ConditionalPerplexity(str(place))._encoder.around
    assert head.startswith("26 Jul 2024<|im_start|>")


def test_no_context_at_all(folder, naive):
    reference = naive("llama")
    rows = ConditionalPerplexity(folder("llama")).score([(None, TARGETS[0])])
    begin = [reference.words.bos_token_id]
    assert numbers(rows) == pytest.approx([reference.perplexity(begin, one) for one in TARGETS[0]], rel=CLOSE)
    assert [row.context_tokens for row in rows] == [1, 1]


@pytest.mark.parametrize(("kind", "chat"), [("gpt2", False), ("qwen2", True)])
def test_the_answer_gives_way_from_its_left(folder, naive, kind, chat):
    reference = naive(kind, chat)
    answer = " ".join(ANSWERS * 3)
    rows = ConditionalPerplexity(folder(kind, chat)).score([(answer, TARGETS[1])])
    whole = reference.context(answer)
    head = reference.context("")[
        : 0 if not chat else len(reference.words("<|im_start|>user\n", add_special_tokens=False).input_ids)
    ]
    for row, target in zip(rows, TARGETS[1], strict=True):
        wanted = reference.words(target, add_special_tokens=False).input_ids
        kept = WINDOW - len(wanted) + 1
        assert row.truncated == len(whole) - kept > 0
        assert row.context_tokens == kept
        assert row.tokens == len(wanted)
        trimmed = head + whole[len(head) + row.truncated :]
        assert row.perplexity == pytest.approx(reference.perplexity(trimmed, target), rel=CLOSE)


def test_a_target_that_does_not_fit_fails_alone(folder):
    long = " ".join(TARGETS[3] * 40)
    rows = ConditionalPerplexity(folder("gpt2")).score(
        [(ANSWERS[0], [TARGETS[0][0], long, "", TARGETS[0][1]]), PAIRS[1]]
    )
    assert [row.perplexity is None for row in rows] == [False, True, True, False, False, False, False]
    assert "no room for any of the context" in rows[1].reason
    assert "empty" in rows[2].reason
    assert numbers(rows[3:])


def test_wrong_settings(folder, tmp_path):
    with pytest.raises(DeclarationError, match="cannot be loaded"):
        ConditionalPerplexity(str(tmp_path / "nothing"))
    for settings in ({"wrapping": 6}, {"definition": "mine"}, {"dtype": "int4"}):
        with pytest.raises(UnknownNameError):
            ConditionalPerplexity(folder("gpt2"), **settings)
    with pytest.raises(DeclarationError, match="at least 1"):
        ConditionalPerplexity(folder("gpt2"), token_budget=0)


class Counted:
    """Counts what a model reads, and lets memory run out above a number of tokens in a step."""

    def __init__(self, forward, limit=10**9):
        self.forward, self.limit, self.prefixes, self.rows = forward, limit, 0, 0

    def encode(self, groups):
        if len(groups) * max(len(group.prefix) for group in groups) > self.limit:
            raise RuntimeError("CUDA out of memory. Tried to allocate 20 MiB")
        self.prefixes += len(groups)
        return self.forward.encode(groups)

    def log_likelihoods(self, encoded, rows):
        if sum(len(row.ids) for _, row in rows) > self.limit:
            raise MemoryError
        self.rows += len(rows)
        return self.forward.log_likelihoods(encoded, rows)


def test_the_budget_halves_when_memory_runs_out(folder):
    expected = numbers(ConditionalPerplexity(folder("gpt2")).score(PAIRS))
    scorer = ConditionalPerplexity(folder("gpt2"), token_budget=4096)
    scorer._forward = Counted(scorer._forward, limit=80)
    rows = scorer.score(PAIRS)
    assert 20 <= scorer.budget.tokens < 4096
    good = [row for row in rows if row.perplexity is not None]
    assert {row.context for row in rows if "memory ran out" in row.reason} <= {1, 3}
    assert len(good) >= 4
    for row in good:
        place = sum(map(len, TARGETS[: row.context])) + row.target
        assert row.perplexity == pytest.approx(expected[place], rel=CLOSE)


def test_what_was_scored_is_not_scored_again(folder, tmp_path):
    scorer = ConditionalPerplexity(folder("gpt2"))
    path = tmp_path / "rows.jsonl"
    with TargetStore(path, scorer.fingerprint) as store:
        before = scorer.score(PAIRS[:3], store=store)
    text = path.read_bytes()
    path.write_bytes(text[:-20])  # the kill came while the last row was written
    scorer._forward = counted = Counted(scorer._forward)
    with TargetStore(path, scorer.fingerprint) as store:
        assert len(store) == len(before) - 1
        after = scorer.score(PAIRS, store=store)
    assert counted.rows == sum(map(len, TARGETS)) - len(before) + 1
    assert [row.perplexity for row in after[: len(before)]] == pytest.approx(
        [row.perplexity for row in before], rel=CLOSE
    )
    with TargetStore(path, scorer.fingerprint) as store:
        scorer.score(PAIRS, store=store)
    assert counted.rows == sum(map(len, TARGETS)) - len(before) + 1
    with TargetStore(path, ConditionalPerplexity(folder("gpt2"), wrapping=5).fingerprint) as store:
        assert store.find(ANSWERS[0], TARGETS[0][0], 0, 0) is None
    path.write_text('{"id": 1}\n')
    with pytest.raises(DeclarationError, match="not a scored row"):
        TargetStore(path, "x")


def test_contexts_stream_without_piling_up(folder):
    scorer = ConditionalPerplexity(folder("gpt2"), batch_size=32, token_budget=8192)
    taken = []

    def source():
        for number in range(80):
            taken.append(number)
            yield f"Answer {number}.", ["Yes.", "No."]

    done = []
    ahead = 0
    for count, rows in enumerate(scorer.stream(source(), on_context=done.append)):
        assert len(rows) == 2
        ahead = max(ahead, len(taken) - count)
    assert done == list(range(80))
    assert ahead <= 64
