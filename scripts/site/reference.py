"""Make the reference of what is public in Python, of what plug-ins are made of, and of the prompts."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files

import conqret
from conqret.prompts import Library

FUNCTIONS = """# What conqret offers

Everything here is imported from `conqret` itself. [From Python](../api.md) shows it at work.
"""
PLUG_INS = """# What plug-ins are made of

The classes that the [entry points](../architecture.md#adding-things) take.
"""
PARTS = (
    "conqret.judging.judge_parts.Judge",
    "conqret.judging.judge_parts.JudgePrompt",
    "conqret.judging.judge_options.JudgeOptions",
    "conqret.llm.client_options.Backend",
    "conqret.perturb.perturbation.Perturbation",
    "conqret.studies.bias.contrast.Probe",
    "conqret.generation.strategies.Strategy",
    "conqret.debateqa.answering.rag_session.AnswerStrategy",
    "conqret.retrieval.engines.Engine",
    "conqret.io.label_files.LabelLayout",
    "conqret.labels.task.AnnotationTask",
    "conqret.io.columns.Dialect",
)
"""The classes that plug-ins are made of."""
ROLE = re.compile(r":(?:class|func|mod|meth|data|attr|exc):(?=<code>)")
"""What docstrings put before a name."""


def on_files(files: Files, config: Any) -> Files:
    """The files of the site, with the pages of reference."""
    homes = conqret._homes()
    public = [f"{homes[name]}.{name}" for name in conqret.__all__]
    pages = {
        "functions": FUNCTIONS + documented(public),
        "plug-ins": PLUG_INS + documented(PARTS),
        "prompts": prompts(),
    }
    for name, text in pages.items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """A page without the roles that docstrings name things with."""
    return ROLE.sub("", html)


def documented(names: Any) -> str:
    """Blocks that mkdocstrings fills with the docstrings of these objects, each by its place in the checkout."""
    places = (re.sub(r"^conqret\.(?=(?:judges|prompts|scrapers)\.)", "", name) for name in names)
    return "".join(f"\n::: {place}\n" for place in places)


def prompts() -> str:
    """Every prompt as its file has it, with where it is from."""
    library = Library()
    blocks = [
        "# Prompts",
        "Every prompt as it stands in its file: front matter, then a template whose block `system` says what is asked "
        "and whose block `user` takes the item. `conqret info prompt NAME` fills one with an item.",
    ]
    for identifier in library.ids():
        prompt = library[identifier]
        blocks += [
            f"## {prompt.id}",
            f"{prompt.asks[:1].upper()}{prompt.asks[1:]}. Version {prompt.version}. Source: {prompt.source}.",
            f"````jinja\n{prompt.text.strip()}\n````",
        ]
    return "\n\n".join(blocks).replace("<!--", "&lt;!--") + "\n"
