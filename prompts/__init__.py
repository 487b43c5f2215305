"""Prompts: one template file each, with front matter, rendered with hostile texts kept in their place."""

from conqret.prompts.library import Library, Prompt, RenderedPrompt
from conqret.prompts.neutralizing import Injection, find_injections, neutralise

__all__ = ["Injection", "Library", "Prompt", "RenderedPrompt", "find_injections", "neutralise"]
