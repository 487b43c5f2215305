"""Personal data taken out of exports: names, and what has a pattern. Stored responses stay as they came.

Keys of recordings stay as they are, so that a replay with the original items finds its answers, and so do numbers in an
answer. Its log-probabilities go where they spell what is taken out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from conqret.errors import DeclarationError
from conqret.io.jsonl import parse
from conqret.llm.request import TokenLogprobs
from conqret.llm.store_file import Recording

PATTERNS = {
    "email": r"(?:(?<![\w.+-])[\w.+-]++|[\w.+-]{1,64}+)@[\w-]++(?:\.[\w-]++)++",
    "url": r"https?://[^\s\"'<>]*[\w/=#&~]",
    "phone": r"(?<![\w.])(?:\+\d(?:[ ()/-]*\d){6,}|\d(?:[ ()/-]*\d){8,})(?!\w)",  # two years have eight digits
    "ip": r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])",
    "handle": r"(?<![\w@.])@\w{2,}",
}
"""What can be asked for by name; anything else is a regular expression."""


class PersonalData:
    """Takes out ``names`` (whole words, in any case) and what fits ``patterns``; ``found`` counts what was taken out.

    A pattern is one of :data:`PATTERNS` by its name, or a regular expression. ``[name]``, ``[email]`` (and so on) or
    ``[removed]`` stands in the place.

    Raises:
        DeclarationError: nothing is given to be taken out, or a pattern is no regular expression.
    """

    def __init__(self, names: Iterable[str] = (), patterns: Iterable[str] = ()) -> None:
        self.found: Counter[str] = Counter()
        words = [r"\s+".join(map(re.escape, name.split())) for name in names if name.strip()]
        self._rules = [
            (pattern if pattern in PATTERNS else "removed", _compiled(pattern)) for pattern in patterns
        ]
        if words:  # the longer one first, where one name holds another
            either = "|".join(sorted(words, key=len, reverse=True))
            self._rules.append(("name", re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)))
        if not self._rules:
            raise DeclarationError(
                "there is nothing to redact: name the texts to replace, a pattern, or both"
            )

    def taken_out(self, recording: Recording) -> Recording:
        """The recording without personal data in its answer and in the id of its item."""
        answer = recording.completion
        return recording.model_copy(
            update={
                "item": self._text(recording.item),
                "completion": replace(
                    answer,
                    text=self._answer(answer.text),
                    refusal=None if answer.refusal is None else self._text(answer.refusal),
                    reasoning=None if answer.reasoning is None else self._answer(answer.reasoning),
                    logprobs=None if self._holds(answer.logprobs or ()) else answer.logprobs,
                ),
            }
        )

    def _answer(self, text: str) -> str:
        """In JSON only the strings are looked at, in the way that they read."""
        try:
            value = parse(text)
        except ValueError:
            return self._text(text)
        cleaned = self._strings(value)
        return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)

    def _strings(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {name: self._strings(element) for name, element in value.items()}
        return [self._strings(element) for element in value] if isinstance(value, list) else value

    def _text(self, text: str) -> str:
        for label, rule in self._rules:
            text, count = rule.subn(f"[{label}]", text)
            self.found[label] += count
        return text

    def _holds(self, tokens: tuple[TokenLogprobs, ...]) -> bool:
        texts = [
            "".join(token.token for token in tokens),
            *(text for token in tokens for text in token.alternatives),
        ]
        return any(rule.search(text) for _, rule in self._rules for text in texts)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(PATTERNS.get(pattern, pattern))
    except re.error as error:
        raise DeclarationError(
            f"the pattern {pattern!r} is not a regular expression ({error}), nor one of {', '.join(PATTERNS)}"
        ) from None
