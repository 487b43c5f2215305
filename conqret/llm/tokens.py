"""Count tokens offline, with the tables inside litellm."""

from __future__ import annotations

import functools
import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

Encode = Callable[[str], Sequence[int]]
"""Takes a text and returns the numbers of its tokens."""

O200K, CL100K = "o200k_base", "cl100k_base"

PIECE_CHARACTERS = 1000
"""Texts are tokenized in pieces: tiktoken's time grows with the square of a run without spaces."""

BYTES_PER_TOKEN = 3
"""Bytes per token where no table is installed; a cautious estimate: English has about 4.5, Chinese about 3.

"""

_CL100K_MODELS = re.compile(r"(^|/)(gpt-4(?!o|\.)|gpt-3\.5|text-embedding)")
_PIECES = re.compile(rf"[\s\S]{{{PIECE_CHARACTERS}}}\S{{0,{PIECE_CHARACTERS}}}|[\s\S]+")
_TABLE_FILES = {
    O200K: "fb374d419588a4632f3f557e76b4b70aebbca790",
    CL100K: "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""The file names under which tiktoken caches its tables: the sha1 of the addresses they come from."""


def encoder_for(model: str) -> Encode:
    """Return the token encoder for ``model``: cl100k for GPT-4 and 3.5, else o200k as an approximation."""
    return encoder(CL100K if _CL100K_MODELS.search(model) else O200K)


def pieces(text: str) -> Iterator[str]:
    """Yield ``text`` in pieces of 1,000 to 2,000 characters that end before white space where possible.

    The end of a piece depends only on the text before it, so a prefix has the same pieces except the last.
    """
    return (match.group() for match in _PIECES.finditer(text))


def count_tokens(text: str, encode: Encode | None = None) -> int:
    """Return the number of tokens of ``text`` (by o200k, unless ``encode`` is given).

    Text that looks like a control token counts as plain text.
    """
    encode = encode or encoder(O200K)
    return sum(len(encode(piece)) for piece in pieces(text))


@functools.cache
def encoder(encoding: str) -> Encode:
    """Return the function from text to token numbers for one of tiktoken's encodings, without any download.

    If the encoding's table is not installed, each token counts as :data:`BYTES_PER_TOKEN` bytes.
    """
    if not _point_to_tables(encoding):
        return lambda text: [0] * -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
    import tiktoken

    return tiktoken.get_encoding(encoding).encode_ordinary


def litellm_folder() -> Path | None:
    """Return the folder where litellm is installed, without importing it; None if it is not installed."""
    spec = importlib.util.find_spec("litellm")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _point_to_tables(encoding: str) -> bool:
    """Set the environment variable TIKTOKEN_CACHE_DIR to a folder that has the table of ``encoding`` (the user's, or
    litellm's), and return True; False if none has it, and nothing is set."""
    name = _TABLE_FILES[encoding]
    folder = litellm_folder()
    set_by_user = os.environ.get("TIKTOKEN_CACHE_DIR")
    places = [Path(set_by_user)] if set_by_user else []
    if folder is not None:
        places.append(folder / "litellm_core_utils" / "tokenizers")
    for place in places:
        if (place / name).is_file():
            os.environ["TIKTOKEN_CACHE_DIR"] = os.fspath(place)
            return True
    return False
