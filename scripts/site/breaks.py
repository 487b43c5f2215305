"""Break lines of the site where a reader would: never inside an interval or an option's name, and in a path after its
slashes."""

from __future__ import annotations

import re
from typing import Any

CODE = re.compile(r"<pre.*?</pre>|<code.*?</code>", re.DOTALL)
TAG = r"(?![^<>]*>)"
"""Not within a tag, whose attributes stay as they are."""
OPTION = re.compile(rf"(?<=[\s>(])--[a-z][\w-]*{TAG}")
INTERVAL = re.compile(r"\[[-−]?[\d.]+, [-−]?[\d.]+\]")
WHOLE = r'<span class="whole">\g<0></span>'
JOINT = re.compile(rf"(?<=[^\s</])[/,|](?=[^\s>/]){TAG}|[(\[.]</span>(?=<span)")
"""Where code may be broken: in a path, in a list, and after a bracket or a full stop that has a colour of its own."""


def on_page_content(html: str, **_: Any) -> str:
    """The page's HTML with its line breaks told."""
    return INTERVAL.sub(
        WHOLE, CODE.sub(lambda found: JOINT.sub(r"\g<0><wbr>", OPTION.sub(WHOLE, found[0])), html)
    )
