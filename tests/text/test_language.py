from pathlib import Path

import pytest

from conqret import DeclarationError, judge
from conqret.data import Document, Item
from conqret.io import open_items
from conqret.text.language import item_language, language_code, language_of

TEXTS = {
    "en": "The ban cut deaths by a third, but two studies dispute it [1]. Should other cities follow?",
    "de": "Das Verbot rettete Leben, doch zwei Studien bestreiten das [1]. Sollten andere Städte folgen?",
    "fr": "L'interdiction a sauvé des vies, mais deux études le contestent [1]. Que doivent faire les villes ?",
    "es": "La prohibición salvó vidas, pero dos estudios lo discuten [1]. ¿Deben seguir otras ciudades?",
    "pt": "A proibição salvou vidas, mas dois estudos contestam isso [1]. As outras cidades devem seguir?",
    "tr": "Yasak birçok hayat kurtardı, ama iki çalışma buna karşı çıkıyor [1]. Diğer şehirler de izlemeli mi?",
    "ru": "Запрет спас жизни, но два исследования это оспаривают [1]. Должны ли другие города так поступить?",
    "uk": "Заборона врятувала життя, але два дослідження це заперечують [1]. Чи повинні інші міста піти слідом?",
    "ar": "أنقذ الحظر أرواحا لكن دراستين تعارضان ذلك [1]. هل ينبغي للمدن الأخرى أن تتبع؟",
    "fa": "این ممنوعیت جان افراد را نجات داد، اما دو پژوهش آن را رد می‌کنند [1]. آیا شهرهای دیگر باید پیروی کنند؟",
    "hi": "प्रतिबंध ने जानें बचाईं, पर दो अध्ययन इसका खंडन करते हैं [1]। क्या दूसरे शहरों को भी ऐसा करना चाहिए?",
    "zh": "禁令挽救了生命，但有两项研究对此提出异议[1]。其他城市应该效仿吗？",
    "ja": "禁止令は命を救ったが、二つの研究が異議を唱えている[1]。他の都市も続くべきか？",
    "ko": "금지령은 생명을 구했지만 두 연구는 이를 반박한다 [1]. 다른 도시도 따라야 하는가?",
}


@pytest.mark.parametrize("language", TEXTS)
def test_two_plain_sentences_are_enough_without_a_model(language: str) -> None:
    assert language_of(TEXTS[language], model=False) == language_of(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text", ["", " \n", "[1] 2019, 3.5 %", "ok", "https://example.org/the-and-of", "🙂🙂"]
)
def test_what_has_no_language_has_none(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    "title",
    [
        "War on Drugs",
        "Pro-life vs. pro-choice",
        "The U.S. and Iran",
        "Hat Trick",
        "Obama Care",
    ],
)
@pytest.mark.parametrize("model", [True, False])
def test_an_english_title_or_name_is_in_no_other_language(title: str, model: bool) -> None:
    assert language_of(title, model=model) in ("", "en")


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("de", "de"),
        ("ger", "de"),
        ("German", "de"),
        ("pt-BR", "pt"),
        ("zh_Hans", "zh"),
        (" ja ", "ja"),
        ("Klingonese", None),
    ],
)
def test_codes_tags_and_names_of_languages(written: str, code: str | None) -> None:
    assert language_code(written) == code


def test_an_items_language_is_the_one_given_else_that_of_its_argument() -> None:
    item = Item(
        id="i", topic=TEXTS["en"], argument=TEXTS["de"], documents=(Document(id="d", text=TEXTS["fr"]),)
    )
    assert item_language(item) == "de"
    assert item_language(item.model_copy(update={"language": "nl"})) == "nl"
    assert item_language(item.model_copy(update={"argument": None})) == "en"
    assert item_language(item.model_copy(update={"argument": "42", "topic": "CO2?"})) == "fr"
    short = {
        "argument": "He forfeited. Pro. Vote for pro.",
        "second_argument": "The tax should stay, as it is fair.",
    }
    assert item_language(item.model_copy(update=short)) == "en"


def test_a_file_may_say_the_language_and_an_item_without_one_is_written_as_before(tmp_path: Path) -> None:
    items = list(open_items([{"topic": "Taxes?", "language": "German"}, {"topic": "Steuern?"}]))
    assert [item.language for item in items] == ["de", ""]
    assert "language" in items[0].model_dump()
    assert "language" not in items[1].model_dump()


def test_one_language_may_be_given_for_all_items() -> None:
    rows = [
        {"topic": topic, "argument": "It is.", "documents": ["A text."]} for topic in ("Taxes?", "Steuern?")
    ]
    judged = judge(rows, format="citations", language="Japanese")
    assert [judgment.language for judgment in judged] == ["ja", "ja"]
    with pytest.raises(DeclarationError):
        open_items(rows, language="Klingonese")
