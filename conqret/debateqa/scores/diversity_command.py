"""``conqret debateqa score perspective-diversity``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import progress
from conqret.debateqa.scores.score_options import (
    Device,
    Dtype,
    MetricOptions,
    References,
    leave,
    show,
    tell_partners,
)

if TYPE_CHECKING:
    from conqret.debateqa.debateqa_files import Partners

CHAT = {"auto": None, "never": False, "always": True}
"""Whether the backbone's chat template is used; None: where it has one."""


@dataclass(frozen=True, kw_only=True)
class BackboneReading(OptionGroup):
    """How the backbone reads.

    Args:
        wrapping: Which of five wordings of the prompt around the answer is used, 1 to 5 (DebateQA, Table 12).
        chat_template: Whether the text is put into the chat template of the model of `--backbone`.
        token_budget: How many tokens the model processes at the same time; conqret halves this number when memory runs
            out.
    """

    wrapping: int = 1
    chat_template: Literal["auto", "never", "always"] = "auto"
    device: Device = None
    dtype: Dtype = None
    token_budget: int | None = None


@grouped
def perspective_diversity(
    *,
    measured: MetricOptions,
    references: References,
    backbone: str,
    definition: Literal["paper", "released"] = "paper",
    read: BackboneReading,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """Score how many perspectives an answer covers: the perplexity of the question's partial answers for a language
    model that has read the answer, summed over them; lower is better.

    If the command is stopped, the same command continues it.

    Args:
        backbone: The causal language model with which perplexity is measured: a folder, or a name on the Hugging Face
            hub.
        definition: `paper`: DebateQA's equations 1 and 2. `released`: the arithmetic of its released script.

    Example: conqret debateqa score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2
    """
    from dataclasses import asdict

    from conqret.debateqa.answer_scores import score_diversity

    reading = asdict(read)
    chat = CHAT[reading.pop("chat_template")]
    with progress("scoring", quiet=shown.quiet) as bar:

        def started(met: Partners, kept: int) -> None:
            tell_partners(met, shown)
            if kept:
                shown.note(f"{kept} rows are kept from an earlier run")
            bar.reach(0, total=len(met.together))

        found = score_diversity(
            references=references, backbone=backbone, definition=definition, overwrite=overwrite, chat=chat,
            **asdict(measured.of_system), **reading, on_start=started, on_answer=bar.advance,
        )  # fmt: skip
    show(found, shown)
    leave(found)
