"""Cited arguments from ranked documents: few-shot with a language model, or by extraction offline."""

from __future__ import annotations

from conqret.generation.arguments import Conclusion, GeneratedArgument, LeftOut, Premise, render
from conqret.generation.budget import FittedPrompt, fit_prompt
from conqret.generation.check import CitationCheck, check_citations
from conqret.generation.examples import Example, ExpertArguments, draw_examples
from conqret.generation.generate import Generated, GenerateOptions, Generator, Task

__all__ = [
    "CitationCheck",
    "Conclusion",
    "Example",
    "ExpertArguments",
    "FittedPrompt",
    "GenerateOptions",
    "Generated",
    "GeneratedArgument",
    "Generator",
    "LeftOut",
    "Premise",
    "Task",
    "check_citations",
    "draw_examples",
    "fit_prompt",
    "render",
]
