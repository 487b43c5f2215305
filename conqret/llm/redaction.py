"""Keys and passwords taken out of whatever a provider sends, before anything is recorded or shown."""

from __future__ import annotations

import base64
import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, quote_plus, unquote, urlsplit

from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Completion
from conqret.llm.retry import ProviderError

REDACTED = "[key]"
"""What stands in place of a secret."""

PART = 8
"""Characters: a part of a secret so long is taken out; a shorter one is of no use to anybody."""

SHORTEST = 6
"""Characters: a shorter "secret" is no secret ("none", "EMPTY") but a word that answers may hold."""

_HALF = re.compile(f".{{{PART // 2}}}", re.DOTALL)
"""Found one behind the other: of any part in a text there is a half among them."""

_NAMES = re.compile(r"(^|_)(API_?KEY|ACCESS_KEY_ID|KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
"""The names of environment variables that hold secrets; litellm reads those of its providers."""

_FILES = re.compile(r"(^|_)(KEY|TOKEN|SECRET|PASSWORD)_FILE$|(^|_)CREDENTIALS(_FILE)?$", re.IGNORECASE)
"""The names of environment variables that say where a file with secrets is, or hold one as JSON."""

_USUAL_FILES = ("~/.aws/credentials", "~/.netrc", "~/.config/gcloud/application_default_credentials.json")

_LARGEST = 1 << 16
"""Bytes: a larger file is none of keys."""

_ASSIGNED = re.compile(
    r"(?:authorization|cookie|key|key_id|secret|token|password)[\"']?(?:\s*[:=]\s*|(?<=password)\s+)[\"']?"
    r"(?:bearer |basic )?([^\s\"',;]+)",
    re.IGNORECASE,
)
"""A secret behind its name: in JSON, in a file of settings, in headers, in .netrc."""

_ENCODED = re.compile(r"(?<![\w+/=])[\w+/=]{40,}(?![\w+/=])")
"""The lines of a private key."""

_ADDRESSED = re.compile(r"(?<=://)[^/\s\"']+@")

_HALVES = re.compile("[\ud800-\udfff]")


class Redaction:
    """Takes out these secrets: as they are, URL-encoded, in base64, and every part of :data:`PART` characters."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
        self._short = sorted(form for form in forms if SHORTEST <= len(form) < PART)
        self._parts = {form[at : at + PART] for form in forms for at in range(len(form) - PART + 1)}
        self._halves = {part[at : at + PART // 2] for part in self._parts for at in range(PART // 2)}

    def text(self, text: str) -> str:
        """The text with each run of secret characters replaced by :data:`REDACTED`.

        Half a surrogate pair becomes U+FFFD: it could be neither sent back nor shown.
        """
        if not text.isascii():
            text = _HALVES.sub("\ufffd", text)
        for form in self._short:
            text = text.replace(form, REDACTED)
        if not self._parts or self._halves.isdisjoint(_HALF.findall(text)):
            return text
        pieces, rest, reached = [], 0, -1
        for at in range(len(text) - PART + 1):
            if text[at : at + PART] in self._parts:
                if at > reached:
                    pieces += [text[rest:at], REDACTED]
                rest = reached = at + PART
        return "".join([*pieces, text[rest:]])

    def completion(self, sent: Completion) -> Completion:
        """The completion without secrets; its log-probabilities go as a whole where their tokens hold any."""
        tokens = sent.logprobs or ()
        texts = [
            "".join(token.token for token in tokens),
            *(text for token in tokens for text in token.alternatives),
        ]
        return replace(
            sent,
            text=self.text(sent.text),
            finish_reason=self.text(sent.finish_reason),
            refusal=None if sent.refusal is None else self.text(sent.refusal),
            model=self.text(sent.model),
            system_fingerprint=None
            if sent.system_fingerprint is None
            else self.text(sent.system_fingerprint),
            logprobs=sent.logprobs if all(self.text(text) == text for text in texts) else None,
        )

    def error(self, error: ProviderError) -> ProviderError:
        """The same error, its message without secrets."""
        return ProviderError(error.code, self.text(str(error)), retry_after=error.retry_after)


def secrets_in_use(options: ClientOptions | None = None) -> Iterator[str]:
    """The key of the options, keys and tokens of the environment, passwords in addresses, and what stands in files of
    keys and in headers of which the environment speaks."""
    if options is not None:
        yield options.api_key or ""
        yield from _credentials(options.api_base or "")
    for file in _USUAL_FILES:
        yield from _secrets_in(Path(file))
    for name, value in os.environ.items():
        if _NAMES.search(name):
            yield value
        elif "://" in value:
            yield from _credentials(value)
        if name.upper().endswith("HEADERS"):
            yield from _ASSIGNED.findall(value)
        elif _FILES.search(name):
            yield from _secrets_among(value) if value.startswith("{") else _secrets_in(Path(value))


def without_password(text: str) -> str:
    """The text, in which no address holds a user or a password."""
    return _ADDRESSED.sub(f"{REDACTED}@", text)


def _secrets_in(file: Path) -> Iterator[str]:
    """What stands in a file of keys; nothing where there is none."""
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        file = file.expanduser()
        if file.is_file() and file.stat().st_size <= _LARGEST:
            yield from _secrets_among(file.read_text("utf-8", "replace"))


def _secrets_among(text: str) -> Iterator[str]:
    """A single word, values behind names of secrets, the lines of a private key."""
    if len(text.split()) == 1:
        yield text.strip()
    yield from (secret for secret in _ASSIGNED.findall(text) if not secret.startswith("-----"))
    if "PRIVATE KEY" in text:
        yield from _ENCODED.findall(text.replace("\\n", "\n"))


def _credentials(address: str) -> Iterator[str]:
    """The password in ``user:password@host``, and both together, which is what is sent in base64."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return
    if parts.password:
        yield unquote(parts.password)
        yield f"{unquote(parts.username or '')}:{unquote(parts.password)}"


def _forms(secret: str) -> Iterator[str]:
    yield secret
    for quoted in (quote(secret), quote(secret, safe=""), quote_plus(secret)):
        yield quoted
        yield re.sub("%..", lambda code: code.group().lower(), quoted)
    data = secret.encode("utf-8", "surrogateescape")
    for before in range(3):  # bytes that stand before the secret shift its letters in base64
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            letters = encode(bytes(before) + data).decode().rstrip("=")
            yield letters[before + (before > 0) : -1]  # the first and the last depend on their neighbours
