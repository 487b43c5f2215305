"""Cited arguments from ranked documents: few-shot with a language model, or by extraction offline."""

from __future__ import annotations

from conqret.generation.budget import BudgetedQuestion
from conqret.generation.citation_check import CitationCheck, check_citations
from conqret.generation.cited_argument import Conclusion, GeneratedArgument, LeftOut, Premise, render
from conqret.generation.examples import Example, ExpertArguments, draw_examples
from conqret.generation.generation_strategy import STRATEGIES, Strategy
from conqret.generation.generator import Generated, GenerateOptions, GenerationTask, Generator

__all__ = [
    "STRATEGIES",
    "BudgetedQuestion",
    "CitationCheck",
    "Conclusion",
    "Example",
    "ExpertArguments",
    "GenerateOptions",
    "Generated",
    "GeneratedArgument",
    "GenerationTask",
    "Generator",
    "LeftOut",
    "Premise",
    "Strategy",
    "check_citations",
    "draw_examples",
    "render",
]
