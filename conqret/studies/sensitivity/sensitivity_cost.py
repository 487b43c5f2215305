"""What a sensitivity run will ask of models: calls, tokens and price, before the first call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from conqret.data import Item
from conqret.judging.cost import (
    SAMPLE,
    STAND_IN,
    ExpectedCost,
    Sizes,
    capped,
    counter,
    covers,
    expected,
    expected_judging,
)
from conqret.judging.prompt_fitting import prompt_tokens
from conqret.llm.client_options import ClientOptions
from conqret.perturb import Perturbation
from conqret.perturb.rewriting import rewriting_of
from conqret.prompts import Library
from conqret.studies.sensitivity.sensitivity_plan import SensitivityPlan


def estimate(
    plan: SensitivityPlan,
    rewriter: ClientOptions | None = None,
    *,
    prompts: Path | Library | None = None,
    sample: int = SAMPLE,
) -> list[ExpectedCost]:
    """The judging by each format and model, then what ``rewriter`` is asked for the perturbations it can do.

    A version of an item that several curves share, level 0 above all, is counted once. Where a question is asked
    about more than ``sample`` versions, so many of them, evenly spread over the levels, stand for all.

    Args:
        plan: with the sentences rewritten by rule.
        rewriter: the model that will rewrite sentences; None or offline asks nothing.
        prompts: a folder with prompts of one's own.
        sample: prompts of a question to count at most.
    """
    sizes = Sizes()
    estimates = [expected_judging(setup, plan.every_item(), sizes, sample=sample) for setup in plan.setups]
    if rewriter is not None and not rewriter.backend.baseline:
        library = prompts if isinstance(prompts, Library) else Library(prompts)
        estimates += _rewriting(plan, rewriter, library, sizes)
    return estimates


def rewriting(
    items: Iterable[tuple[Item, int]],
    perturbation: Perturbation,
    options: ClientOptions,
    library: Library,
    sizes: Sizes,
    *,
    of: str = "",
) -> ExpectedCost:
    """The sentences that a model rewrites, once an item for all levels of a perturbation.

    Args:
        items: each with the tokens of its argument. The prompt shows it and its sentences to be rewritten, taken
            to be all of them, and the answer is as long.
        perturbation: one that a model can do; its prompt shows the documents if it needs them.
        options: of the model that rewrites.
    """
    client = counter(options)
    prompt = library[rewriting_of(perturbation).prompt]
    calls = tokens = written = 0
    for item, argument in items:
        documents = item.documents if "documents" in perturbation.needs else ()
        shown = prompt.render(
            {
                "topic": item.topic,
                "stance": item.stance,
                "documents": covers(documents),
                "argument": STAND_IN,
                "chosen": [],
            }
        )
        used = prompt_tokens(shown, client) + 2 * argument + sizes.all(documents, client)
        calls, tokens, written = calls + 1, tokens + capped(used, client), written + argument
    return expected("rewrite", options, calls, tokens, written, of=of, by=perturbation.name)


def _rewriting(
    plan: SensitivityPlan, options: ClientOptions, library: Library, sizes: Sizes
) -> Iterator[ExpectedCost]:
    client = counter(options)
    perturbations = {
        damage.perturbation.name: damage.perturbation for damage in (*plan.damages, *plan.crossed)
    }
    for name, perturbation in perturbations.items():
        if perturbation.rewriting is not None:
            arguments = ((item, client.count_tokens(item.argument or "")) for item in plan.able(name))
            yield rewriting(arguments, perturbation, options, library, sizes)
