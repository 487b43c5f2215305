"""The dates that pages print beside their sources."""

from __future__ import annotations

import re

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})\b")
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\s+([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_AMERICAN = re.compile(r"\b(\d{1,2})/(\d{1,2})/(\d{4})\b")
_MONTH_ONLY = re.compile(r"\b([A-Za-z]{3,9})\.?,?\s+(\d{4})\b")
_YEAR = re.compile(r"\b(19[89]\d|20\d\d)\b")


def timestamp(cited: str) -> str:
    """Read a date as printed ("Jan. 5, 2012", "5 May 2012", "2012-05-01", "5/31/2012", "May 2012", "2012").

    Returns it as the Internet Archive wants it: eight digits, six without a day, four with the year alone;
    empty if there is none. Slashes are read as the American month/day/year that ProCon prints.
    """
    for pattern, order in ((_ISO, "ymd"), (_MONTH_FIRST, "mdy"), (_DAY_FIRST, "dmy"), (_AMERICAN, "mdy")):
        for found in pattern.finditer(cited):
            parts = dict(zip(order, found.groups(), strict=True))
            month, day = _month(parts["m"]), int(parts["d"])
            if month and 1 <= day <= 31:
                return f"{parts['y']}{month:02d}{day:02d}"
    for found in _MONTH_ONLY.finditer(cited):
        if (month := _month(found.group(1))) and _YEAR.fullmatch(found.group(2)):
            return f"{found.group(2)}{month:02d}"
    year = _YEAR.search(cited)
    return year.group(1) if year else ""


def _month(text: str) -> int:
    """1 to 12; 0 if it is no month."""
    if text.isdigit():
        return int(text) if 1 <= int(text) <= 12 else 0
    short = text[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else 0
