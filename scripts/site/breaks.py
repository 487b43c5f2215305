"""Break lines of the site where a reader would: never inside an interval or an option's name, and in a path after its
slashes."""

from __future__ import annotations

import re
from typing import Any

CODE = re.compile(r"<pre.*?</pre>|<code.*?</code>", re.DOTALL)
OPTION = re.compile(r"(?<=[\s>(])--[a-z][\w-]*")
INTERVAL = re.compile(r"\[[-−]?[\d.]+, [-−]?[\d.]+\]")
WHOLE = r'<span class="whole">\g<0></span>'
JOINT = re.compile(r"(?<=[^\s</])[/,|](?=[^\s>/])")


def on_page_content(html: str, **_: Any) -> str:
    """The page's HTML with its line breaks told."""
    return INTERVAL.sub(WHOLE, CODE.sub(code, html))


def code(found: re.Match[str]) -> str:
    """A piece of code with its options whole; one within a line also with its joints."""
    text = OPTION.sub(WHOLE, found[0])
    return text if text.startswith("<pre") else JOINT.sub(r"\g<0><wbr>", text)
