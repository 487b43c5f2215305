"""Pages in the language of those who label: the words, where they come from, and whole studies in German and Arabic
in a real browser, by keyboard."""

from __future__ import annotations

import csv
import re
from itertools import chain
from pathlib import Path

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.io import open_items
from conqret.judging.dimensions import DIMENSIONS
from conqret.labels.page_messages import known_texts, page_messages, plural_category, shipped
from conqret.labels.task import QUESTIONS
from tests.cli.conftest import Cli
from tests.show.chromium import Chromium
from tests.web.annotators import come_in, until
from tests.web.commands import started, written_items

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "conqret" / "labels" / "pages"
ITEMS = ROOT / "fixtures" / "languages" / "items.jsonl"
TEMPLATES = tuple(sorted(path.name.removesuffix(".html.j2") for path in PAGES.glob("*.html.j2")))
SENTENCE = re.compile(r'"([^"{}]*[A-Za-z][^"]*)"')


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
        ("language = 'tr'\n[texts]\n'Welcome' = 3", "must be a text"),
        ("language = 'tr'\n[counted]\nscreen = { one = '{n} ekran' }", "with other"),
        ("language = 'tr'\n[counted]\nscreen = { other = '{count} ekran' }", "{n}"),
        ("language = ", "not valid TOML"),
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


def test_a_whole_study_is_answered_in_the_language_of_its_annotators(
    browser: Chromium, cli: Cli, tmp_path: Path
) -> None:
    language = "de"  # Arabic: test_study_languages.py
    items = [item for item in open_items(ITEMS) if item.language == language][:3]
    items = [item.model_copy(update={"second_argument": items[0].argument}) for item in items]
    page, messages = browser.apart(), page_messages(language)
    with started(
        *("labels", "collect", written_items(tmp_path / "items.jsonl", items), "--task", "preference"),
        *("--annotators", "anna", "--page-language", language, "-o", tmp_path / "labels"),
    ) as server:
        page.go(server.links["anna"])
        until(page, "document.querySelector('button.main') !== null")
        assert page.js("[document.documentElement.lang, document.documentElement.dir]") == [
            language,
            messages.direction,
        ]
        assert page.js("document.querySelector('button.main').innerText") == messages.plain("Begin")
        assert page.js("document.getElementById('theme').innerText") == messages.plain("Theme: system")
        come_in(page, server.links["anna"])
        for number in range(3):
            until(page, f"document.querySelector('progress')?.value === {number}")
            assert page.js("document.querySelector('button.main').innerText") == messages.plain(
                "Save and continue"
            )
            shown = page.js("document.body.innerText")
            assert any(item.topic in shown for item in items)
            english = [
                text
                for text in known_texts()["texts"]
                if len(text) > 20 and "{" not in text and text in shown
            ]
            assert not english
            for _ in range(page.js("document.querySelectorAll('fieldset').length")):
                page.press("1")
            page.press("Enter")
        until(
            page, f"document.querySelector('h1').innerText === {messages.plain('You are done, thank you')!r}"
        )
    assert not page.complaints, page.complaints
    page.close()
    assert cli("labels", "export", tmp_path / "labels", "-o", tmp_path / "labels.csv").code == 0
    with (tmp_path / "labels.csv").open(newline="", encoding="utf-8") as file:
        assert len({row["item"] for row in csv.DictReader(file)}) == 3
