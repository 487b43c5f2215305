"""API keys replaced in what is shown or shared: error messages and exports. Stored responses stay as they came."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conqret.llm.client_options import ClientOptions
from conqret.llm.retry import ProviderError
from conqret.llm.store_file import Recording

REDACTED = "[key]"
"""What stands in place of a key."""

SHORTEST = 16
"""Characters: a shorter value is no key of a provider, but a word that texts may hold (``dummy``, ``none``)."""

_TOKENS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_AD_TOKEN",
    "CONQRET_SERVER_KEY",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "REPLICATE_API_TOKEN",
    "WATSONX_APIKEY",
    "WATSONX_TOKEN",
)
"""The variables that hold a key of a provider or of a server under another name than ``…_API_KEY``."""

_ADDRESSED = re.compile(r"(?<=://)[^/\s\"']+@")


class KeyRedaction:
    """Replaces these keys where they stand whole, and counts in ``replaced`` how often; what is no key is left out."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = sorted({key for key in keys if _is_key(key)}, key=len, reverse=True)
        self.replaced = 0

    def text(self, text: str) -> str:
        """The text with each key replaced by :data:`REDACTED`."""
        for key in self._keys:
            if key in text:
                self.replaced += text.count(key)
                text = text.replace(key, REDACTED)
        return text

    def error(self, error: ProviderError) -> ProviderError:
        """The same error, its message without keys and without passwords in addresses."""
        error.args = (without_password(self.text(str(error))),)
        return error

    def recording(self, recording: Recording) -> Recording:
        """The recording without keys; its log-probabilities go where their tokens spell one."""
        sent = recording.completion
        spelled = "".join(token.token for token in sent.logprobs or ())
        completion = replace(
            sent,
            text=self.text(sent.text),
            refusal=sent.refusal and self.text(sent.refusal),
            reasoning=sent.reasoning and self.text(sent.reasoning),
            model=self.text(sent.model),
            logprobs=None if any(key in spelled for key in self._keys) else sent.logprobs,
        )
        return recording.model_copy(update={"completion": completion})


def keys_in_use(options: ClientOptions | None = None) -> Iterator[str]:
    """The key of the options, and the keys that the environment holds for providers."""
    if options is not None and options.api_key:
        yield options.api_key.strip()
    for name, value in os.environ.items():
        if name.upper().endswith("_API_KEY") or name in _TOKENS:
            yield value.strip()


def without_password(text: str) -> str:
    """The text, in which no address holds a user or a password."""
    return _ADDRESSED.sub(f"{REDACTED}@", text)


def _is_key(value: str) -> bool:
    """Whether a value is long enough, and no words as people write in place of a key (``sk-no-key-required``): keys
    are drawn from digits and letters of both cases."""
    words = (value.islower() or value.isupper()) and not any(map(str.isdigit, value))
    return len(value) >= SHORTEST and not words
