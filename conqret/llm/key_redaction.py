"""The removal of API keys, and of passwords in addresses, from errors and exports."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from conqret.llm.failed_requests import ProviderError

REDACTED = "[key]"
"""The text that replaces a key."""

SHORTEST_KEY = 16
"""The fewest characters of a key: a shorter value is a word that texts may hold (``dummy``, ``none``)."""

_KEY_VARIABLES = frozenset(
    "AWS_ACCESS_KEY_ID AWS_BEARER_TOKEN_BEDROCK AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN AZURE_AD_TOKEN "
    "CONQRET_SERVER_KEY HF_TOKEN HUGGING_FACE_HUB_TOKEN REPLICATE_API_TOKEN WATSONX_APIKEY WATSONX_TOKEN".split()
)
"""The variables that hold a key of a provider or of a server under another name than ``…_API_KEY``."""

_ADDRESSED = re.compile(r"(?<=://)[^/\s\"']+@")


class KeyRedaction:
    """A redaction of the given API keys in texts; ``replaced`` counts the replacements.

    Values that are no plausible keys are ignored.
    """

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = sorted({key for key in keys if _is_key(key)}, key=len, reverse=True)
        self.replaced = 0

    def text(self, text: str) -> str:
        """Return the text with each key replaced by :data:`REDACTED`."""
        for key in self.keys:
            if key in text:
                self.replaced += text.count(key)
                text = text.replace(key, REDACTED)
        return text

    def error(self, error: ProviderError) -> ProviderError:
        """Return the error with keys, and passwords in addresses, removed from its message."""
        error.args = (without_password(self.text(str(error))),)
        return error


def keys_in_use(api_key: str | None = None) -> Iterator[str]:
    """Yield ``api_key`` if given, and the values of the environment's variables for providers' keys
    (``…_API_KEY`` and others).
    """
    if api_key:
        yield api_key.strip()
    for name, value in os.environ.items():
        if name.upper().endswith("_API_KEY") or name in _KEY_VARIABLES:
            yield value.strip()


def without_password(text: str) -> str:
    """Return the text with the user name and password of each address replaced."""
    return _ADDRESSED.sub(f"{REDACTED}@", text)


def _is_key(value: str) -> bool:
    """Whether a value is long enough, and no words as users write in place of a key (``sk-no-key-required``): keys
    are drawn from digits and letters of both cases."""
    words = (value.islower() or value.isupper()) and not any(map(str.isdigit, value))
    return len(value) >= SHORTEST_KEY and not words
