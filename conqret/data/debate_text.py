"""A debate page as it was published: question, pros and cons, and the sources that they cite.

ConQRet, Appendix A: title, introduction, pro and con arguments with title and paragraphs, and sources with a
local number, a title and sometimes a URL. A marker such as ``[12]`` in a paragraph cites the source 12.
"""

from __future__ import annotations

from pydantic import Field

from conqret.data.item import Frozen, Identifier, NonEmpty


class Source(Frozen):
    """One entry of a page's list of sources.

    ``number`` is its number on the page; ``url`` is empty where the page gives none (it is then searched by
    title); ``cited`` is the date that the page gives for it, as printed, or empty.
    """

    number: int = Field(ge=0)
    title: str
    url: str = ""
    cited: str = ""


class DebateArgument(Frozen):
    """One pro or con argument: its headline and its paragraphs, with the citation markers left in the text.

    ``counterpoint`` is what the page itself answers to it, for the other side: Debatabase prints one under each point.
    """

    title: str
    paragraphs: tuple[str, ...]
    counterpoint: tuple[str, ...] = ()


class Debate(Frozen):
    """One debate page. ``id`` is a slug that is safe as a file name; ``layout`` names the parser that read it.

    ``archived`` is the address of the archive's copy that was read, empty where the page itself was.
    """

    id: Identifier
    url: str
    title: str
    question: NonEmpty
    introduction: str = ""
    pros: tuple[DebateArgument, ...]
    cons: tuple[DebateArgument, ...]
    sources: tuple[Source, ...]
    layout: str
    archived: str = ""
