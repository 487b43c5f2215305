"""Recordings to share with others: exports without keys and personal data, and imports into one store.

Stored responses stay as they came. Keys of recordings stay as they are, so that a replay with the original items finds
its answers, and so do numbers in an answer. Its log-probabilities go where they spell what is taken out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError, strict_options
from conqret.io.jsonl import parse
from conqret.llm.key_redaction import KeyRedaction, keys_in_use
from conqret.llm.recordings import STORE_NAME, Recording, Recordings, store_file
from conqret.llm.request import TokenLogprobs
from conqret.runs.management import run_folders

PATTERNS = {
    "email": r"(?:(?<![\w.+-])[\w.+-]++|[\w.+-]{1,64}+)@[\w-]++(?:\.[\w-]++)++",
    "url": r"https?://[^\s\"'<>]*[\w/=#&~]",
    "phone": r"(?<![\w.])(?:\+\d(?:[ ()/-]*\d){6,}|\d(?:[ ()/-]*\d){8,})(?!\w)",  # two years have eight digits
    "ip": r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])",
    "handle": r"(?<![\w@.])@\w{2,}",
}
"""The named patterns; any other pattern is a regular expression."""


class PersonalData:
    """A redactor that removes ``names`` (whole words, in any case) and matches of ``patterns`` from
    recordings.

    A pattern is a name in :data:`PATTERNS` or a regular expression. Removed text is replaced by
    ``[name]``, ``[email]`` and so on, or ``[removed]``. ``found`` counts the removals.

    Raises:
        DeclarationError: neither names nor patterns are given, or a pattern is not a regular
            expression.
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

    def redacted(self, recording: Recording) -> Recording:
        """Return the recording with personal data removed from its response, reasoning, refusal and item
        id, and without log-probabilities that would spell them.
        """
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
        """Return a response without personal data; in JSON only the strings are searched, as they read
        without escapes.
        """
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
    """Counts of an export: responses written, corrupt ones left out, and removals by kind (``key`` for API
    keys).
    """

    answers: int
    corrupt: int
    removed: Mapping[str, int] = field(default_factory=dict)


@strict_options
def export_recordings(
    store: str | Path, to: str | Path, *, names: Sequence[str] = (), patterns: Sequence[str] = ()
) -> ExportedRecordings:
    """Write all recorded responses to a JSONL file that others can replay; API keys in use become ``[key]``.

    Args:
        store: a run's folder, or a store of recordings; it is not changed.
        to: the file to write.
        names: personal names to remove from responses and ids.
        patterns: other data to remove: ``email``, ``url``, ``phone``, ``ip``, ``handle``, or regular
            expressions.

    Returns:
        The counts of responses and removals.

    Raises:
        DeclarationError: there is no such store, or a pattern is not a regular expression.
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
        return without_keys if personal is None else personal.redacted(without_keys)

    with Recordings.open_for_replay(store) as recordings:
        count = recordings.export_jsonl(to, shared)
        found = {**(personal.found if personal is not None else {}), "key": keys.replaced}
        return ExportedRecordings(count, recordings.corrupt, {kind: n for kind, n in found.items() if n})


@strict_options
def import_recordings(sources: str | Path | Sequence[str | Path], store: str | Path) -> int:
    """Add recorded responses to one store and return how many were new.

    The sources and the responses already in the store are not changed.

    Args:
        sources: exports, runs, folders of runs, or stores; one or several.
        store: a run's folder or a store, which is created if it does not exist.

    Raises:
        DeclarationError: a source has no recordings, or lines of an export are faulty.
    """
    places = [Path(source) for source in ([sources] if isinstance(sources, str | Path) else sources)]
    target = store_file(store)
    found = [
        folder
        for source in places
        for folder in (run_folders(source) if source.is_dir() else [source])
        if folder.is_file() or (folder / STORE_NAME).is_file()
    ]
    if not found:
        raise DeclarationError(f"{', '.join(map(str, places))}: no recordings were found here")
    with contextlib.ExitStack() as opened:  # all of them, before the store is made
        recordings = [opened.enter_context(Recordings.open_for_replay(one)) for one in found]
        target.parent.mkdir(parents=True, exist_ok=True)
        kept = opened.enter_context(Recordings(target))
        return sum(kept.add(source.recorded()) for source in recordings)
