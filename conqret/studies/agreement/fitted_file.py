"""Files of what was fitted to one judge: read, and refused for any other."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

from pydantic import ValidationError

from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.bounded import whole_bytes


class FittedFile(Frozen):
    """What ``COMMAND`` made for the judgments of one instrument. ``schema_name`` is the layout and its number (the
    default is what is read), and ``WHAT`` what people call it."""

    WHAT: ClassVar[str]
    COMMAND: ClassVar[str]

    schema_name: str
    format: str
    model: str
    fingerprint: str

    def check(self, format_name: str, model: str, fingerprint: str) -> None:
        """Raises DeclarationError where it was made for another instrument."""
        if fingerprint != self.fingerprint:
            raise DeclarationError(
                f"the {self.WHAT} was fitted for {self.format} with {self.model} (fingerprint "
                f"{self.fingerprint}), but the judgments come from {format_name} with {model} "
                f"({fingerprint}): make one for this judge with {self.COMMAND}"
            )

    @classmethod
    def read(cls, file: Path) -> Self:
        """The contents of a file of ``COMMAND``.

        Raises:
            DeclarationError: there is no such file, or it holds something else.
        """
        try:
            fitted_file = cls.model_validate_json(whole_bytes(file))
        except OSError as error:
            raise DeclarationError(f"{file} cannot be read: {error.strerror}") from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise DeclarationError(
                f"{file} holds no {cls.WHAT} ({where + ': ' if where else ''}{first['msg']}); make "
                f"one with {cls.COMMAND}"
            ) from None
        wanted = cls.model_fields["schema_name"].default
        if fitted_file.schema_name != wanted:
            raise DeclarationError(
                f"{file} is a {fitted_file.schema_name}, not a {wanted}: make it again with {cls.COMMAND}"
            )
        return fitted_file
