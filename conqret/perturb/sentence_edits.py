"""Find and change the sentences of an argument: which cite, replacing them, adding others, splitting off
their end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from conqret.baseline.alignment import sentence_findings
from conqret.data import Item
from conqret.perturb.perturbation import Change, Draw, InapplicableError, PerturbedItem
from conqret.text.analysis import analysed
from conqret.text.citations import citations, find_marks, strip_citations
from conqret.text.language import item_language
from conqret.text.sentences import CLOSING, END_MARKS, Span, sentences


@lru_cache(maxsize=1024)
def split(text: str) -> tuple[Span, ...]:
    """Return the sentences of ``text``; results are cached, since every level needs them."""
    return sentences(text)


def cited_sentences(text: str) -> list[int]:
    """Return the numbers (from 1) of the sentences that have both a citation and words."""
    return [
        number
        for number, span in enumerate(split(text), start=1)
        if citations(span.text) and any(char.isalpha() for char in strip_citations(span.text))
    ]


def grounded(draw: Draw) -> list[int]:
    """Return the numbers (from 1) of the argument's citing sentences; if none cites, of those that the documents state
    by their words.

    Raises:
        InapplicableError: there are none.
    """
    sentence_numbers = cited_sentences(draw.item.argument or "") or list(stated_sentences(draw.item))
    if not sentence_numbers:
        raise InapplicableError(
            f"item {draw.original}: the argument cites nothing, and its documents state none of its sentences, so no "
            "sentence is known to be grounded"
        )
    return sentence_numbers


@lru_cache(maxsize=1024)
def _stated(argument: str, documents: tuple[str, ...], language: str) -> tuple[int, ...]:
    sources = [analysed(document, language) for document in documents]
    findings = sentence_findings(analysed(argument, language), sources)
    stated = {finding.text for finding in findings if finding.verdict == "stated"}
    return tuple(number for number, span in enumerate(split(argument), start=1) if span.text in stated)


def stated_sentences(item: Item) -> tuple[int, ...]:
    """Return the numbers (from 1) of the argument's sentences that the item's documents state by their words."""
    documents = tuple(f"{document.title}\n\n{document.text}" for document in item.documents)
    return _stated(item.argument or "", documents, item_language(item))


def cited_text(item: Item, number: int) -> str:
    """Return the documents that sentence ``number`` (from 1) cites, or all where the argument cites nothing."""
    argument, documents = item.argument or "", item.documents
    if cited_sentences(argument):
        cited = citations(split(argument)[number - 1].text)
        documents = tuple(documents[n - 1] for n in cited if 1 <= n <= len(documents))
    return "\n".join(f"{document.title}\n{document.text}" for document in documents)


def replace_sentences(text: str, replacements: Mapping[int, str]) -> str:
    """Return ``text`` with the sentences at these numbers (from 1) replaced; all other characters stay."""
    pieces, end = [], 0
    for number, span in enumerate(split(text), start=1):
        if number in replacements:
            pieces += [text[end : span.start], replacements[number]]
            end = span.end
    return "".join([*pieces, text[end:]])


def rewrite_sentences(argument: str, made: Mapping[int, tuple[str, str]]) -> tuple[str, tuple[Change, ...]]:
    """Return an argument with the sentences at these numbers (from 1) replaced, and the changes.

    ``made`` holds each new sentence with the kind of its change.
    """
    spans, new = split(argument), {number: made[number][0] for number in sorted(made)}
    changes = tuple(
        Change(where=f"argument sentence {n}", kind=made[n][1], before=spans[n - 1].text, after=after)
        for n, after in new.items()
    )
    return replace_sentences(argument, new), changes


def put_after(text: str, added: Mapping[int, Iterable[str]], space: str = " ") -> str:
    """Return ``text`` with further sentences inserted after those at these indices (from 0), separated by
    ``space``."""
    longer = {place + 1: space.join([split(text)[place].text, *more]) for place, more in added.items()}
    return replace_sentences(text, longer)


def same_elsewhere(before: str, after: str, changed: Iterable[int]) -> bool:
    """Return True if ``after`` differs from ``before`` in exactly the sentences numbered ``changed``."""
    old, new, numbers = split(before), sentences(after), set(changed)
    return len(old) == len(new) and all(
        (first.text != other.text) == (number in numbers)
        for number, (first, other) in enumerate(zip(old, new, strict=True), start=1)
    )


def split_close(sentence: str) -> tuple[str, str]:
    """Split a sentence into its body and its end (end mark, closing quotes and trailing citations, in any order); both
    joined are the sentence."""
    starts = {match.end(): match.start() for match in find_marks(sentence)}
    before_marks = _without_marks(sentence, starts)
    end_then_marks = before_marks.rstrip(CLOSING).rstrip(END_MARKS)
    before_end = sentence.rstrip().rstrip(CLOSING).rstrip(END_MARKS)
    marks_then_end = _without_marks(before_end, starts)
    place = len(end_then_marks)
    if marks_then_end != before_end.rstrip():  # there are marks
        place = min(place, len(marks_then_end))
    return sentence[:place], sentence[place:]


def _without_marks(text: str, starts: Mapping[int, int]) -> str:
    """Return ``text`` without white space and citation marks at its end; ``starts`` has the place of each
    mark by its end."""
    end = len(text.rstrip())
    while end in starts:
        end = starts[end]
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


MODEL = "model"
"""The kind of a change that a model wrote; rules have kinds of their own."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """How the sentences of an argument are rewritten, by a model or by rules.

    - ``prompt``: the id of the prompt for the model.
    - ``chosen(draw)``: returns the numbers (from 1) of the sentences that a level changes; higher levels
      extend the list.
    - ``by_rule(draw, number)``: returns the new sentence and the kind of its change, or None if no rule
      applies.
    - ``reached(draw, n)``: returns the level that ``n`` changed sentences amount to, in its unit; by
      default ``n``.
    """

    prompt: str
    chosen: Callable[[Draw], Sequence[int]]
    by_rule: Callable[[Draw, int], tuple[str, str] | None]
    reached: Callable[[Draw, int], float] = lambda draw, changed: changed

    def by_rules(self, draw: Draw) -> dict[int, tuple[str, str]]:
        """Return the rule-based rewrites of the chosen sentences, by number, each with the kind of its
        change."""
        rewritten = {number: self.by_rule(draw, number) for number in self.chosen(draw)}
        return {number: made for number, made in rewritten.items() if made is not None}

    def change(self, draw: Draw) -> PerturbedItem:
        """Return the item with the chosen sentences rewritten, by the model if it has rewritten them,
        else by rules.

        Raises:
            InapplicableError: the model has not rewritten a chosen sentence, or other sentences would change,
                too.
        """
        argument = draw.item.argument or ""
        spans = split(argument)
        rewritten = draw.materials.rewrites.get(draw.original)
        if rewritten is not None:
            if lost := [number for number in self.chosen(draw) if number not in rewritten]:
                raise InapplicableError(f"item {draw.original}: the model rewrote no sentence {lost[0]}")
            made = {number: (rewritten[number], MODEL) for number in self.chosen(draw)}
        else:
            made = self.by_rules(draw)
            # before a model is called, so that its questions can be counted, every chosen sentence changes in some way
            for number in self.chosen(draw) if draw.materials.by_model else ():
                body, close = split_close(spans[number - 1].text)
                made.setdefault(number, (f"{body}{body[-1:]}{close}", MODEL))
        text, changes = rewrite_sentences(argument, made)
        if not same_elsewhere(argument, text, made):
            raise InapplicableError(
                f"item {draw.original}: other sentences than the chosen ones would change"
            )
        return PerturbedItem({"argument": text}, changes, self.reached(draw, len(made)))
