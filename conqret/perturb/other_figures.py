"""Other figures in a sentence of any language than its source has: as :mod:`conqret.perturb.changed_numbers` does in
English, for figures in digits of any script, with the marks that the language writes in them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from conqret.perturb.changed_numbers import EARLIER, FACTORS, bent, is_year, same_order
from conqret.text.citations import MARK
from conqret.text.other_languages import decimal_mark
from conqret.text.words import ascii_digits

_UNSPACED = "\u3005-\u30ff\u3400-\u9fff"
_SPACE = "\u00a0\u202f"
_figure = re.compile(
    rf"{MARK}"
    rf"|(?<![^\W{_UNSPACED}])(?<![.,-])"
    rf"(?P<figure>\d{{1,3}}(?: \d{{3}})+(?:,\d+)?(?![\d.,]\d|\d)|\d(?:[\d.,\u066b\u066c{_SPACE}]*\d)?)"
    rf"(?![^\W{_UNSPACED}]|-\w)"
)
"""A figure that stands alone: that of *32-Stunden-Woche* says what is spoken of."""

_percent = re.compile(
    r"\d\s?[%\u066a\uff05]|\b(?:Prozent|pour cent|por ciento|por cento|процент\w*|प्रतिशत)"
    r"|\u0628\u0627\u0644\u0645\u0626\u0629|\u0641\u064a \u0627\u0644\u0645\u0626\u0629|\u767e\u5206\u4e4b|パーセント"
)
_MONTHS = {
    "de": r"\.",  # the 3. of October; other ordinals, too
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "es": "de (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)",
    "pt": "de (?:janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro)",
    "ru": "январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр",
    "ar": "يناير|فبراير|مارس|أبريل|مايو|يونيو|يوليو|أغسطس|سبتمبر|أكتوبر|نوفمبر|ديسمبر",
    "hi": "जनवरी|फ़रवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|अक्तूबर|नवंबर|दिसंबर",
    "zh": "[月日号]",
    "ja": "[月日]",
}
"""What follows the day of a date, which stays: a 42nd of October would be noticed by anybody."""
_date_follows = {language: re.compile(rf"\s?(?:{months})") for language, months in _MONTHS.items()}


@dataclass(frozen=True, slots=True)
class WrittenFigure:
    """A figure as it is written: its value, its decimals, the marks in it, and the zero of its script."""

    value: float
    decimals: int
    mark: str
    group: str
    zero: int

    @classmethod
    def of(cls, written: str, language: str) -> WrittenFigure:
        """Read a figure."""
        zero = ord(written[0]) - int(written[0])
        marks = [sign for sign in written if not sign.isdigit()]
        decimal = "\u066b" if "\u066b" in marks else decimal_mark(language)
        whole, _, fraction = written.rpartition(decimal) if marks.count(decimal) == 1 else (written, "", "")
        group = next((sign for sign in marks if sign != decimal or marks.count(decimal) > 1), "")
        digits = "".join(sign for sign in ascii_digits(whole) if sign.isdigit())
        value = float(f"{digits[:15]}.{ascii_digits(fraction)[:15]}")
        return cls(value, len(fraction), decimal, group, zero)

    def written(self, value: float) -> str:
        """Another value, written in the same way."""
        text = f"{value:{',' if self.group else ''}.{self.decimals}f}"
        text = "".join({",": self.group, ".": self.mark}.get(sign, sign) for sign in text)
        return "".join(
            chr(self.zero + int(sign)) if sign.isascii() and sign.isdigit() else sign for sign in text
        )


def other_figures(body: str, source: str, topic: str, language: str, rng: random.Random) -> str | None:
    """The figures of ``body`` changed by one rising function, none to one that ``source`` has; those of the ``topic``
    and the days of dates stay. None where there is none, or where none can change."""
    known, fixed = values(source, language), values(topic, language)
    follows = _date_follows.get(language)
    places = [
        match
        for match in _figure.finditer(body)
        if match["figure"] and not (follows and follows.match(body, match.end()))
    ]
    figures = [WrittenFigure.of(match["figure"], language) for match in places]
    free = [place for place, figure in enumerate(figures) if figure.value not in fixed]
    places, figures = [places[place] for place in free], [figures[place] for place in free]
    old = [figure.value for figure in figures]
    shares = _percent.search(body) is not None
    years = rng.randint(*EARLIER)
    best: tuple[int, list[float]] = (0, [])
    for factor in rng.sample(FACTORS, len(FACTORS)):
        new = [_other(figure, factor, shares, years) for figure in figures]
        fresh = sum(before != after and after not in known for before, after in zip(old, new, strict=True))
        if fresh > best[0] and same_order(old, new, [_year(figure) for figure in figures]):
            best = fresh, new
    if not best[0]:
        return None
    pieces, end = [], 0
    for match, figure, value in zip(places, figures, best[1], strict=True):
        pieces += [body[end : match.start()], figure.written(value)]
        end = match.end()
    return "".join([*pieces, body[end:]])


def values(text: str, language: str) -> frozenset[float]:
    """The values of the figures of a text."""
    return frozenset(
        WrittenFigure.of(match["figure"], language).value
        for match in _figure.finditer(text)
        if match["figure"]
    )


def _year(figure: WrittenFigure) -> bool:
    return not figure.decimals and not figure.group and is_year(f"{figure.value:.0f}")


def _other(figure: WrittenFigure, factor: float, shares: bool, years: int) -> float:
    if _year(figure):
        return figure.value - years
    return round(bent(figure.value, factor, shares), figure.decimals)
