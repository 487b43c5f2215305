"""What the name of an encoder stands for, and the files in which a model says how it is used."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.io.bounded import whole_bytes

EXTRA = "dense"
_ADAPTER = re.compile(r"\A[A-Za-z_][\w.]*+:[A-Za-z_]\w*+")


def is_adapter(name: str) -> bool:
    """Whether a name is that of a function, ``module:function``."""
    return bool(_ADAPTER.fullmatch(name)) and not Path(name).exists()


def model_file(name: str, file: str) -> Any:
    """A JSON file of a model, read; None where it has none.

    Raises:
        DeclarationError: it cannot be read, or there is no such model.
    """
    from conqret.local.model_identity import hub_file

    try:
        place = Path(name) / file if Path(name).is_dir() else hub_file(name, file)
        return json.loads(whole_bytes(place))
    except FileNotFoundError:
        return None
    except OSError as error:
        if "does not appear to have a file" in str(error):
            return None
        raise DeclarationError(
            f"there is no encoder {name!r}, neither as a folder nor on a hub (--encoder takes the folder "
            "of a model, or its name on a hub that can be reached)"
        ) from error
    except (ValueError, RecursionError) as error:
        raise DeclarationError(f"{file} of the encoder {name!r} is not valid JSON: {error}") from None


def is_sentence_transformer(name: str) -> bool:
    """Whether a model says itself of which modules it is made, pooling included."""
    return model_file(name, "modules.json") is not None
