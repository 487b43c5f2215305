"""Prompt files: the overlay, the digest, and what is wrong with a file of one's own, in plain words."""

from pathlib import Path

import pytest

from conqret import DeclarationError
from conqret.errors import UnknownNameError
from conqret.prompts import Library

GOOD = (
    '+++\nid = "mine"\nversion = 1\nasks = "a"\nsource = "s"\n+++\n'
    '{% block system %}{% from "_mine.j2" import rule %}{{ rule() }}{% endblock %}\n'
    "{% block user %}<topic>{{ topic }}</topic>{% endblock %}\n"
)
RULE = "{% macro rule() %}Rate.{% endmacro %}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.j2").write_text(GOOD, encoding="utf-8")
    (tmp_path / "_mine.j2").write_text(RULE, encoding="utf-8")
    return tmp_path


def test_an_overlay_adds_to_ours_and_goes_before_them(folder: Path) -> None:
    library = Library(folder, ["mine"])
    assert set(library.ids()) == {*Library().ids(), "mine"}
    assert library["mine"].render({"topic": "a < b"}).user == "<topic>a \u2039 b</topic>"
    ours = Library()["direct/groundedness"]
    (folder / "direct").mkdir()
    (folder / "direct" / "groundedness.j2").write_text(
        ours.text.replace("You grade", "Grade"), encoding="utf-8"
    )
    assert Library(folder, ["mine"])["direct/groundedness"].digest != ours.digest
    assert Library(folder, ["mine"])["direct/preference"].digest == Library()["direct/preference"].digest


def test_the_digest_covers_what_is_included(folder: Path) -> None:
    before = Library(folder, ["mine"])["mine"].digest
    assert Library(folder, ["mine"])["mine"].digest == before
    (folder / "_mine.j2").write_text(RULE.replace("Rate", "Grade"), encoding="utf-8")
    assert Library(folder, ["mine"])["mine"].digest != before


def test_a_comment_changes_neither_the_digest_nor_what_is_sent(folder: Path) -> None:
    before = Library(folder, ["mine"])["mine"]
    text = GOOD.replace("+++\n{% block", "+++\n{# topic: the question\n#}\n{% block")
    (folder / "mine.j2").write_text(text, encoding="utf-8")
    (folder / "_mine.j2").write_text("{# ours #}\n" + RULE, encoding="utf-8")
    after = Library(folder, ["mine"])["mine"]
    assert after.text != before.text
    assert after.digest == before.digest
    assert after.render({"topic": "t"}) == before.render({"topic": "t"})


def test_a_prompt_that_nothing_asks_for_is_told_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "direct").mkdir()
    file = tmp_path / "direct" / "groundednes.j2"
    file.write_text(Library()["direct/groundedness"].text, encoding="utf-8")
    with pytest.raises(DeclarationError) as found:
        Library(tmp_path)
    assert str(found.value).startswith(
        f"nothing asks for {file}: there is no prompt 'direct/groundednes': did"
    )
    assert "did you mean 'direct/groundedness'" in str(found.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("+++\nid", "id", "must begin with front matter"),
        ("version = 1\n", 'version = "1"\n', "wrong in version"),
        ('id = "mine"', 'id = "yours"', "calls itself 'yours'"),
        ('asks = "a"', "asks = ", "is not valid TOML"),
        ("{% block user %}", "{% block usr %}", "lacks the block user"),
        ("{% endblock %}\n{%", "\n{%", "is not a valid template"),
        ("_mine.j2", "_nowhere.j2", "'_nowhere.j2', which does not exist"),
    ],
)
def test_a_wrong_file_is_a_declaration_error(folder: Path, old: str, new: str, words: str) -> None:
    (folder / "mine.j2").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DeclarationError, match=words.replace("'", "'")):
        Library(folder, ["mine"])["mine"]


@pytest.mark.parametrize("expression", ["nothing", "1 / 0", "topic.__class__.__mro__"])
def test_a_template_that_fails_is_a_declaration_error(folder: Path, expression: str) -> None:
    (folder / "mine.j2").write_text(GOOD.replace("{{ topic }}", f"{{{{ {expression} }}}}"), encoding="utf-8")
    with pytest.raises(DeclarationError, match="does not render"):
        Library(folder, ["mine"])["mine"].render({"topic": "t"})


def test_not_utf8(folder: Path) -> None:
    (folder / "mine.j2").write_bytes(GOOD.encode() + b"\xff")
    with pytest.raises(DeclarationError, match="not UTF-8"):
        Library(folder, ["mine"])["mine"]


@pytest.mark.parametrize("name", ["../mine", "/etc/passwd", "a\\b"])
def test_no_name_leads_out_of_the_folder(folder: Path, name: str) -> None:
    with pytest.raises(UnknownNameError):
        Library(folder, ["mine"])[name]
