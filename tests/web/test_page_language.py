"""Pages in the language of those who label: the words, and where they come from."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.dimensions import DIMENSIONS
from conqret.labels.page_messages import known_texts, page_messages, plural_category, shipped
from conqret.labels.study_access import Setting
from conqret.labels.task import QUESTIONS
from tests.cli.conftest import Cli
from tests.labels.debates import begun_debate
from tests.web.test_annotating import Study

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "conqret" / "labels" / "pages"
ITEMS = ROOT / "fixtures" / "languages" / "items.jsonl"
COUNTED = ("You have ", "At most ", "There ", "You will be shown", "All your answers ", "This question ")
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
            assert text in texts or text.startswith(COUNTED), text
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
        ("language = 'tr'\n[texts]\n'Welcome, {name}' = 'Merhaba {name.__class__}'", "{name}"),
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


async def test_debates_are_judged_in_arabic(tmp_path: Path) -> None:
    english = [text for text in known_texts()["texts"] if len(text) > 15 and "{" not in text]
    ledger = begun_debate(tmp_path, ["ann"])
    study = Study(ledger, tmp_path, Setting(messages=page_messages("ar")))
    ann = study.browser()
    pages = [(await ann.get(study.link("ann"))).text]
    where = await ann.begin(study.link("ann"))
    while where.startswith("/screen/"):
        await ann.send(where, start="1")
        pages.append(ann.page)
        where = (await ann.send(where, slider="1")).url.path
        pages.append(ann.page)
        if ledger.begun(ledger.annotator("ann")) is None:
            where = (await ann.get("/next")).url.path
    for page in [*pages, ann.page]:
        assert '<html lang="ar" dir="rtl">' in page
        assert not [text for text in english if text in page]


def test_a_language_without_words_is_refused(cli: Cli, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"my\.toml"):
        page_messages("fr")
    refused = cli(
        "labels", "collect", ITEMS, "--annotators", "anna", "--page-language", "fr", "-o", tmp_path / "labels"
    )
    assert refused.code == 2
    assert not (tmp_path / "labels").exists()
