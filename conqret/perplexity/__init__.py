"""Perplexity of a text given another, on a local transformers model. Nothing here imports torch before it is used."""

from conqret.perplexity.definitions import DEFINITIONS, Definition, TargetScore
from conqret.perplexity.scorer import ConditionalPerplexity
from conqret.perplexity.wrapping import WRAPPINGS

__all__ = ["DEFINITIONS", "WRAPPINGS", "ConditionalPerplexity", "Definition", "TargetScore"]
