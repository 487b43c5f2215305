"""What is taken out of messages and exports: API keys in use, names of people, and personal data that has a pattern.

Stored responses stay as they came. Keys of recordings stay as they are, so that a replay with the original items finds
its answers, and so do numbers in an answer. Its log-probabilities go where they spell what is taken out.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import parse
from conqret.llm.recordings import Recording, Recordings
from conqret.llm.request import TokenLogprobs
from conqret.llm.retry import ProviderError

REDACTED = "[key]"
"""What stands in place of a key."""

SHORTEST_KEY = 16
"""Characters: a shorter value is no key of a provider, but a word that texts may hold (``dummy``, ``none``)."""

_KEY_VARIABLES = frozenset(
    "AWS_ACCESS_KEY_ID AWS_BEARER_TOKEN_BEDROCK AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_AD_TOKEN "
    "CONQRET_SERVER_KEY HF_TOKEN HUGGING_FACE_HUB_TOKEN REPLICATE_API_TOKEN WATSONX_APIKEY WATSONX_TOKEN".split()
)
"""The variables that hold a key of a provider or of a server under another name than ``…_API_KEY``."""

_ADDRESSED = re.compile(r"(?<=://)[^/\s\"']+@")


class KeyRedaction:
    """Replaces these keys where they stand whole, and counts in ``replaced`` how often; what is no key is left out."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = sorted({key for key in keys if _is_key(key)}, key=len, reverse=True)
        self.replaced = 0

    def text(self, text: str) -> str:
        """The text with each key replaced by :data:`REDACTED`."""
        for key in self.keys:
            if key in text:
                self.replaced += text.count(key)
                text = text.replace(key, REDACTED)
        return text

    def error(self, error: ProviderError) -> ProviderError:
        """The same error, its message without keys and without passwords in addresses."""
        error.args = (without_password(self.text(str(error))),)
        return error


def keys_in_use(api_key: str | None = None) -> Iterator[str]:
    """The key that is given, and the keys that the environment holds for providers."""
    if api_key:
        yield api_key.strip()
    for name, value in os.environ.items():
        if name.upper().endswith("_API_KEY") or name in _KEY_VARIABLES:
            yield value.strip()


def without_password(text: str) -> str:
    """The text, in which no address holds a user or a password."""
    return _ADDRESSED.sub(f"{REDACTED}@", text)


def _is_key(value: str) -> bool:
    """Whether a value is long enough, and no words as people write in place of a key (``sk-no-key-required``): keys
    are drawn from digits and letters of both cases."""
    words = (value.islower() or value.isupper()) and not any(map(str.isdigit, value))
    return len(value) >= SHORTEST_KEY and not words


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


@dataclass(frozen=True, slots=True)
class ExportedRecordings:
    """How many answers were written, how many damaged ones are left out, and what was taken out, by kind (API keys in
    use are ``key``)."""

    answers: int
    damaged: int
    removed: Mapping[str, int] = field(default_factory=dict)


@strict_options
def export_recordings(
    store: str | Path, to: str | Path, *, names: Sequence[str] = (), patterns: Sequence[str] = ()
) -> ExportedRecordings:
    """Write all recorded answers to JSONL, for others to replay. API keys in use are replaced by ``[key]``.

    Args:
        store: a run's folder, or a store of recordings, which stays as it is.
        to: the file to write.
        names: names of people to be taken out of answers and ids.
        patterns: what else is taken out: ``email``, ``url``, ``phone``, ``ip``, ``handle``, or regular expressions.

    Raises:
        DeclarationError: there is no such store, or a pattern is no regular expression.
    """
    personal = PersonalData(names, patterns) if names or patterns else None
    keys = KeyRedaction(keys_in_use())

    def shared(recording: Recording) -> Recording:
        sent = recording.completion
        spelled = "".join(token.token for token in sent.logprobs or ())
        completion = replace(
            sent,
            text=keys.text(sent.text),
            refusal=sent.refusal and keys.text(sent.refusal),
            reasoning=sent.reasoning and keys.text(sent.reasoning),
            model=keys.text(sent.model),
            logprobs=None if any(key in spelled for key in keys.keys) else sent.logprobs,
        )
        without_keys = recording.model_copy(update={"completion": completion})
        return without_keys if personal is None else personal.taken_out(without_keys)

    with Recordings.open_for_replay(store) as recordings:
        count = recordings.export_jsonl(to, shared)
        found = {**(personal.found if personal is not None else {}), "key": keys.replaced}
        return ExportedRecordings(count, recordings.damaged, {kind: n for kind, n in found.items() if n})
