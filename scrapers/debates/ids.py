"""Ids of debates from their addresses: safe as file names, and never a path."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from urllib.parse import unquote, urlsplit

MAX_ID = 100
"""Characters of an id, far below what file systems allow for a name."""
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$")
"""Names that Windows keeps for devices."""


def debate_id(url: str) -> str:
    """The id of the debate at ``url``: the last part of its path and its query, else its host.

    Letters, digits and single hyphens only. ``debate_id("https://www.procon.org/headlines/zoos/")`` is
    ``"zoos"``, ``debate_id("https://abortion.procon.org")`` is ``"abortion-procon-org"``.
    """
    try:
        parts = urlsplit(url)
        path, query, host = unquote(parts.path), unquote(parts.query), parts.hostname or ""
    except ValueError:
        path, query, host = "", "", ""
    names = [name for part in path.split("/") if (name := _slug(part))]
    slug = "-".join(filter(None, (names[-1] if names else _slug(host.removeprefix("www.")), _slug(query))))
    if not slug:
        return f"debate-{_digest(url)}"
    if _DEVICES.match(slug):
        slug = f"debate-{slug}"
    return slug if len(slug) <= MAX_ID else told_apart(slug, url)


def told_apart(identifier: str, url: str) -> str:
    """Another id for a second debate whose address gives the same one."""
    return f"{identifier[: MAX_ID - 9].rstrip('-')}-{_digest(url)}"


def _slug(text: str) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
    return re.sub(r"[^a-z0-9]+", "-", ascii_text.lower()).strip("-")


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:8]
