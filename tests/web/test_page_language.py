"""Pages in the language of those who label: the words, where they come from, and whole studies in German and Arabic
in a real browser, by keyboard."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.dimensions import DIMENSIONS
from conqret.labels.page_messages import known_texts, page_messages, plural_category, shipped
from conqret.labels.task import QUESTIONS
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "conqret" / "labels" / "pages"
ITEMS = ROOT / "fixtures" / "languages" / "items.jsonl"
TEMPLATES = tuple(sorted(path.name.removesuffix(".html.j2") for path in PAGES.glob("*.html.j2")))


def test_every_language_that_comes_with_conqret_has_words_for_everything() -> None:
    known = known_texts()
    assert shipped() == ("ar", "de", "en")
    for language in shipped():
        messages = page_messages(language)
        assert messages.texts.keys() == known["texts"].keys()
        assert messages.counted.keys() == known["counted"].keys()
    assert {page_messages(name).direction for name in ("Arabic", "ar")} == {"rtl"}
    assert all(english == said for english, said in known["texts"].items())


def test_the_list_has_what_the_pages_say() -> None:
    texts = known_texts()["texts"]
    for name in TEMPLATES:
        body = (PAGES / f"{name}.html.j2").read_text(encoding="utf-8")
        for call in re.findall(r"\bt(?:\.plain)?\((\"[^\"]+\")[,) ]", body):
            text = call.strip('"')
            assert text in texts or text.startswith(
                (
                    "You have ",
                    "At most ",
                    "There ",
                    "You will be shown",
                    "All your answers ",
                    "This question ",
                )
            ), text
    for question in chain.from_iterable(QUESTIONS.values()):
        assert {question.asks, *question.guide} <= texts.keys()
        assert {choice.meaning for choice in question.choices} - {""} <= texts.keys()
    for dimension in DIMENSIONS:
        assert {dimension.question, dimension.definition} <= texts.keys()


@pytest.mark.parametrize(
    ("language", "categories"),
    [
        ("ar", "zero one two few few many many other few"),
        ("ru", "many one few few many many many many few"),
        ("de", "other one other other other other other other other"),
        ("ja", "other other other other other other other other other"),
    ],
)
def test_numbers_have_the_forms_of_the_language(language: str, categories: str) -> None:
    counts = (0, 1, 2, 3, 10, 11, 25, 100, 104)
    assert [plural_category(language, count) for count in counts] == categories.split()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("language = 'xx'", "ISO 639-1"),
        ("language = 'tr'\n[texts]\n'Save and contine' = 'Kaydet'", "Save and continue"),
        ("language = 'tr'\n[texts]\n'Welcome, {name}' = 'Merhaba'", "{name}"),
        ("language = 'tr'\n[texts]\n'Welcome, {name}' = 'Merhaba {name.__class__}'", "{name}"),
        ("language = 'tr'\n[counted]\nscreen = { one = '{n} ekran' }", "with other"),
        ("language = 'tr'\n[counted]\nscreen = { other = '{count} ekran' }", "{n}"),
    ],
)
def test_a_translators_file_is_checked_before_anything_is_served(
    tmp_path: Path, text: str, fault: str
) -> None:
    file = tmp_path / "my.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DeclarationError, match=re.escape(fault)):
        page_messages(str(file))


def test_what_a_translator_leaves_out_stays_in_english(tmp_path: Path) -> None:
    file = tmp_path / "tr.toml"
    file.write_text("language = 'tr'\n[texts]\n'Begin' = '<b>Başla</b>'\n", encoding="utf-8")
    messages = page_messages(str(file))
    assert str(messages("Begin")) == "&lt;b&gt;Başla&lt;/b&gt;"
    assert (str(messages("Done")), messages.number(1, "screen")) == ("Done", "1 screen")


def test_a_language_without_words_is_refused(cli: Cli, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"my\.toml"):
        page_messages("fr")
    refused = cli(
        "labels", "collect", ITEMS, "--annotators", "anna", "--page-language", "fr", "-o", tmp_path / "labels"
    )
    assert refused.code == 2
    assert not (tmp_path / "labels").exists()
