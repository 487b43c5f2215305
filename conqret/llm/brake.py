"""When a model is asked nothing more: too many of its answers were of no use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from conqret.data import Reason
from conqret.errors import shortened
from conqret.llm.client_options import SEEN
from conqret.llm.retry import ProviderError

MAX_EXAMPLE = 300
"""Characters of a failure that are told as an example."""

_NOT_ASKED = frozenset(
    {Reason.BUDGET, Reason.PROVIDER_DOWN, Reason.NOT_RECORDED, Reason.AWAITED, Reason.TOO_MANY_FAILURES}
)


@dataclass(slots=True)
class Brake:
    """Counts what became of the questions that were asked now, and says why no more should be (empty: go on).

    A question fails where it ends without a valid answer, whatever the reason, after all that was tried. What a
    recording answers counts for nothing, and neither does what a budget, a dead provider or the brake itself kept back.

    ``failed`` counts by reason, and ``examples`` has the first failure of each; ``tally`` is the first half of ``why``.
    """

    asked: int = 0
    failed: Counter[Reason] = field(default_factory=Counter)
    examples: dict[Reason, str] = field(default_factory=dict)
    why: str = ""
    tally: str = ""

    @property
    def reasons(self) -> dict[str, str]:
        """An example of each reason for which a question failed, the commonest reason first."""
        return {str(reason): self.examples[reason] for reason, count in self.failed.most_common() if count}

    def count(self, item: str, reason: Reason | None, detail: str) -> None:
        """Count a question about ``item`` that was sent; ``reason`` says why it failed, None that it did not."""
        if reason in _NOT_ASKED:
            return
        self.asked += 1
        if reason is not None:
            self.failed[reason] += 1
            self.examples.setdefault(reason, f"item {item}: {shortened(detail, MAX_EXAMPLE)}")

    def count_on(self, now: Brake, before: Brake) -> None:
        """Count what another counted between ``before`` and ``now``; where it stopped, so does this one."""
        self.asked += now.asked - before.asked
        self.failed.update(now.failed)
        self.failed.subtract(before.failed)
        self.examples = now.examples | self.examples
        self.why, self.tally = self.why or now.why, self.tally or now.tally

    def pardon(self, reason: Reason) -> None:
        """Take back the failure just counted: parts of the answer were of use."""
        self.failed[reason] -= 1

    def check(self, stop_after: float) -> None:
        """Stop once the share of failures is ``stop_after`` or more, after :data:`SEEN` questions, and for good.

        Raises:
            ProviderError: with the reason TOO_MANY_FAILURES, where nothing more should be asked.
        """
        failures = self.failed.total()
        if not self.why and self.asked >= SEEN and failures >= stop_after * self.asked:
            commonest, _ = self.failed.most_common(1)[0]
            self.tally = f"{failures} of {self.asked} questions had no answer of use"
            self.why = (
                f"stopped, because {self.tally} (the limit is a share of {stop_after:g}: --stop-after-failures); "
                f"mostly {commonest.replace('_', ' ')}, as for {self.examples[commonest]}"
            )
        if self.why:
            raise ProviderError(Reason.TOO_MANY_FAILURES, f"not asked, because {self.tally}")
