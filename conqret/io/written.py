"""Files that a command wrote, read back."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError
from conqret.io.bounded import whole_bytes

M = TypeVar("M", bound=BaseModel)


def read_written(file: Path, model: type[M], command: str, what: str = "") -> M:
    """What ``command`` wrote into ``file``; ``what`` it then is, in words.

    Raises:
        DeclarationError: it is not there, or holds something else.
    """
    try:
        return model.model_validate_json(whole_bytes(file))
    except FileNotFoundError:
        raise DeclarationError(f"{file} is not there: {command} with -o {file.parent} makes it") from None
    except ValidationError as error:
        raise DeclarationError(f"{file} is {what or f'not as {command} writes it'}: {error}") from error
