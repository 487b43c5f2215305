"""Sentence encoders of the library sentence-transformers: loading one, and what names its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, first_line
from conqret.io.bounded import whole_bytes
from conqret.local.checkpoint_weights import from_checkpoint, unread_pooler
from conqret.local.model_identity import folder_identity
from conqret.local.models import UNREADABLE, bars_on_terminals, placed, revision

OLDEST = 6
"""The first version of sentence-transformers that runs no code of a model's folder."""


def sentence_transformers(extra: str) -> Any:
    """The library, in a version that runs no code of a model's folder.

    Raises:
        DeclarationError: an older one is installed.
        MissingDependencyError: none is; ``extra`` brings it.
    """
    library = require("sentence_transformers", extra=extra)
    if int(str(library.__version__).partition(".")[0]) < OLDEST:
        raise DeclarationError(
            f"sentence-transformers {library.__version__} runs code that comes with a model without your consent: "
            f"update it (pip install 'conqret[{extra}]')"
        )
    return library


def load_encoder(name: str, device: str | None = None, dtype: str | None = None, *, extra: str) -> Any:
    """The ``SentenceTransformer`` of a folder or of a hub's name, in evaluation mode.

    Code that comes with a model is never run.

    Raises:
        DeclarationError: it cannot be loaded, or a weight of it is missing.
        MissingDependencyError: sentence-transformers is not installed; ``extra`` brings it.
    """
    library = sentence_transformers(extra)
    import torch

    place, kind = placed(device, dtype)
    try:
        with bars_on_terminals(), from_checkpoint(unread_pooler):
            encoder = library.SentenceTransformer(
                name, device=place, trust_remote_code=False, model_kwargs={"dtype": getattr(torch, kind)}
            )
    except UNREADABLE as error:
        raise DeclarationError(
            f"the encoder {name!r} cannot be loaded on {place}: {_told(error)} (give --encoder "
            "the folder of a model, or its name on a hub that can be reached)"
        ) from error
    return encoder.eval()


def _told(error: Exception) -> str:
    """What torch says of a module's weights, whose names stand below its first line; of others the first line."""
    return " ".join(str(error).split()) if "state_dict" in first_line(error) else first_line(error)


def encoder_weights(name: str) -> list[str]:
    """What names the weights of a model: :func:`revision`, and for a folder the identities of the folders that its
    ``modules.json`` names: a dense layer has its weights in one of its own."""
    folder = Path(name)
    listed = folder / "modules.json"
    if not listed.is_file():
        return [revision(name)]
    places = [folder / module["path"] for module in json.loads(whole_bytes(listed)) if module["path"]]
    return [revision(name), *(folder_identity(place) for place in places if place.is_dir())]
