"""Which request meets which fault: drawn by seed from the request itself, so that a run repeats."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

FAULTS = (
    "rate_limit",  # 429 with a Retry-After
    "server_error",  # 500
    "drop",  # the connection breaks off in the middle of the body
    "bad_body",  # status 200, and a body that is no JSON
    "bomb",  # status 200, and a little gzip that holds a hundred times what may be
    "endless",  # status 200, and a body that goes on and on
    "odd_packing",  # status 200, packed as nobody asked for
    "bad_json",  # a proper body whose content is no JSON
    "bad_schema",  # content that is JSON of another shape
    "truncated",  # half of the content, finish_reason length
    "refusal",  # message.refusal
    "declines",  # a refusal in prose
    "filtered",  # finish_reason content_filter
    "policy",  # 400 for the content policy
    "drip",  # a byte of the body now and then
    "hang",  # no answer at all
    "auth",  # 401
    "bad_request",  # 400
    "echo",  # 400, with the Authorization header in the message: plain, URL-encoded, base64, in half
    "overflow",  # 400, the prompt is too long
    "no_schema",  # 400 wherever a response_format is asked for
    "no_choices",  # status 200 and no choices
)


@dataclass(frozen=True)
class FaultPlan:
    """``rates`` gives a share of the requests (0 to 1) to each fault; ``script`` those of the
    first requests of all (None for a good answer), before the rates hold; ``always`` one for every request.
    """

    rates: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    always: str | None = None
    script: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        named = {*self.rates, self.always, *self.script} - {None}
        if unknown := named - set(FAULTS):
            raise ValueError(f"no such faults: {sorted(map(str, unknown))}")

    def draw(self, body_hash: str, nth: int, before: int) -> str | None:
        """The fault of the ``nth`` request (from 0) with this body, ``before`` others having come in."""
        if self.always:
            return self.always
        if before < len(self.script):
            return self.script[before]
        digest = hashlib.sha256(f"{self.seed}:{body_hash}:{nth}".encode()).digest()
        left = random.Random(digest).random()
        for fault, rate in self.rates.items():
            left -= rate
            if left < 0:
                return fault
        return None
