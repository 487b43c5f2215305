"""Break lines of the site where a reader would: never inside an interval or an option's name, and in a path after its
slashes. Blocks of code are not broken at all: a command and its indents are as one types them."""

from __future__ import annotations

import re
from typing import Any

CODE = re.compile(r"<pre.*?</pre>|<code.*?</code>", re.DOTALL)
BLOCK = "<pre"
TAG = r"(?![^<>]*>)"
"""Not within a tag, whose attributes stay as they are."""
OPTION = re.compile(rf"(?<=[\s>(])--[a-z][\w-]*{TAG}")
INTERVAL = re.compile(r"\[[-−]?[\d.]+, [-−]?[\d.]+\]")
WHOLE = r'<span class="whole">\g<0></span>'
JOINT = re.compile(rf"(?<=[^\s</])[/,|](?=[^\s>/]){TAG}")
"""Where code in a sentence or a table may be broken: in a path or a list."""


def on_page_content(html: str, **_: Any) -> str:
    """The page's HTML with its line breaks told."""
    return INTERVAL.sub(WHOLE, CODE.sub(lambda found: joined(found[0]), html))


def joined(code: str) -> str:
    """Code of a sentence with its line breaks told; a block as it is."""
    return code if code.startswith(BLOCK) else JOINT.sub(r"\g<0><wbr>", OPTION.sub(WHOLE, code))
