"""Cited arguments from ranked documents: few-shot with a language model, or by extraction offline."""

from __future__ import annotations

from conqret.generation.arguments import Conclusion, GeneratedArgument, LeftOut, Premise, render
from conqret.generation.budget import Question
from conqret.generation.check import CitationCheck, check_citations
from conqret.generation.examples import Example, ExpertArguments, draw_examples
from conqret.generation.generate import Generated, GenerateOptions, Generator, Task
from conqret.generation.strategy import STRATEGIES, Strategy

__all__ = [
    "STRATEGIES",
    "CitationCheck",
    "Conclusion",
    "Example",
    "ExpertArguments",
    "GenerateOptions",
    "Generated",
    "GeneratedArgument",
    "Generator",
    "LeftOut",
    "Premise",
    "Question",
    "Strategy",
    "Task",
    "check_citations",
    "draw_examples",
    "render",
]
