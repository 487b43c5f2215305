"""Names and patterns are taken out of what is shared; nothing else is."""

import json

import pytest

from conqret.errors import DeclarationError
from conqret.llm.recordings import Recording
from conqret.llm.request import Completion, TokenLogprobs
from conqret.runs.shared_recordings import PATTERNS, PersonalData
from tests.llm.test_recordings import LABELS


def redacted(
    completion: Completion, *names: str, patterns: tuple[str, ...] = (), item: str = "i"
) -> Recording:
    recording = Recording(key="k", completion=completion, created="now", **LABELS | {"item": item})
    return PersonalData(names, patterns).redacted(recording)


@pytest.mark.parametrize(
    ("pattern", "there", "not_there"),
    [
        ("email", ["ann.miller+x@mail.example.org"], ["a @ b", "@ann"]),
        ("url", ["https://example.org/~ann?x=1"], ["example"]),
        (
            "phone",
            ["+49 (0)89 123-4567", "555 123 4567"],
            ["2023", "12.5", "1,200 people", "in 1999-2004", "3.1415926535"],
        ),
        ("ip", ["192.168.0.17"], ["1.2.3", "version 1.2.3.4.5"]),
        ("handle", ["@ann_m"], ["ann@mail.org", "@ home"]),
        (r"[A-Z]{2}\d{6}", ["AB123456"], ["A123456"]),
    ],
)
def test_each_pattern_takes_out_what_it_is_for(pattern: str, there: list[str], not_there: list[str]) -> None:
    label = pattern if pattern in PATTERNS else "removed"
    for text in there:
        assert (
            redacted(Completion(f"So, {text}, yes"), patterns=(pattern,)).completion.text
            == f"So, [{label}], yes"
        )
    for text in not_there:
        assert redacted(Completion(text), patterns=(pattern,)).completion.text == text


def test_names_are_whole_words_in_any_case_also_where_json_escapes_them() -> None:
    answer = Completion(
        '{"explanation": "ANN\\u00c9  Miller says; Millerton does not. Ann\\u00e9 too", "rating": 3}',
        refusal="Not about Anné Miller's",
    )
    found = redacted(answer, "Anné Miller", "Anné", item="anné-miller-1")
    assert json.loads(found.completion.text) == {
        "explanation": "[name] says; Millerton does not. [name] too",
        "rating": 3,
    }
    assert found.completion.refusal == "Not about [name]'s"
    assert found.item == "[name]-miller-1"
    assert found.key == "k"


@pytest.mark.parametrize("text", ['{"rating": 1234567890}', '{"a":  "b"}'])
def test_what_holds_no_personal_data_stays_byte_for_byte(text: str) -> None:
    assert redacted(Completion(text), "Ann", patterns=("phone",)).completion.text == text


def test_log_probabilities_go_where_they_spell_a_name() -> None:
    tokens = tuple(TokenLogprobs(word, {word: 0.0}) for word in ("An", "n Mil", "ler", " 4"))
    assert redacted(Completion("x", logprobs=tokens), "Ann Miller").completion.logprobs is None
    assert redacted(Completion("x", logprobs=tokens), "Bob").completion.logprobs == tokens


@pytest.mark.parametrize(("names", "patterns"), [([], []), (["  "], []), ([], ["[a-z"])])
def test_nothing_to_take_out_and_no_pattern(names: list[str], patterns: list[str]) -> None:
    with pytest.raises(DeclarationError, match=r"nothing to redact|not a regular expression"):
        PersonalData(names, patterns)
