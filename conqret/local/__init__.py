"""Perplexity of a text given another, on a local transformers model. Nothing here imports torch before it is used."""

from conqret.local.definitions import DEFINITIONS, Definition, TargetScore
from conqret.local.scorer import ConditionalPerplexity
from conqret.local.wrapping import WRAPPINGS

__all__ = ["DEFINITIONS", "WRAPPINGS", "ConditionalPerplexity", "Definition", "TargetScore"]
