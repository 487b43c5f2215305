"""API keys in use are taken out of messages and exports; stored responses stay as they came."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

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
