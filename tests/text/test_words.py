import pytest

from conqret.text.words import ascii_digits, count_words, split_words


@pytest.mark.parametrize(
    ("text", "words", "count"),
    [
        ("", [], 0),
        ("It's 1,940.5 e-mails, CO2.", ["it's", "1,940.5", "e", "mails", "co2"], 4),
        ("Größe über 6,7 Mio. café", ["größe", "über", "6,7", "mio", "café"], 5),
        ("cafe\u0301", ["café"], 1),
        ("İstanbul", ["istanbul"], 1),
        ("यह पहला हिन्दी वाक्य है। १२", ["यह", "पहला", "हिन्दी", "वाक्य", "है", "12"], 6),
        ("تخفض الضريبة ١٢٫٥", ["تخفض", "الضريبة", "12.5"], 3),
        ("税收减少。CO2", ["税收", "收减", "减少", "co2"], 3),
        ("オスロは2019年", ["オス", "スロ", "ロは", "2019", "年"], 4),
        ("ｶﾅ １２", ["カナ", "12"], 2),
        ("می\u200cدهد", ["می\u200cدهد"], 1),
    ],
)
def test_words_of_every_script(text: str, words: list[str], count: int) -> None:
    assert split_words(text) == words
    assert count_words(text) == count


def test_digits_of_every_script_are_written_as_ascii_ones() -> None:
    assert ascii_digits("१२, ١٢, １２ and 12") == "12, 12, 12 and 12"
