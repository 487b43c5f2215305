"""How a judge is improved: the options, each declared once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict, get_args

from conqret.errors import DeclarationError, check_known
from conqret.options import Within, check_ranges

Variant = Literal["as_it_is", "examples", "wording", "both"]
"""What a judge can be: as it is, with labelled examples, with another wording, or with both."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)
AS_IT_IS, EXAMPLES, WORDING, BOTH = VARIANTS
PROMPTS, CALIBRATION = "prompts", "calibration.json"
"""What an improvement leaves in its folder: the prompts for ``--prompts``, the map for ``--calibration``."""
WORDED = frozenset({WORDING, BOTH})
EXEMPLIFIED = frozenset({EXAMPLES, BOTH})
_SCALE = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")


@dataclass(frozen=True, slots=True)
class ImproveOptions:
    """How a judge is improved.

    ``variants`` are those that are tried beside the judge as it is (empty: all): examples in the prompt, another
    wording with anchors, or both.

    Improving:
        folds: The number of cross-validation folds of topics: each fold is measured with what was chosen on the other
            folds.
        examples: Number of labeled items shown as examples.
        cases: Number of labeled items shown to the model that proposes a wording.
        excerpt: The most characters of an item's texts in the prompt, where items are shown as examples or to the model
            that proposes a wording; longer texts are cut.
        rating_scale: The rating scale of a reworded criterion, such as `0-100`; `same` keeps the scale of the
            criterion. Judge formats and yes/no criteria keep their scale in any case.
        deal_seed: The random seed that splits topics into folds.

    Raises:
        DeclarationError: a value is out of its range, or no scale.
    """

    variants: tuple[str, ...] = ()
    folds: Annotated[int, Within(3, 5)] = 3
    examples: Annotated[int, Within(1, 20)] = 4
    cases: Annotated[int, Within(4, 40)] = 12
    excerpt: Annotated[int, Within(100, 20000)] = 2000
    rating_scale: str = "0-100"
    deal_seed: Annotated[int, Within(0)] = 13

    def __post_init__(self) -> None:
        check_ranges(self)
        check_known("variant", VARIANTS[1:], *self.variants)
        self.scale  # noqa: B018 - it is checked here

    @property
    def tried(self) -> tuple[str, ...]:
        """The variants that are tried beside the judge as it is, the simplest first."""
        return tuple(name for name in VARIANTS[1:] if not self.variants or name in self.variants)

    @property
    def scale(self) -> tuple[int, int] | None:
        """The scale of reworded criteria; None: their own."""
        if self.rating_scale == "same":
            return None
        ends = _SCALE.fullmatch(self.rating_scale)
        low, high = map(int, ends.groups()) if ends else (0, 0)
        if not low < high <= 100:
            raise DeclarationError(
                f"--rating-scale takes same, or two whole numbers up to 100 such as 0-100, not {self.rating_scale!r}"
            )
        return low, high


class ImproveOptionSettings(TypedDict, total=False):
    """The same by keyword."""

    variants: Sequence[str]
    folds: int
    examples: int
    cases: int
    excerpt: int
    rating_scale: str
    deal_seed: int
