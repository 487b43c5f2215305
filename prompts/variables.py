"""What the variables of prompts stand for, and a prompt's text with them explained, to be changed by others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conqret.prompts.library import Prompt, split_front_matter

VARIABLES: Mapping[str, str] = {
    "anchors": "what each rating of the scale means, best first",
    "answer": "the answer that is judged",
    "asked": "the metrics that are asked for; what is not among them is left out of the answer",
    "argument": "the argument that is judged: the first of two, where two are compared",
    "chosen": "the sentences to rewrite, each with .number and .text",
    "cited_sentences": "the sentences that cite a document, each with .number, .text and .cites (numbers of documents)",
    "criteria": "what the metric looks at, as the prompt of g-eval states it",
    "data": "what stands under [data] in the front matter of this file",
    "dimension": "the dimension to rate, with .name, .question and .definition",
    "dimensions": "the dimensions to rate, in the order to ask in, each with .name, .question and .definition",
    "document": "the one document that is looked at",
    "documents": "the documents, in the order of their numbers from 1, each with .title and .text",
    "example": "an example with its answer",
    "examples": "arguments on other topics, each with .topic, .documents and .argument",
    "metric": "the name of the metric",
    "most": "how many perspectives there may be",
    "nuggets": "the nuggets to assign, in the order of their numbers from 1, each with .text",
    "perspective": "the perspective that is looked for",
    "question": "the question that is answered",
    "reference": "an answer that is known to be good, where the item has one",
    "second_argument": "the argument that the first is compared with",
    "shown": "what of the item is looked at: documents, argument, second_argument, reference, nuggets",
    "stance": "the side: pro, con or none",
    "topic": "the topic of the debate: a question, a statement or a heading",
}
"""Every variable of the prompts that come with conqret."""

_INTRODUCTION = (
    "Variables that this prompt can use. This comment is never sent, and may go. The block `system` is the same for "
    "every item: change what is asked there. The block `user` shows the item: keep the tags around its texts."
)


def explained(prompt: Prompt, variables: Mapping[str, Iterable[str]]) -> str:
    """The text of a prompt file with a comment behind its front matter: the variables ``variables`` to each block.

    The comment changes neither what is sent nor the prompt's digest.
    """
    known = {**VARIABLES, **prompt.variables}
    lines = [
        f"  {block}: {name} - {known.get(name, 'given by the format')}"
        for block, names in variables.items()
        for name in sorted(names)
    ]
    _, body = split_front_matter(prompt.text, prompt.id)
    comment = "\n".join(["{# " + _INTRODUCTION, *lines, "#}", ""])
    return prompt.text.removesuffix(body) + comment + body
