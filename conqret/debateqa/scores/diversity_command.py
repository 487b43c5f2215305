"""``conqret debateqa score perspective-diversity``."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Literal

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import progress
from conqret.debateqa.scores.score_options import Device, Dtype, MetricOptions, References, leave, show
from conqret.judging.command_options import Engines

CHAT = {"auto": None, "never": False, "always": True}
"""Whether the backbone's chat template is used; None: where it has one."""


@dataclass(frozen=True, kw_only=True)
class BackboneReading(OptionGroup):
    """How the backbone reads.

    Args:
        wrapping: The prompt around the answer, 1 to 5 (Table 12).
        chat_template: Use the backbone's chat template.
        token_budget: Tokens in one step; halved automatically when memory runs out.
        reader: What runs the backbone: `transformers`, or `vllm`, which needs a GPU and an environment of its own.
    """

    wrapping: int = 1
    chat_template: Literal["auto", "never", "always"] = "auto"
    device: Device = None
    dtype: Dtype = None
    token_budget: int | None = None
    reader: Literal["transformers", "vllm"] = "transformers"


@grouped
def perspective_diversity(
    *,
    measured: MetricOptions,
    references: References,
    backbone: str,
    definition: Literal["paper", "released"] = "paper",
    read: BackboneReading,
    engines: Engines,
    overwrite: options.Overwrite = False,
    shown: options.OutputOptions,
) -> None:
    """The summed perplexity of a question's partial answers given the answer; lower is better.

    Rows are kept as they are scored: the same command goes on where it stopped.

    Args:
        backbone: A causal language model: a folder, or a hub's name.
        definition: `paper`: DebateQA's equations 1 and 2. `released`: the arithmetic of its released script.

    Example: conqret debateqa score perspective-diversity answers.jsonl --references debateqa.jsonl --backbone gpt2
    """
    from conqret.debateqa.debateqa_files import read_questions
    from conqret.debateqa.kept import ScoreFolder, ScoreRecord, TargetStore
    from conqret.debateqa.perspective_diversity import DiversityRun, model_name
    from conqret.debateqa.score_table import DIVERSITY, write_table
    from conqret.errors import DeclarationError
    from conqret.judging.engines.perplexity_workers import scorer_of
    from conqret.local.scorer import ConditionalPerplexity

    questions = read_questions(references, measured.mapping)
    if not any(one.partial_answers for one in questions.values()):
        raise DeclarationError(
            f"no question of {references} has a partial answer, and perspective diversity needs them: give DebateQA's "
            "layout with --references, or map its columns with --columns"
        )
    together = measured.met(questions, shown)
    settings = ["released"] if definition == "released" else [f"prompt-{read.wrapping}"]
    settings += [] if read.chat_template == "auto" else [f"template-{read.chat_template}"]
    folder = ScoreFolder(measured.folder("perspective-diversity", model_name(backbone), *settings))
    with contextlib.ExitStack() as held:
        scorer = held.enter_context(
            scorer_of(
                backbone,
                **engines.given(),
                wrapping=read.wrapping,
                chat=CHAT[read.chat_template],
                definition=definition,
                device=read.device,
                dtype=read.dtype,
                token_budget=read.token_budget,
                reader=read.reader,
            )
        )
        record = ScoreRecord.of([DIVERSITY], scorer.fingerprint, measured.name, measured.answers)
        held.enter_context(folder.claimed(record, overwrite=overwrite))
        store = held.enter_context(TargetStore(folder.rows_file, scorer.fingerprint))
        if len(store):
            shown.note(f"{len(store)} rows are kept from before")
        run = DiversityRun(measured.name, measured.answers, questions, scorer, store, measured.mapping)
        with progress("scoring", len(together), quiet=shown.quiet) as bar:
            table = write_table(run.rows(bar.advance), folder.scores_file)
    show(table, folder.scores_file, shown.json_output)
    if isinstance(scorer, ConditionalPerplexity) and scorer.budget.halvings:
        shown.note(f"memory ran out: the token budget sank to {scorer.budget.tokens}")
    leave(table)
