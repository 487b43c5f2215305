"""Render HTML pages that load nothing from a network, and write files atomically.

Every page is a template that fills the blocks of ``base.html.j2``. Its texts are escaped, their hidden characters
written out, and a policy in the page allows no style and no script but its own, no connection, no form, no frame and no
picture; what is drawn is SVG in the page itself.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from conqret._version import __version__
from conqret.io import safe_files as atomic
from conqret.show import words
from conqret.show.visible_text import before_command, cut, visible

Ways = Sequence[tuple[str, str]]
"""Titles with addresses."""

_OPTION = re.compile(r"--[a-z][a-z-]*")
_HERE = Path(__file__).resolve().parent


def page(
    template: str,
    *,
    scripts: Sequence[str] = (),
    style: str = "",
    within: Path = _HERE,
    forms: str = "'none'",
    around: Ways = (),
    images: bool = False,
    **content: Any,
) -> Iterator[str]:
    """Render an HTML page from ``template``, and yield it in pieces.

    Args:
        template: the name of a template that extends ``base.html.j2``.
        scripts: the names of scripts in addition to that of the theme.
        style: the name of a stylesheet in addition to that of all pages.
        within: the folder of template, scripts and style; by default that of this module.
        forms: where its forms may be sent, as in a content security policy; by default nowhere.
        around: links to other pages, as titles with addresses.
        images: True if the page shows images as ``data:`` URLs.
        content: the template's variables, in addition to ``words`` and ``cut``.
    """
    css = (_HERE / "page.css").read_text(encoding="utf-8")
    if style:
        css += "\n" + (within / style).read_text(encoding="utf-8")
    js = (_HERE / "theme.js").read_text(encoding="utf-8")
    for script in scripts:
        js += "\n" + (within / script).read_text(encoding="utf-8")
    stream = (
        _environment(within)
        .get_template(template)
        .stream(
            css=Markup(css),  # noqa: S704 (a file of ours)
            js=Markup(js),  # noqa: S704 (a file of ours)
            policy=_policy(css, js, forms, images=images),
            version=__version__,
            around=around,
            words=words,
            cut=cut,
            **content,
        )
    )
    stream.enable_buffering(64)
    return stream


def fragment(template: str, macro: str, content: object) -> str:
    """Return the HTML of one macro of ``template`` for ``content``, escaped, for use within a page."""
    return str(getattr(_environment(_HERE).get_template(template).module, macro)(content))


def write_files(folder: Path, files: Mapping[str, bytes | str | Iterable[str]]) -> list[Path]:
    """Write files into ``folder``, each atomically, and return their paths; the folder is created.

    ``files`` maps file names to their content.
    """
    return atomic.write_files(dict(zip(map(folder.joinpath, files), files.values(), strict=True)))


def write_file(file: Path, content: bytes | str | Iterable[str]) -> Path:
    """Write one file atomically, and return its path; its folder is created."""
    return atomic.write_files({file: content})[0]


def _policy(css: str, js: str, forms: str, *, images: bool) -> str:
    """Return the content security policy of a page: only this style and this script, images as ``data:`` URLs
    if ``images`` is True, and forms sent to ``forms`` only."""
    hashes = []
    for text in (css, js):
        digest = hashlib.sha256(text.encode()).digest()
        hashes.append(f"'sha256-{base64.b64encode(digest).decode()}'")
    style, script = hashes
    rules = (
        "default-src 'none'",
        *(["img-src data:"] if images else []),
        f"style-src {style}",
        f"script-src {script}",
        "require-trusted-types-for 'script'",
        "base-uri 'none'",
        f"form-action {forms}",
    )
    return "; ".join(rules)


@functools.cache
def _environment(folder: Path) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([_HERE, folder]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printed,
        auto_reload=False,  # looking whether a part of the page has changed, for each item anew
    )
    environment.filters["prose"] = _prose
    return environment


def _prose(text: str) -> Markup:
    """A text with the command line that ends it as code, and without line breaks in options."""
    words, command = (
        Markup(_OPTION.sub(r'<span class="whole">\g<0></span>', str(escape(visible(part)))))  # noqa: S704 (escaped)
        for part in before_command(text)
    )
    return words + (Markup("<code>{}</code>").format(command) if command else "")


def _printed(value: Any) -> Any:
    """What a template prints: strings with their hidden characters written out, which Jinja then escapes."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
