"""The texts of the pages for annotators, by language: one TOML file a language, in ``messages/`` or a
translator's own.

A file has ``language`` (an ISO 639-1 code), the table ``texts``, from the English words
to those of the language, and the table ``counted``, from an English unit to its forms by number (``one``, ``two``,
``few``, ``many``, ``other``: the plural categories of Unicode's CLDR), each with ``{n}`` in it. What has no words there
stays in English. ``messages/en.toml`` lists all that a translator may put into words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from conqret.errors import DeclarationError, UnknownNameError, check_known
from conqret.io.limits import declared_text
from conqret.io.toml import parse_toml
from conqret.show import words
from conqret.show.table import Table
from conqret.text.language import NAMES, RIGHT_TO_LEFT, language_code

SUFFIX = ".toml"
CATEGORIES = ("zero", "one", "two", "few", "many", "other")
_SLAVIC = frozenset("ru uk be sr hr bs".split())
_WITHOUT_FORMS = frozenset("zh ja ko vi th id ms lo my".split())
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class PageMessages:
    """The texts of the pages in one language.

    ``texts`` maps English texts to translations. ``counted`` maps an English unit to its forms by plural
    category, each with ``{n}`` for the number. Calling it with a text and values returns the translation as
    HTML, with the values filled in and escaped.
    """

    language: str = "en"
    texts: Mapping[str, str] = field(default_factory=dict)
    counted: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        """The writing direction of the language: ``ltr`` or ``rtl``."""
        return "rtl" if self.language in RIGHT_TO_LEFT else "ltr"

    def plain(self, text: str) -> str:
        """Return the translation of an English text, or the text itself if there is none."""
        return self.texts.get(text) or text

    def __call__(self, text: str, **values: Any) -> Markup:
        """The same for a page, with ``values`` in the places of their names."""
        shown = escape(self.plain(text))
        return shown.format(**values) if values else shown

    def number(self, count: int, unit: str) -> str:
        """Return a number with its unit in the correct plural form."""
        forms = self.counted.get(unit, {})
        form = forms.get(plural_category(self.language, count)) or forms.get("other")
        return form.format(n=f"{count:,}") if form else words.number(count, unit)


ENGLISH = PageMessages()


def worded(table: Table, t: PageMessages) -> Table:
    """Return a table with its title, headers, note and foot translated, the foot in every column. In the rows, cells of
    columns of the kind ``text`` stay unchanged."""
    columns = [replace(column, title=t.plain(column.title)) for column in table.columns]
    kinds = [column.kind for column in columns]

    rows = [
        [cell if kind == "text" else t.plain(cell) for cell, kind in zip(cells, kinds, strict=True)]
        for cells in table.rows
    ]
    foot = [list(map(t.plain, cells)) for cells in table.foot]
    return Table(t.plain(table.title), columns, rows, foot=foot, note=t.plain(table.note))


def plural_category(language: str, count: int) -> str:
    """Return the Unicode CLDR plural category of an integer; the English one for languages not known
    here."""
    ones, tens = count % 10, count % 100
    if language in _WITHOUT_FORMS:
        return "other"
    if language == "ar":
        if count < 3:
            return CATEGORIES[count]
        return "few" if 3 <= tens <= 10 else "many" if tens >= 11 else "other"
    if language in _SLAVIC or language == "pl":
        if count == 1 if language == "pl" else ones == 1 and tens != 11:
            return "one"
        return "few" if 2 <= ones <= 4 and not 12 <= tens <= 14 else "many"
    if language in ("cs", "sk"):
        return "one" if count == 1 else "few" if 2 <= count <= 4 else "other"
    if language in ("fr", "pt", "hi"):
        return "one" if count < 2 else "other"
    return "one" if count == 1 else "other"


def shipped() -> tuple[str, ...]:
    """Return the codes of the languages for which conqret has page texts."""
    names = (file.name for file in (resources.files("conqret.labels") / "messages").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def page_messages(language: str) -> PageMessages:
    """Return the page texts of a language, by code or English name, or those in a translator's file (a
    name that ends in ``.toml``).

    Raises:
        UnknownNameError: conqret has no page texts for this language.
        DeclarationError: the file cannot be read, or has invalid content.
    """
    if language.endswith(SUFFIX):
        return _read(declared_text(Path(language)), Path(language).as_posix())
    code = language_code(language) or ""
    if code not in shipped():
        raise UnknownNameError(
            "language of pages",
            language,
            shipped(),
            lambda name, known: "for another language give a file of its words, --page-language my.toml",
        )
    file = resources.files("conqret.labels") / "messages" / f"{code}{SUFFIX}"
    return _read(file.read_text(encoding="utf-8"), file.name)


def known_texts() -> Mapping[str, Any]:
    """Return the content of ``en.toml``, which lists all texts that can be translated."""
    file = resources.files("conqret.labels") / "messages" / f"en{SUFFIX}"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _read(text: str, file: str) -> PageMessages:
    table, known = parse_toml(text, file), known_texts()
    language, texts, counted = table.get("language"), table.get("texts", {}), table.get("counted", {})
    if not isinstance(language, str) or language not in NAMES:
        raise DeclarationError(f'{file} [language] must be an ISO 639-1 code such as "de"')
    if not isinstance(texts, dict) or not isinstance(counted, dict):
        raise DeclarationError(f"{file}: texts and counted must be tables")
    check_known(f"text of these pages in {file}", known["texts"], *texts)
    check_known(f"unit of these pages in {file}", known["counted"], *counted)
    for english, translation in texts.items():
        _check_places(file, english, english, translation)
    for unit, forms in counted.items():
        if not isinstance(forms, dict) or "other" not in forms or set(forms) - set(CATEGORIES):
            raise DeclarationError(
                f"{file} [counted] {unit!r} must be a table with other and, as needed, {', '.join(CATEGORIES[:-1])}"
            )
        for form, translation in forms.items():
            _check_places(file, f"{unit}.{form}", "{n}", translation, may_lack=True)
    return PageMessages(language, texts, counted)


def _check_places(file: str, name: str, english: str, translation: object, *, may_lack: bool = False) -> None:
    """Raise DeclarationError if a translation has other ``{places}`` than the English text, or is none.

    With ``may_lack`` it need not have all of them; ``file`` and ``name`` are for the message.
    """
    if not isinstance(translation, str) or not translation.strip():
        raise DeclarationError(f"{file}: the words for {name!r} must be a text")
    wanted, has = set(_PLACE.findall(english)), set(_PLACE.findall(translation))
    rest = _PLACE.sub("", translation)
    if has - wanted or (wanted - has and not may_lack) or "{" in rest or "}" in rest:
        places = ", ".join(f"{{{place}}}" for place in sorted(wanted)) or "no braces"
        raise DeclarationError(f"{file}: the words for {name!r} must have {places}, and no other braces")
